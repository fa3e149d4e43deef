"""The ASGI entry point: the relay in front, Django behind it."""

import os
from typing import cast

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memroute.settings")

from django.core.asgi import get_asgi_application

django_application = get_asgi_application()

from proxy.app import App, RelayApp  # noqa: E402  (needs the apps that the line above loads)

application = RelayApp(cast("App", django_application))
