"""The first start: migrate, and create an admin account and an API key if there is none."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from django.contrib.auth import get_user_model
from django.db import transaction
from django.db.models import Q

from settings_app.database import database_migrate
from settings_app.models import ApiKey
from settings_app.services import key_create


@dataclass(frozen=True, slots=True)
class FirstStart:
    """What was created just now; the password and the key are shown this once."""

    admin_password: str | None = None
    api_key: str | None = None


def bootstrap() -> FirstStart:
    """Bring the database up to date and make the first start usable; safe to run at every start, in two processes too."""
    database_migrate()
    with transaction.atomic():
        return FirstStart(admin_password=_first_admin(), api_key=_first_key())


def _first_admin() -> str | None:
    users = get_user_model()
    if users.objects.filter(Q(is_superuser=True) | Q(username="admin")).exists():
        return None
    password = secrets.token_urlsafe(12)
    users.objects.create_superuser("admin", "", password)
    return password


def _first_key() -> str | None:
    if ApiKey.objects.filter(hidden=False).exists():
        return None
    _, secret = key_create(name="First key", scopes=("proxy", "management"), actor="system")
    return secret
