"""Secrets: keys are hashed, credentials encrypted, and neither is shown."""

from __future__ import annotations

import pytest
from pytest_django import Settings

from settings_app import crypto

OLD, NEW = "o" * 40, "n" * 40


def test_a_secret_is_recognisable_long_and_never_the_same() -> None:
    made = {crypto.new_secret() for _ in range(100)}
    assert len(made) == 100
    assert all(secret.startswith("mr-") and len(secret) == 46 for secret in made)


def test_a_hash_does_not_contain_the_secret() -> None:
    secret = crypto.new_secret()
    assert len(crypto.hash_secret(secret)) == 64
    assert secret not in crypto.hash_secret(secret)


def test_a_hash_can_be_made_of_whatever_a_client_sends() -> None:
    assert len(crypto.hash_secret("\udcff not a key")) == 64


def test_what_was_encrypted_comes_back() -> None:
    stored = crypto.encrypt("sk-żółw")
    assert "żółw" not in stored
    assert crypto.decrypt(stored) == "sk-żółw"


def test_nothing_stays_nothing() -> None:
    assert (crypto.encrypt(""), crypto.decrypt("")) == ("", "")


def test_two_encryptions_of_one_credential_differ() -> None:
    assert crypto.encrypt("sk-1") != crypto.encrypt("sk-1")


def test_a_fallback_key_reads_what_the_old_key_wrote(settings: Settings) -> None:
    settings.SECRET_KEY = OLD
    stored = crypto.encrypt("sk-1")
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = NEW, ["x" * 40, OLD]
    assert crypto.decrypt(stored) == "sk-1"


def test_a_lost_key_is_named_by_its_variable(settings: Settings) -> None:
    settings.SECRET_KEY = OLD
    stored = crypto.encrypt("sk-1")
    settings.SECRET_KEY = NEW
    with pytest.raises(crypto.CannotDecrypt, match="MEMROUTE_SECRET_KEY_FALLBACKS"):
        crypto.decrypt(stored)


@pytest.mark.parametrize("damage", [lambda s: s[:-8], lambda s: s.replace(":", ":A"), lambda s: s[:9] + "ö"])
def test_a_damaged_credential_is_told_from_a_lost_key(damage: object) -> None:
    with pytest.raises(crypto.CannotDecrypt, match="damaged"):
        crypto.decrypt(damage(crypto.encrypt("sk-1")))  # type: ignore[operator]


@pytest.mark.parametrize(
    ("secret", "shown"), [("", ""), ("short", "***"), ("elevenchars", "***"), ("sk-0123456789", "***6789")]
)
def test_a_mask_shows_the_last_four_characters_of_a_long_one(secret: str, shown: str) -> None:
    assert crypto.mask(secret) == shown
