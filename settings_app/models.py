"""Keys, providers, the two settings rows, and the audit log of their changes."""

from __future__ import annotations

import uuid
from collections.abc import Collection

from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models import Q

from settings_app import values


def _choices(names: tuple[str, ...]) -> list[tuple[str, str]]:
    return [(name, name) for name in names]


class ApiKey(models.Model):
    """An API key; its integer id is the owner of memories, its uuid is what the outside sees as `apiKeyId`."""

    class MemoryMode(models.TextChoices):
        """What a request under this key may do with memory."""

        ON = "on", "On"
        READ = "read", "Read only"
        WRITE = "write", "Write only"
        OFF = "off", "Off"

    class State(models.TextChoices):
        """`erasing` refuses writes while the erase service empties the pool."""

        ACTIVE = "active", "Active"
        ERASING = "erasing", "Being erased"

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    name = models.CharField(max_length=100)
    secret_hash = models.CharField(max_length=64, unique=True, editable=False)
    prefix = models.CharField(max_length=16, editable=False, help_text="The first characters of the secret.")
    enabled = models.BooleanField(default=True)
    hidden = models.BooleanField(default=False, editable=False)
    state = models.CharField(max_length=10, choices=State, default=State.ACTIVE, editable=False)
    proxy_scope = models.BooleanField(default=True, help_text="May chat through /v1.")
    management_scope = models.BooleanField(default=False, help_text="Acts for the operator: sees every owner.")
    memory_mode = models.CharField(max_length=5, choices=MemoryMode, default=MemoryMode.ON)
    strategy = models.CharField(max_length=10, choices=_choices(values.STRATEGIES), null=True, blank=True)  # noqa: DJ001
    max_tokens = models.PositiveIntegerField(null=True, blank=True, validators=[MaxValueValidator(16000)])
    expires_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    last_used_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        verbose_name = "API key"
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(condition=~Q(name=""), name="apikey_name_not_empty"),
            models.CheckConstraint(condition=Q(memory_mode__in=values.MEMORY_MODES), name="apikey_memory_mode_known"),
            models.CheckConstraint(condition=Q(state__in=("active", "erasing")), name="apikey_state_known"),
            models.CheckConstraint(
                condition=Q(strategy__isnull=True) | Q(strategy__in=values.STRATEGIES), name="apikey_strategy_known"
            ),
            models.CheckConstraint(
                condition=Q(max_tokens__isnull=True) | Q(max_tokens__lte=16000), name="apikey_max_tokens_in_range"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"

    @property
    def scopes(self) -> frozenset[str]:
        """The scopes as the API names them."""
        pairs = (("proxy", self.proxy_scope), ("management", self.management_scope))
        return frozenset(name for name, has in pairs if has)


class Provider(models.Model):
    """An upstream OpenAI-compatible server and its credential."""

    slug = models.CharField(
        max_length=50,
        unique=True,
        validators=[RegexValidator(r"^[a-z0-9][a-z0-9._-]*$", "Lower-case letters, digits, dot, dash, underscore.")],
        help_text="Clients may address a model as slug/model.",
    )
    base_url = models.CharField(max_length=500, help_text="Such as https://api.openai.com/v1")
    credential = models.TextField(blank=True, editable=False)
    enabled = models.BooleanField(default=True)
    is_default = models.BooleanField(default=False, help_text="Serves every model that no other provider names.")
    model_names = models.JSONField(default=list, blank=True, help_text="Model names; a trailing * makes a prefix.")
    role_policy = models.CharField(max_length=12, choices=_choices(values.ROLE_POLICIES), default="auto")
    embedding_models = models.JSONField(default=list, blank=True)
    rerank_models = models.JSONField(default=list, blank=True)
    first_byte_timeout = models.FloatField(default=600, validators=[MinValueValidator(0.1), MaxValueValidator(3600)])
    idle_timeout = models.FloatField(default=120, validators=[MinValueValidator(0.1), MaxValueValidator(3600)])
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["slug"]
        constraints = [
            models.CheckConstraint(condition=~Q(slug=values.RESERVED_SLUG), name="provider_slug_not_reserved"),
            models.UniqueConstraint(fields=["is_default"], condition=Q(is_default=True), name="provider_one_default"),
        ]

    def __str__(self) -> str:
        return self.slug

    def validate_constraints(self, exclude: Collection[str] | None = None) -> None:
        """Let a form choose a new default: the service takes the mark from the provider that has it."""
        super().validate_constraints(exclude={*(exclude or ()), "is_default"})


class MemorySettings(models.Model):
    """The one row of memory settings (7-settings); read through `selectors.snapshot`, which clamps."""

    enabled = models.BooleanField(
        default=False, help_text="Injects what is remembered into every chat: those tokens are billed by your provider."
    )
    max_tokens = models.IntegerField(default=2000)
    retention_days = models.IntegerField(default=30)
    strategy = models.CharField(max_length=20, default="hybrid", choices=_choices(values.STRATEGIES))
    scope = models.CharField(max_length=20, default="apiKey", choices=_choices(values.SCOPES))
    fusion = models.CharField(max_length=20, default="relative", choices=_choices(values.FUSIONS))
    skills_enabled = models.BooleanField(default=False)
    auto_summarize = models.BooleanField(default=False)
    embedding_source = models.CharField(max_length=20, default="auto", choices=_choices(values.EMBEDDING_SOURCES))
    embedding_provider_model = models.CharField(max_length=500, null=True, blank=True)  # noqa: DJ001
    custom_base_url = models.CharField(max_length=500, null=True, blank=True)  # noqa: DJ001
    custom_model_id = models.CharField(max_length=500, null=True, blank=True)  # noqa: DJ001
    relevance_floor = models.FloatField(default=0.0)
    static_enabled = models.BooleanField(default=True)
    transformers_enabled = models.BooleanField(default=False)
    rerank_enabled = models.BooleanField(default=False)
    rerank_provider_model = models.CharField(max_length=500, null=True, blank=True)  # noqa: DJ001
    vector_store = models.CharField(max_length=20, default="auto", choices=_choices(values.VECTOR_STORES))
    injection_placement = models.CharField(max_length=20, default="auto", choices=_choices(values.PLACEMENTS))
    extract_user = models.BooleanField(default=True)
    extract_assistant = models.CharField(max_length=20, default="decisions", choices=_choices(values.ASSISTANT_CAPTURE))
    capture_turns = models.BooleanField(default=False)
    review_mode = models.BooleanField(default=False)
    max_facts_per_turn = models.IntegerField(default=10)
    receipt_retention_days = models.IntegerField(default=7)
    deleted_retention_days = models.IntegerField(default=30)
    receipt_text = models.BooleanField(default=True)
    time_zone = models.CharField(max_length=64, default="UTC")
    key_rate_limit = models.IntegerField(default=0)
    primary_backend = models.CharField(max_length=100, default="sqlite")
    fallback_backends = models.JSONField(default=list, blank=True)
    backend_configs = models.JSONField(default=dict, blank=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name = verbose_name_plural = "memory settings"
        constraints = [models.CheckConstraint(condition=Q(id=1), name="memorysettings_one_row")]

    def __str__(self) -> str:
        return "Memory settings"


class QdrantSettings(models.Model):
    """The one row of Qdrant settings; the credential is encrypted."""

    enabled = models.BooleanField(default=False)
    host = models.CharField(max_length=255, default="localhost")
    port = models.PositiveIntegerField(default=6333)
    collection = models.CharField(max_length=255, default="memroute_memory")
    embedding_model = models.CharField(max_length=255, null=True, blank=True)  # noqa: DJ001
    quantization = models.CharField(max_length=10, default="none", choices=_choices(values.QUANTIZATIONS))
    credential = models.TextField(blank=True, editable=False)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name = verbose_name_plural = "Qdrant settings"
        constraints = [models.CheckConstraint(condition=Q(id=1), name="qdrantsettings_one_row")]

    def __str__(self) -> str:
        return "Qdrant settings"


class SettingsAudit(models.Model):
    """One change of a key, a provider or a setting. Its highest id is the version by which caches are refreshed."""

    at = models.DateTimeField(auto_now_add=True)
    actor = models.CharField(max_length=150, help_text="Who: a user, a command, or the system.")
    target = models.CharField(max_length=150, help_text="What was changed, such as memory settings or key Laptop.")
    changes = models.JSONField(help_text="Field → [before, after]; credentials appear as ***.")

    class Meta:
        verbose_name = "settings change"
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.target} by {self.actor}"
