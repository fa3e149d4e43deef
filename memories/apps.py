"""What we remember: the rows, their search table, and the acts of remembering and recalling."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class MemoriesConfig(AppConfig):
    """Installs the search table after every migrate; importing the checks registers them."""

    name = "memories"
    verbose_name = "Memories"

    def ready(self) -> None:
        """Hook the idempotent installer and register the checks."""
        from memories import checks  # noqa: F401
        from memories.fts import install_after_migrate

        post_migrate.connect(install_after_migrate, sender=self, dispatch_uid="memories.fts")
