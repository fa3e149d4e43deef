"""Secrets: API keys are hashed, provider credentials are encrypted under a key that is not in the database."""

from __future__ import annotations

import base64
import hashlib
import secrets

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

SECRET_PREFIX = "mr-"  # noqa: S105  (a marker, so that a leaked key can be recognised)
VISIBLE_CHARS = 8


class CannotDecrypt(Exception):
    """A stored credential was written under a secret key that is no longer known."""


def new_secret() -> str:
    """Return a fresh API key: `mr-` and 256 random bits, URL-safe."""
    return SECRET_PREFIX + secrets.token_urlsafe(32)


def hash_secret(secret: str) -> str:
    """SHA-256 in hex. 256 random bits need no slow hash: there is nothing to guess."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _key_id(secret_key: str) -> str:
    return hashlib.sha256(b"memroute key id:" + secret_key.encode()).hexdigest()[:8]


def _fernet(secret_key: str) -> Fernet:
    derived = HKDF(algorithm=SHA256(), length=32, salt=None, info=b"memroute credentials").derive(secret_key.encode())
    return Fernet(base64.urlsafe_b64encode(derived))


def encrypt(plain: str) -> str:
    """Encrypt a credential: `‹key id›:‹Fernet token›`; the empty string stays empty."""
    if not plain:
        return ""
    return f"{_key_id(settings.SECRET_KEY)}:{_fernet(settings.SECRET_KEY).encrypt(plain.encode()).decode()}"


def decrypt(stored: str) -> str:
    """Decrypt what `encrypt` gave, under the current secret key or a fallback; raise `CannotDecrypt` otherwise."""
    if not stored:
        return ""
    key_id, _, token = stored.partition(":")
    for secret_key in [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]:
        if _key_id(secret_key) == key_id:
            try:
                return _fernet(secret_key).decrypt(token.encode()).decode()
            except InvalidToken as error:
                raise CannotDecrypt("the stored credential is damaged; enter it again") from error
    raise CannotDecrypt("MEMROUTE_SECRET_KEY changed; add the old one to MEMROUTE_SECRET_KEY_FALLBACKS")


def mask(secret: str) -> str:
    """`***last4`, or empty."""
    return f"***{secret[-4:]}" if len(secret) >= 12 else ("***" if secret else "")
