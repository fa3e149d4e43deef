"""The operator's pages for memories, their revisions and the receipts."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.text import Truncator

from memories.models import Memory, MemoryChange, MemoryRevision, Receipt, ReceiptItem
from memories.services.edit import (
    EDITABLE,
    Actor,
    InvalidMemory,
    check_changes,
    key_taken,
    memories_set_status,
    memory_edit,
)


class ReadOnlyAdmin(admin.ModelAdmin):
    """A log: looked at, never written."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Only services write it."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody edits it."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Clean-up and erasure remove it."""
        return False


def _actor(request: HttpRequest) -> Actor:
    return Actor(MemoryRevision.Actor.USER, request.user.get_username())


class MemoryForm(forms.ModelForm):
    """A memory; what the service would refuse is said beside the field."""

    def clean(self) -> dict[str, Any]:
        """Ask the service's own checks."""
        cleaned: dict[str, Any] = super().clean() or {}
        for name in (name for name in EDITABLE if name in cleaned):
            try:
                check_changes({name: cleaned[name]})
            except InvalidMemory as error:
                self.add_error(name, f"This {error}.")
        key = cleaned.get("key")
        if key and self.instance.status == Memory.Status.ACTIVE and key_taken(self.instance, key):
            self.add_error("key", "Another memory of this owner has this key.")
        return cleaned


@admin.register(Memory)
class MemoryAdmin(admin.ModelAdmin):
    """Memories; every change leaves a revision."""

    form = MemoryForm
    list_display = ["key", "short", "api_key", "type", "status", "trust", "pinned", "repetitions", "created_at"]
    list_filter = ["status", "type", "trust", "pinned", "shared"]
    search_fields = ["key", "content"]
    list_select_related = ["api_key"]
    show_full_result_count = False
    date_hierarchy = "created_at"
    fields = [
        "api_key",
        "key",
        "type",
        "content",
        "metadata",
        "pinned",
        "shared",
        "session_id",
        "expires_at",
        "status",
        "superseded_by",
        "trust",
        "repetitions",
        "last_seen_at",
        "said_at",
        "context",
        "uuid",
        "created_at",
        "updated_at",
    ]
    readonly_fields = [
        "api_key",
        "status",
        "superseded_by",
        "trust",
        "repetitions",
        "last_seen_at",
        "said_at",
        "context",
        "uuid",
        "created_at",
        "updated_at",
    ]
    actions = ["delete_recoverably", "restore"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Memory]:
        """Leave heavy text out of lists."""
        return super().get_queryset(request).defer("context", "search_extra")

    @admin.display(description="content")
    def short(self, obj: Memory) -> str:
        """The beginning of the statement."""
        return Truncator(obj.content).chars(100)

    def save_model(self, request: HttpRequest, obj: Memory, form: Any, change: bool) -> None:
        """Edit through the service."""
        changes = {name: form.cleaned_data[name] for name in form.changed_data if name in EDITABLE}
        memory_edit(memory=obj, changes=changes, actor=_actor(request))

    @admin.action(description="Delete (can be restored)")
    def delete_recoverably(self, request: HttpRequest, queryset: QuerySet[Memory]) -> None:
        """Move to deleted and say how many."""
        self._move(request, queryset, Memory.Status.DELETED, "deleted")

    @admin.action(description="Restore")
    def restore(self, request: HttpRequest, queryset: QuerySet[Memory]) -> None:
        """Move back to active and say how many."""
        self._move(request, queryset, Memory.Status.ACTIVE, "restored")

    def _move(self, request: HttpRequest, queryset: QuerySet[Memory], status: str, verb: str) -> None:
        ids = list(queryset.values_list("pk", flat=True))
        count = memories_set_status(ids=ids, status=status, actor=_actor(request))
        self.message_user(request, f"{count} of {len(ids)} {verb}.")

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Adding needs an owner and a key; that is the API's and the Studio's."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Memory | None = None) -> bool:
        """The recoverable delete is an action; erasing is a service of its own."""
        return False


@admin.register(MemoryRevision)
class MemoryRevisionAdmin(ReadOnlyAdmin):
    """What memories were before."""

    list_display = ["memory_id", "number", "actor", "who", "reason", "at"]
    list_filter = ["actor"]
    search_fields = ["who", "reason"]


@admin.register(MemoryChange)
class MemoryChangeAdmin(ReadOnlyAdmin):
    """The change log of the in-memory pools."""

    list_display = ["seq", "owner_id", "memory_id"]
    show_full_result_count = False


class ReceiptItemInline(admin.TabularInline):
    """The memories of a receipt."""

    model = ReceiptItem
    can_delete = False
    extra = 0
    fields = ["kind", "part", "memory_uuid", "score", "tokens", "reason", "words"]
    readonly_fields = ["kind", "part", "memory_uuid", "score", "tokens", "reason", "words"]

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Only services write it."""
        return False


@admin.register(Receipt)
class ReceiptAdmin(ReadOnlyAdmin):
    """What happened to each request."""

    list_display = ["at", "request_id", "api_key", "model", "outcome", "injected_count", "captured_count", "total_ms"]
    list_filter = ["outcome", "tier", "mode"]
    search_fields = ["request_id", "session_id"]
    list_select_related = ["api_key"]
    show_full_result_count = False
    inlines = [ReceiptItemInline]


@admin.register(ReceiptItem)
class ReceiptItemAdmin(ReadOnlyAdmin):
    """Which receipts a memory is in."""

    list_display = ["receipt_id", "kind", "part", "memory_uuid", "score", "reason"]
    list_filter = ["kind"]
    search_fields = ["=memory_uuid"]
    show_full_result_count = False
