"""The address of a broker as the configuration gives it: what is read, and what is refused."""

import pytest

from scharten.errors import SchartenError
from scharten.mqtt.address import BrokerAddress, Credentials, parse_url, redacted


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("mqtt://me:p%40ss@club", BrokerAddress("club", 1883, account=Credentials("me", "p@ss"))),
        ("mqtt://me@club", BrokerAddress("club", 1883, account=Credentials("me", None))),
        ("mqtt://club", BrokerAddress("club", 1883)),
        ("mqtts://club/", BrokerAddress("club", 8883, True)),
        ("mqtt://[::1]:1884", BrokerAddress("::1", 1884)),
    ],
)
def test_an_address_is_read(url: str, address: BrokerAddress) -> None:
    """Scheme, host and port of a URL."""
    assert parse_url(url) == address


@pytest.mark.parametrize(
    "url",
    ["http://me:secret@x", "mqtt://", "mqtt://me:secret@", "mqtt://club:99999", "mqtt://a b", "mqtt://a/b"],
)
def test_an_address_that_is_none_is_refused_without_showing_a_password(url: str) -> None:
    """The error names the cure; a password in a URL is not repeated."""
    with pytest.raises(SchartenError) as error:
        parse_url(url)
    assert "secret" not in str(error.value) and "mqtt://host:1883" in str(error.value)
    assert redacted("mqtt://me:secret@club") == "mqtt://***@club"
