"""The tables of memories, their revisions, and the receipts that explain what was done with them."""

from __future__ import annotations

import uuid

from django.core.validators import MaxLengthValidator
from django.db import models
from django.db.models import Case, F, Q, Value, When
from django.db.models.functions import Cast, Concat, Length
from django.utils import timezone

from settings_app.models import ApiKey

MAX_CONTENT = 16_000
MAX_KEY = 255
MAX_SESSION = 255

models.TextField.register_lookup(Length)
models.CharField.register_lookup(Length)


class Memory(models.Model):
    """One remembered statement. The integer id is the FTS rowid and the vector id; the uuid is the only public id.

    All constraints are in the first migration: Django remakes a SQLite table for most changes, which drops the triggers
    of the search table.
    """

    class Type(models.TextChoices):
        """What kind of statement it is."""

        FACTUAL = "factual", "Factual"
        EPISODIC = "episodic", "Episodic"
        PROCEDURAL = "procedural", "Procedural"
        SEMANTIC = "semantic", "Semantic"

    class Status(models.TextChoices):
        """Only `active` rows are recalled."""

        ACTIVE = "active", "Active"
        CANDIDATE = "candidate", "Waiting for review"
        SUPERSEDED = "superseded", "Superseded"
        DELETED = "deleted", "Deleted"

    class Trust(models.TextChoices):
        """Who said it."""

        OPERATOR = "operator", "Operator"
        USER = "user", "User"
        ASSISTANT = "assistant", "Assistant"
        IMPORT = "import", "Import"

    id = models.BigAutoField(primary_key=True)
    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    api_key = models.ForeignKey(ApiKey, on_delete=models.PROTECT, related_name="memories", db_index=False)
    session_id = models.CharField(max_length=255, null=True, blank=True)  # noqa: DJ001  (null = no session)
    type = models.CharField(max_length=10, choices=Type, default=Type.FACTUAL)
    key = models.CharField(max_length=MAX_KEY)
    content = models.TextField(validators=[MaxLengthValidator(MAX_CONTENT)])
    metadata = models.JSONField(default=dict, blank=True)
    status = models.CharField(max_length=10, choices=Status, default=Status.ACTIVE)
    superseded_by = models.ForeignKey(
        "self", on_delete=models.SET_NULL, null=True, blank=True, related_name="supersedes", db_index=False
    )
    pinned = models.BooleanField(default=False)
    trust = models.CharField(max_length=10, choices=Trust, default=Trust.OPERATOR)
    context = models.TextField(blank=True, default="")
    said_at = models.DateTimeField(null=True, blank=True)
    repetitions = models.PositiveIntegerField(default=1)
    last_seen_at = models.DateTimeField(default=timezone.now)
    shared = models.BooleanField(default=False)
    source_turn = models.UUIDField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    needs_reindex = models.BooleanField(default=True)
    fingerprint = models.CharField(max_length=64, default="", blank=True, editable=False)
    revision = models.PositiveIntegerField(default=1, editable=False)
    search_extra = models.TextField(blank=True, default="", editable=False)
    owner_token = models.GeneratedField(
        expression=Concat(
            Value("k", output_field=models.TextField()),
            Cast(F("api_key_id"), models.TextField()),
            Case(When(shared=True, then=Value(" kall")), default=Value(""), output_field=models.TextField()),
        ),
        output_field=models.TextField(),
        db_persist=True,
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    updated_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        db_table = "memories"
        verbose_name_plural = "memories"
        ordering = ["-created_at", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["api_key", "key"], condition=Q(status="active"), name="memory_active_key_unique"
            ),
            models.UniqueConstraint(
                fields=["api_key", "key", "fingerprint"],
                condition=Q(status="candidate"),
                name="memory_candidate_unique",
            ),
            models.CheckConstraint(
                condition=Q(type__in=["factual", "episodic", "procedural", "semantic"]), name="memory_type_known"
            ),
            models.CheckConstraint(
                condition=Q(status__in=["active", "candidate", "superseded", "deleted"]), name="memory_status_known"
            ),
            models.CheckConstraint(
                condition=Q(trust__in=["operator", "user", "assistant", "import"]), name="memory_trust_known"
            ),
            models.CheckConstraint(
                condition=~Q(content="") & Q(content__length__lte=MAX_CONTENT), name="memory_content_length"
            ),
            models.CheckConstraint(condition=~Q(key="") & Q(key__length__lte=MAX_KEY), name="memory_key_length"),
            models.CheckConstraint(
                condition=Q(session_id__isnull=True) | (~Q(session_id="") & Q(session_id__length__lte=255)),
                name="memory_session_length",
            ),
            models.CheckConstraint(condition=Q(repetitions__gte=1), name="memory_repetitions_positive"),
        ]
        indexes = [
            models.Index(fields=["api_key", "status", "created_at"], name="memory_owner"),
            models.Index(fields=["api_key", "session_id"], name="memory_session"),
            models.Index(fields=["status", "type", "created_at"], name="memory_type"),
            models.Index(fields=["status", "created_at"], name="memory_newest"),
            models.Index(fields=["expires_at"], condition=Q(expires_at__isnull=False), name="memory_expiry"),
            models.Index(fields=["id"], condition=Q(needs_reindex=True), name="memory_pending"),
            models.Index(fields=["superseded_by"], condition=Q(superseded_by__isnull=False), name="memory_superseder"),
        ]

    def __str__(self) -> str:
        return f"{self.key} #{self.pk}"


