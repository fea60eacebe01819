"""Settings, the secret, keys of roles, tokens, limits."""

from __future__ import annotations

import base64
import hmac
import os
import stat
from dataclasses import fields

import pytest

from sottovoce.base.errors import CorruptBytes, InvalidInput
from sottovoce.service.auth.keys import ROLES, Keys, bearer, read_secret
from sottovoce.service.limits import Addresses, Bucket
from sottovoce.service.settings import Settings, load_settings

FINGERPRINT, OTHER = "0123456789abcdef" * 2, "fedcba9876543210" * 2


# -- settings ----------------------------------------------------------------------------------


def test_arguments_win_over_the_environment_and_that_over_the_file(tmp_path):
    file = tmp_path / "collector.toml"
    file.write_text('port = 1\nhost = "10.0.0.1"\nrate = 5\n')
    environment = {"SOTTOVOCE_PORT": "2", "SOTTOVOCE_RATE": "6", "SOTTOVOCE_DATA": "/elsewhere"}
    told = load_settings(file, environment, port=3, queue=None)
    assert (told.port, told.rate, told.host, told.queue) == (3, 6.0, "10.0.0.1", 10_000)
    assert isinstance(told.rate, float)


@pytest.mark.parametrize("each", fields(Settings), ids=lambda each: each.name)
def test_every_setting_may_come_from_the_environment_and_is_checked(each):
    default = getattr(Settings(), each.name)
    texts = {str: "text", bool: "True"}
    named = {"origins": "https://survey.example", "proxies": "10.0.0.2,fd00::/8"}
    text = named.get(each.name, texts.get(type(default), "7"))
    told = load_settings(None, {f"SOTTOVOCE_{each.name.upper()}": text})
    assert getattr(told, each.name) == type(default)(text)
    wrong = 5 if isinstance(default, str) else "text"
    with pytest.raises(InvalidInput, match=f"{each.name} of the collector must be"):
        Settings(**{each.name: wrong})
    if not isinstance(default, str):
        for bad in (-1, 1 if isinstance(default, bool) else True, float("nan"), float("inf")):
            with pytest.raises(InvalidInput, match=each.name):
                Settings(**{each.name: bad})
        with pytest.raises(InvalidInput, match=f"SOTTOVOCE_{each.name.upper()}"):
            load_settings(None, {f"SOTTOVOCE_{each.name.upper()}": "seven"})


def test_wrong_names_and_files_are_refused(tmp_path):
    file = tmp_path / "collector.toml"
    file.write_text("prot = 1\n")
    with pytest.raises(InvalidInput, match=r"collector.toml must be one of store.*got 'prot'"):
        load_settings(file, {})
    file.write_text("port = \n")
    with pytest.raises(CorruptBytes, match="is not TOML"):
        load_settings(file, {})
    with pytest.raises(InvalidInput, match="an argument must be one of"):
        load_settings(None, {}, prot=1)
    with pytest.raises(InvalidInput, match="from 0 to 65535"):
        Settings(port=70_000)


@pytest.mark.parametrize(
    "name, wrong",
    [
        *(
            ("proxies", text)
            for text in ("*", "10.0.0.2,*", "0.0.0.0/0", "::/0", "128.0.0.0/1", "nginx")
        ),
        *(
            ("hosts", text)
            for text in ("*", "https://a.example", "a.example:8000", "a/b", ".example")
        ),
        *(
            ("origins", text)
            for text in ("*", "null", "a.example", "https://a.example/", "ftp://a")
        ),
        ("origins", "https://A.example"),
        ("origins", "https://user@a.example"),
    ],
)
def test_lists_of_names_are_checked(name, wrong):
    with pytest.raises(InvalidInput, match=f"{name} of the collector must be"):
        Settings(**{name: wrong})


def test_lists_of_names_are_taken():
    Settings(proxies="127.0.0.1, 10.0.0.0/8, ::1, fc00::/7")
    Settings(hosts="collector.example, Collector-2.example, collector")
    Settings(origins="https://a.example, http://localhost:3000, https://[::1]:8443")


# -- the secret --------------------------------------------------------------------------------


def test_the_secret_is_made_once_for_its_owner_alone(tmp_path):
    file = tmp_path / "secret"
    secret = read_secret(file)
    assert len(secret) == 32
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert read_secret(file) == secret
    assert [path.name for path in tmp_path.iterdir()] == ["secret"]
    assert read_secret(tmp_path / "another") != secret


