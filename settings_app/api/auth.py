"""Who may use the management API: a signed-in staff session, or a key with the `management` scope."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils import timezone
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from settings_app import crypto, selectors
from settings_app.values import KeyValues

if TYPE_CHECKING:
    # DRF's views read the settings that name this module.
    from rest_framework.views import APIView


@dataclass(frozen=True, slots=True)
class KeyUser:
    """The `request.user` of a request that came with a key."""

    key: KeyValues
    is_authenticated: bool = True
    is_staff: bool = False

    @property
    def pk(self) -> int:
        """The key's id, so that per-user machinery of DRF works."""
        return self.key.id


class ManagementKeyAuthentication(BaseAuthentication):
    """`Authorization: Bearer ‹key›`; an unknown, disabled or expired key is refused, whatever its scopes."""

    def authenticate(self, request: Request) -> tuple[KeyUser, KeyValues] | None:
        """Return the user and the key, None without a bearer header."""
        scheme, _, secret = get_authorization_header(request).partition(b" ")
        if scheme.lower() != b"bearer":
            return None
        key = selectors.snapshot().keys.get(crypto.hash_secret(secret.strip().decode("latin-1")))
        if key is None or (key.expires_at and key.expires_at <= timezone.now()):
            raise AuthenticationFailed("This API key is unknown, disabled or expired.")
        return KeyUser(key), key

    def authenticate_header(self, request: Request) -> str:
        """Make DRF answer 401, not 403."""
        return 'Bearer realm="memroute"'


class IsOperator(BasePermission):
    """Staff, or a key with the `management` scope."""

    message = "This needs a key with the management scope."

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Tell whether the caller acts for the operator."""
        user = request.user
        if isinstance(user, KeyUser):
            return "management" in user.key.scopes
        return bool(user and user.is_authenticated and user.is_staff)
