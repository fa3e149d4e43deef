"""The wiring's app: what has to happen once when Django starts."""

from django.apps import AppConfig


class MemrouteConfig(AppConfig):
    """Hooks the SQLite preparation and the system checks."""

    name = "memroute"
    verbose_name = "memroute"

    def ready(self) -> None:
        """Connect the connection hook; importing the checks registers them."""
        from django.db.backends.signals import connection_created

        from memroute import checks  # noqa: F401
        from memroute.sqlite import on_connection_created

        connection_created.connect(on_connection_created, dispatch_uid="memroute.sqlite")