class MemoryChange(models.Model):
    """Which row changed, in order; written by triggers, read by the in-memory pools of every process, pruned by clean-up."""

    seq = models.BigAutoField(primary_key=True)
    owner_id = models.BigIntegerField()
    memory_id = models.BigIntegerField()

    class Meta:
        db_table = "memory_changes"

    def __str__(self) -> str:
        return f"{self.seq}: memory {self.memory_id}"


class MemoryRevision(models.Model):
    """What a memory was before a change, who changed it and why."""

    class Actor(models.TextChoices):
        """The door through which a change came."""

        USER = "user", "User"
        API = "api", "API"
        CAPTURE = "capture", "Capture"
        IMPORT = "import", "Import"
        COMPACTION = "compaction", "Compaction"
        MCP = "mcp", "MCP"
        SYSTEM = "system", "System"

    memory = models.ForeignKey(Memory, on_delete=models.CASCADE, related_name="revisions")
    number = models.PositiveIntegerField(help_text="The memory's revision before the change.")
    before = models.JSONField(help_text="The changed fields as they were.")
    actor = models.CharField(max_length=10, choices=Actor)
    who = models.CharField(max_length=150, blank=True, default="")
    reason = models.CharField(max_length=200, blank=True, default="")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"revision {self.number} of memory {self.memory_id}"


class Receipt(models.Model):
    """The record of one chat request: what was recalled, injected, left out and learned, with scores, tokens and times."""

    class Outcome(models.TextChoices):
        """How the request ended."""

        COMPLETED = "completed", "Completed"
        UPSTREAM_ERROR = "upstream_error", "Upstream error"
        UPSTREAM_DIED = "upstream_died", "Upstream died midway"
        CLIENT_GONE = "client_gone", "Client left"
        FAILED = "failed", "Failed before the upstream answered"

    id = models.BigAutoField(primary_key=True)
    request_id = models.CharField(max_length=40, unique=True)
    api_key = models.ForeignKey(ApiKey, on_delete=models.PROTECT, related_name="receipts", db_index=False)
    session_id = models.CharField(max_length=255, null=True, blank=True)  # noqa: DJ001
    at = models.DateTimeField(db_index=True)
    model = models.CharField(max_length=255, blank=True, default="")
    provider = models.CharField(max_length=50, blank=True, default="")
    mode = models.CharField(max_length=5)
    strategy = models.CharField(max_length=10, blank=True, default="")
    tier = models.CharField(max_length=10, blank=True, default="")
    degraded = models.CharField(max_length=300, blank=True, default="")
    query = models.TextField(blank=True, default="")
    matched_count = models.PositiveIntegerField(default=0, help_text="How many memories the query found in all.")
    injected_count = models.PositiveIntegerField(default=0)
    injected_tokens = models.PositiveIntegerField(default=0)
    captured_count = models.PositiveIntegerField(default=0)
    streamed = models.BooleanField(default=False)
    status = models.PositiveIntegerField(default=0, help_text="HTTP status given to the client.")
    outcome = models.CharField(max_length=20, choices=Outcome)
    error = models.CharField(max_length=300, blank=True, default="")
    usage = models.JSONField(null=True, blank=True)
    auth_ms = models.FloatField(default=0)
    recall_ms = models.FloatField(default=0)
    first_byte_ms = models.FloatField(null=True, blank=True)
    total_ms = models.FloatField(default=0)
    refused = models.JSONField(default=list, blank=True, help_text="What capture refused, with the rule.")

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["api_key", "at"], name="receipt_owner")]

    def __str__(self) -> str:
        return self.request_id


class ReceiptItem(models.Model):
    """One memory in a receipt: injected, rejected with a reason, or captured. Holds no text of the memory."""

    class Kind(models.TextChoices):
        """What happened to the memory in that request."""

        INJECTED = "injected", "Injected"
        REJECTED = "rejected", "Left out"
        CAPTURED = "captured", "Captured"

    id = models.BigAutoField(primary_key=True)
    receipt = models.ForeignKey(Receipt, on_delete=models.CASCADE, related_name="items")
    kind = models.CharField(max_length=10, choices=Kind)
    position = models.PositiveIntegerField(default=0)
    memory_uuid = models.UUIDField(null=True, blank=True, db_index=True)
    revision = models.PositiveIntegerField(default=1)
    part = models.CharField(max_length=12, blank=True, default="", help_text="pinned, instruction or ranked")
    score = models.FloatField(null=True, blank=True)
    vec_score = models.FloatField(null=True, blank=True)
    fts_score = models.FloatField(null=True, blank=True)
    rerank_score = models.FloatField(null=True, blank=True)
    tokens = models.PositiveIntegerField(default=0)
    reason = models.CharField(max_length=200, blank=True, default="")
    words = models.TextField(blank=True, default="", help_text="The words it was captured from.")

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.kind} in receipt {self.receipt_id}"
