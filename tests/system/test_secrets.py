"""Secrets on disk, and who a client is by them."""

from pathlib import Path

import pytest

from scharten.broker.accounts import Accounts
from scharten.contract.roles import Account
from scharten.errors import SchartenError
from scharten.mqtt.address import Credentials, stored_login
from scharten.system.secrets import (
    WITH_SECRET,
    load_or_make,
    new_secret,
    read_password,
    renew,
    write_private,
)


def test_secrets_are_made_once_and_only_their_owner_may_read_them(tmp_path: Path) -> None:
    """One for each account but the display's, all different, in a file of mode 600."""
    path = tmp_path / "data" / "secrets.json"
    made = load_or_make(path)
    assert set(made) == set(WITH_SECRET) and len(set(made.values())) == len(made)
    assert path.stat().st_mode & 0o777 == 0o600
    assert load_or_make(path) == made
    assert [item.name for item in path.parent.iterdir()] == ["secrets.json"]


def test_a_new_evening_has_new_secrets(tmp_path: Path) -> None:
    """`renew` changes those asked for and leaves the rest."""
    path = tmp_path / "secrets.json"
    old, new = load_or_make(path), renew(path, (Account.SEAT1, Account.ARBITER))
    assert {item for item in WITH_SECRET if old[item] != new[item]} == {Account.SEAT1, Account.ARBITER}
    assert load_or_make(path) == new


def test_a_file_that_others_may_read_is_refused_with_the_cure(tmp_path: Path) -> None:
    """The message has the command that mends it; the same for a password file."""
    path, password = tmp_path / "secrets.json", tmp_path / "password"
    load_or_make(path)
    password.write_text("x\n")
    for item, read in ((path, load_or_make), (password, read_password)):
        item.chmod(0o640)
        with pytest.raises(SchartenError) as error:
            read(item)  # type: ignore[operator]
        assert f"chmod 600 {item}" in str(error.value)


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"host": "short"}', '{"unknown": "0123456789abcdef"}', '{"host": 1}', "[" * 100_000],
    ids=lambda text: text[:12],
)
def test_a_damaged_file_is_refused_with_the_cure(tmp_path: Path, text: str) -> None:
    """Nothing is guessed and nothing overwritten."""
    path = tmp_path / "secrets.json"
    path.write_text(text)
    path.chmod(0o600)
    with pytest.raises(SchartenError, match="Delete it"):
        load_or_make(path)
    assert path.read_text() == text


def test_a_password_file_gives_its_first_line(tmp_path: Path) -> None:
    """Without the line's end; an empty or missing file is an error."""
    path = tmp_path / "password"
    path.write_text("secret words\nand more\n")
    path.chmod(0o600)
    assert read_password(path) == "secret words"
    path.write_text("\n")
    for item in (path, tmp_path / "none"):
        with pytest.raises(SchartenError):
            read_password(item)


def test_an_account_needs_its_own_secret() -> None:
    """Name and secret must belong together; the display needs none, where that is allowed."""
    secrets = {item: new_secret() for item in WITH_SECRET}
    accounts = Accounts(secrets)
    assert accounts.account_of("seat1", secrets[Account.SEAT1]) is Account.SEAT1
    for username, password in (
        ("seat1", secrets[Account.SEAT2]),
        ("seat1", ""),
        ("seat1", None),
        ("", ""),
        ("nobody", "no such account"),
        (None, secrets[Account.HOST]),
    ):
        assert accounts.account_of(username, password) is None
    closed = Accounts(secrets, anonymous_display=False)
    for username, password in ((None, None), ("display", None), ("display", "x")):
        assert accounts.account_of(username, password) is Account.DISPLAY
        assert closed.account_of(username, password) is None


def test_a_login_at_another_broker_comes_from_the_folder_of_credentials(tmp_path: Path) -> None:
    """`<board>-<account>` goes before `<account>`; a second line names the user; without the host's, an error."""
    for name, text in (("board1-host", "one\n"), ("host", "two\n"), ("web", "three\nthe-page\n")):
        write_private(tmp_path / name, text)
    assert stored_login(str(tmp_path), "board1", Account.HOST) == Credentials("board1-host", "one")
    assert stored_login(str(tmp_path), "board2", Account.HOST) == Credentials("host", "two")
    assert stored_login(str(tmp_path), "board1", Account.WEB) == Credentials("the-page", "three")
    assert stored_login(str(tmp_path), "board1", Account.SIMULATOR) is None
    assert stored_login("", "board1", Account.HOST) is None
    with pytest.raises(SchartenError, match="neither board1-host nor host"):
        stored_login(str(tmp_path / "empty"), "board1", Account.HOST)
