"""The operator's pages for keys, providers and settings; every save goes through a service and is audited."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.html import format_html

from settings_app import services
from settings_app.crypto import CannotDecrypt, decrypt, encrypt, mask
from settings_app.fields import MEMORY_FIELDS, QDRANT_FIELDS, Field
from settings_app.models import ApiKey, MemorySettings, Provider, QdrantSettings, SettingsAudit


def actor(request: HttpRequest) -> str:
    """The name under which a change is audited."""
    return request.user.get_username()


@admin.register(ApiKey)
class ApiKeyAdmin(admin.ModelAdmin):
    """Keys are disabled, not deleted: their memories belong to them."""

    list_display = ["name", "prefix", "enabled", "proxy_scope", "management_scope", "memory_mode", "last_used_at"]
    list_filter = ["enabled", "memory_mode", "proxy_scope", "management_scope"]
    search_fields = ["name", "prefix", "uuid"]
    readonly_fields = ["uuid", "prefix", "created_at", "last_used_at"]
    actions = ["rotate", "disable"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[ApiKey]:
        """Leave out the system's own key."""
        return super().get_queryset(request).filter(hidden=False)

    def save_model(self, request: HttpRequest, obj: ApiKey, form: Any, change: bool) -> None:
        """Create through the service, which gives the secret; edit through it, which audits."""
        if change:
            services.key_save(key=obj, actor=actor(request))
            return
        self._show(request, obj, services.key_insert(key=obj, actor=actor(request)))

    @admin.action(description="Rotate: give a new secret, the old one stops working at once")
    def rotate(self, request: HttpRequest, queryset: QuerySet[ApiKey]) -> None:
        """Rotate the chosen keys and show each new secret once."""
        for key in queryset:
            self._show(request, key, services.key_rotate(key=key, actor=actor(request)))

    @admin.action(description="Disable the chosen keys")
    def disable(self, request: HttpRequest, queryset: QuerySet[ApiKey]) -> None:
        """Disable and say how many."""
        count = 0
        for key in queryset.filter(enabled=True):
            key.enabled = False
            services.key_save(key=key, actor=actor(request))
            count += 1
        self.message_user(request, f"{count} disabled.")

    def _show(self, request: HttpRequest, key: ApiKey, secret: str) -> None:
        text = format_html("The secret of {}, shown this once: <code>{}</code>", key.name, secret)
        self.message_user(request, text, messages.WARNING)

    def has_delete_permission(self, request: HttpRequest, obj: ApiKey | None = None) -> bool:
        """Erasing a key is a service of its own."""
        return False


class ProviderForm(forms.ModelForm):
    """A provider; the credential is written, never read back."""

    api_key = forms.CharField(
        required=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
        help_text="Left empty, the stored one stays.",
    )
    remove_api_key = forms.BooleanField(required=False)

    class Meta:
        model = Provider
        fields = "__all__"  # noqa: DJ007  (the operator's own form)

    def clean(self) -> dict[str, Any]:
        """Give each field its sentence for what the service would refuse."""
        cleaned: dict[str, Any] = super().clean() or {}
        columns = {field.name for field in Provider._meta.concrete_fields}
        draft = Provider(**{name: value for name, value in cleaned.items() if name in columns})
        for name, reason in services.provider_problems(draft, cleaned.get("api_key")).items():
            if name not in self.errors:
                self.add_error(name, reason)
        return cleaned


@admin.register(Provider)
class ProviderAdmin(admin.ModelAdmin):
    """Providers and their credentials."""

    form = ProviderForm
    list_display = ["slug", "base_url", "enabled", "is_default", "masked"]
    list_filter = ["enabled"]
    search_fields = ["slug", "base_url"]
    fields = [
        "slug",
        "base_url",
        "api_key",
        "remove_api_key",
        "enabled",
        "is_default",
        "model_names",
        "role_policy",
        "embedding_models",
        "rerank_models",
        "first_byte_timeout",
        "idle_timeout",
    ]

    @admin.display(description="credential")
    def masked(self, obj: Provider) -> str:
        """The last four characters of the credential."""
        try:
            return mask(decrypt(obj.credential)) or "none"
        except CannotDecrypt as error:
            return f"unreadable: {error}"

    def save_model(self, request: HttpRequest, obj: Provider, form: Any, change: bool) -> None:
        """Save through the service, which encrypts and audits."""
        given = form.cleaned_data["api_key"]
        credential = "" if form.cleaned_data["remove_api_key"] else (given or None)
        services.provider_save(provider=obj, actor=actor(request), credential=credential)

    def delete_model(self, request: HttpRequest, obj: Provider) -> None:
        """Delete through the service."""
        services.provider_delete(provider=obj, actor=actor(request))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Provider]) -> None:
        """Delete through the service, one by one."""
        for provider in queryset:
            services.provider_delete(provider=provider, actor=actor(request))


class SettingsForm(forms.ModelForm):
    """One row of settings, each value checked as the API checks it."""

    known: tuple[Field, ...] = ()

    def clean(self) -> dict[str, Any]:
        """Give each wrong field its sentence."""
        cleaned: dict[str, Any] = super().clean() or {}
        for field in self.known:
            reason = field.check(cleaned[field.attr]) if field.attr in cleaned else None
            if reason:
                self.add_error(field.attr, f"This {reason}.")
        return cleaned


class SingletonAdmin(admin.ModelAdmin):
    """A page for the one row: the list leads straight to it."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        """There is one row."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """It stays."""
        return False

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Make the row if it is missing and open it."""
        self.model._default_manager.get_or_create(pk=1)
        name = f"admin:{self.opts.app_label}_{self.opts.model_name}_change"
        return HttpResponseRedirect(reverse(name, args=[1]))


class MemorySettingsForm(SettingsForm):
    """The memory settings."""

    known = MEMORY_FIELDS

    class Meta:
        model = MemorySettings
        fields = [field.attr for field in MEMORY_FIELDS]


@admin.register(MemorySettings)
class MemorySettingsAdmin(SingletonAdmin):
    """The memory settings."""

    form = MemorySettingsForm

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Save through the service, which audits."""
        services.memory_settings_save(row=obj, actor=actor(request))


class QdrantSettingsForm(SettingsForm):
    """The Qdrant settings; the credential is written, never read back."""

    known = QDRANT_FIELDS
    api_key = forms.CharField(
        required=False, widget=forms.PasswordInput(attrs={"autocomplete": "off"}), help_text="Left empty, it stays."
    )

    class Meta:
        model = QdrantSettings
        fields = [field.attr for field in QDRANT_FIELDS]


@admin.register(QdrantSettings)
class QdrantSettingsAdmin(SingletonAdmin):
    """The Qdrant settings."""

    form = QdrantSettingsForm

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Save through the service, which encrypts and audits."""
        if form.cleaned_data["api_key"]:
            obj.credential = encrypt(form.cleaned_data["api_key"])
        services.qdrant_settings_save(row=obj, actor=actor(request))


@admin.register(SettingsAudit)
class SettingsAuditAdmin(admin.ModelAdmin):
    """The log of changes, read-only."""

    list_display = ["at", "actor", "target", "changes"]
    list_filter = ["actor"]
    search_fields = ["target", "actor"]
    date_hierarchy = "at"

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Only services write it."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: SettingsAudit | None = None) -> bool:
        """Nobody edits it."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: SettingsAudit | None = None) -> bool:
        """Nobody shortens it: its highest id is the version of every cache."""
        return False
