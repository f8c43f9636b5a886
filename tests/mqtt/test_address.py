"""The address of a broker in the configuration: valid and refused forms."""

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
    """The reader returns scheme, host and port of a URL."""
    assert parse_url(url) == address


@pytest.mark.parametrize(
    "url",
    ["http://me:secret@x", "mqtt://", "mqtt://me:secret@", "mqtt://club:99999", "mqtt://a b", "mqtt://a/b"],
)
def test_an_invalid_address_is_refused_without_showing_a_password(url: str) -> None:
    """The error names the cure and does not repeat a password in the URL."""
    with pytest.raises(SchartenError) as error:
        parse_url(url)
    assert "secret" not in str(error.value) and "mqtt://host:1883" in str(error.value)
    assert redacted("mqtt://me:secret@club") == "mqtt://***@club"