def test_a_secret_that_others_may_read_or_of_another_length_is_refused(tmp_path):
    file = tmp_path / "secret"
    read_secret(file)
    file.chmod(0o640)
    with pytest.raises(InvalidInput, match="of mode 0600; got '0640'"):
        read_secret(file)
    file.chmod(0o600)
    file.write_bytes(b"short")
    with pytest.raises(CorruptBytes, match="has 5 bytes; a secret has 32"):
        read_secret(file)


def test_keys_are_the_documented_hmac():
    secret = bytes(range(32))
    keys = Keys(secret)
    for role in ROLES:
        mac = hmac.digest(secret, b"role:" + role.encode(), "sha256")
        assert keys.of_role(role) == base64.urlsafe_b64encode(mac).rstrip(b"=").decode()
        assert keys.roles(f"Bearer {keys.of_role(role)}") == {role}
        assert keys.roles(f"bearer  {keys.of_role(role)}") == {role}
    wrong = ["", None, "Bearer", "Bearer ", "Basic abc", "Bearer \ud800", "Bearer é"]
    assert [keys.roles(header) for header in wrong] == [set()] * len(wrong)
    assert keys.roles(keys.of_role("read")) == set()


# -- tokens ------------------------------------------------------------------------------------


def test_a_token_holds_for_its_survey_and_allowance_and_not_after_any_change():
    keys = Keys(os.urandom(32))
    token = keys.issue_token(FINGERPRINT, 7)
    found = keys.read_token(FINGERPRINT, f"Bearer {token}")
    assert found is not None
    assert found[1] == 7
    assert keys.read_token(OTHER, f"Bearer {token}") is None
    assert Keys(os.urandom(32)).read_token(FINGERPRINT, f"Bearer {token}") is None
    data = base64.urlsafe_b64decode(token + "=")
    for place in range(32):
        for bit in range(8):
            changed = bytearray(data)
            changed[place] ^= 1 << bit
            text = base64.urlsafe_b64encode(bytes(changed)).rstrip(b"=").decode()
            assert keys.read_token(FINGERPRINT, f"Bearer {text}") is None
    for text in (token[:-1], token + "A", "", "!" * 43, token + "\n"):
        assert keys.read_token(FINGERPRINT, f"Bearer {text}") is None or text.strip() == token


def test_other_spellings_of_a_token_are_the_same_token():
    """The last letter of base64 has spare bits; they must not make a second token."""
    keys = Keys(os.urandom(32))
    token = keys.issue_token(FINGERPRINT)
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    found = {keys.read_token(FINGERPRINT, f"Bearer {token[:-1]}{last}") for last in letters}
    found.discard(None)
    assert len(found) == 1


def test_marks_of_used_tokens_differ_between_surveys_windows_and_tokens():
    keys = Keys(os.urandom(32))
    tokens = [
        keys.read_token(FINGERPRINT, f"Bearer {keys.issue_token(FINGERPRINT)}")[0] for _ in "ab"
    ]
    marks = {
        keys.used_mark(token, fingerprint, window)
        for token in tokens
        for fingerprint in (FINGERPRINT, OTHER)
        for window in ("", "2026-W47", "2026-W48")
    }
    assert len(marks) == 12
    assert {len(mark) for mark in marks} == {32}
    assert not any(token in mark or mark in token for token in tokens for mark in marks)


@pytest.mark.parametrize("allowance", [0, -1, 2**32, 1.5, "1", True])
def test_an_allowance_is_a_whole_number(allowance):
    with pytest.raises(InvalidInput, match="allowance of a token"):
        Keys(bytes(32)).issue_token(FINGERPRINT, allowance)


def test_bearer_takes_what_follows_the_scheme():
    assert [bearer(h) for h in ("Bearer a", "BEARER  a ", "Basic a", "a", None)] == [
        "a", "a", "", "", "",
    ]  # fmt: skip


# -- limits ------------------------------------------------------------------------------------


def test_a_bucket_takes_its_rate_and_no_more():
    now = [0.0]
    bucket, taken = Bucket(10, lambda: now[0]), 0
    for step in range(10_000):
        now[0] = step / 1000
        taken += bucket.wait() == 0.0
    assert 10 * 10 <= taken <= 10 * 10 + 10
    assert Bucket(0).wait() == 0.0


def test_addresses_have_a_bucket_each_and_are_forgotten():
    now = [0.0]
    addresses = Addresses(2, lambda: now[0])
    assert [addresses.wait("a") == 0.0 for _ in range(3)] == [True, True, False]
    assert addresses.wait("b") == 0.0
    assert len(addresses) == 2
    now[0] = 5.0
    assert addresses.wait("c") == 0.0
    assert len(addresses) == 1
    assert Addresses(0).wait("a") == 0.0
