"""The routes that Django serves; the relay endpoints of /v1 are answered before Django (see asgi.py)."""

from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

from proxy.api import api as v1

urlpatterns = [
    path("", RedirectView.as_view(url="/admin/")),
    path("admin/", admin.site.urls),
    path("api/memory/", include("memories.api.urls")),
    path("api/health/", include("memroute.health")),
    path("v1/", v1.urls),
]

handler404 = "memroute.errors.not_found"
handler500 = "memroute.errors.server_error"
