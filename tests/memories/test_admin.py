"""Every page of the admin opens, escapes, costs a constant number of queries, and acts through services."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth import get_user_model
from django.db import connection
from django.db.models import Model
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from pytest_django import Settings

from memories.models import Memory, MemoryRevision, ReceiptItem
from settings_app import crypto, selectors, services
from settings_app.models import ApiKey, MemorySettings, Provider, QdrantSettings, SettingsAudit
from tests.factories import make_key, make_memory, make_provider, make_receipt, make_revision

pytestmark = pytest.mark.django_db

EVIL = "<img src=x onerror=alert(1)>"
AT = datetime(2026, 8, 13, tzinfo=UTC)
OURS = [model for label in ("settings_app", "memories") for model in apps.get_app_config(label).get_models()]
SINGLETONS = (MemorySettings, QdrantSettings)
LISTS = [model for model in OURS if model not in SINGLETONS]
ADDABLE = [ApiKey, Provider]
CREDENTIAL = "my key is sk-proj-4f9Qw83hfKq02mZs71LxVb55"


@pytest.fixture
def operator(client: Client) -> Client:
    client.force_login(get_user_model().objects.create_superuser("ada"))
    return client


def fill(number: int, text: str = EVIL) -> None:
    """Rows of every model, with the text wherever text can be."""
    key = make_key(f"{text}{number}")
    memory = make_memory(key, f"{text}{number}", metadata={"note": text}, context=text, session_id=text, type="factual")
    make_memory(key, f"old {number}", status="superseded", superseded_by=memory)
    make_revision(memory, before={"content": text}, who=text, reason=text)
    receipt = make_receipt(key, f"{text[:30]}{number}", AT, model=text, query=text, degraded=text, error=text)
    ReceiptItem.objects.create(receipt=receipt, kind="injected", words=text, reason=text, memory_uuid=memory.uuid)
    make_provider(f"provider-{number}", model_names=[text])
    services.audit(actor=text, target=text, changes={"name": [None, text]})
    MemorySettings.objects.get_or_create(pk=1, defaults={"custom_model_id": text})
    QdrantSettings.objects.get_or_create(pk=1, defaults={"collection": text})


@pytest.fixture
def filled() -> None:
    fill(1)


def url(model: type[Model], page: str, *arguments: Any) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=arguments)


def page(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200, (address, response.status_code)
    return response.content.decode()


def change_page(model: type[Model]) -> str:
    return url(model, "change", model._default_manager.latest("pk").pk)


def named(models: Iterable[type[Model]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("model", models, ids=lambda model: model.__name__)


def test_every_model_is_in_the_admin() -> None:
    assert [model for model in OURS if not admin.site.is_registered(model)] == []


@named(LISTS)
def test_a_list_opens_and_escapes(operator: Client, filled: None, model: type[Model]) -> None:
    assert EVIL not in page(operator, url(model, "changelist"))


@named(OURS)
def test_a_change_page_opens_and_escapes(operator: Client, filled: None, model: type[Model]) -> None:
    assert EVIL not in page(operator, change_page(model))


@named(OURS)
def test_a_history_page_opens_and_escapes(operator: Client, filled: None, model: type[Model]) -> None:
    address = url(model, "history", model._default_manager.latest("pk").pk)
    assert EVIL not in page(operator, address)


def test_the_hostile_text_is_really_shown(operator: Client, filled: None) -> None:
    for model in (ApiKey, Memory, SettingsAudit):
        assert "&lt;img src=x onerror=alert(1)&gt;" in page(operator, url(model, "changelist"))


@named(OURS)
def test_adding_is_offered_only_where_a_service_does_it(operator: Client, filled: None, model: type[Model]) -> None:
    assert operator.get(url(model, "add")).status_code == (200 if model in ADDABLE else 403)


@named([model for model in LISTS if getattr(admin.site.get_model_admin(model), "search_fields", ())])
@pytest.mark.parametrize("term", ["alice", "'\"; --", EVIL, "%", "a b", "00000000-0000-0000-0000-000000000000"])
def test_a_search_opens_and_escapes(operator: Client, filled: None, model: type[Model], term: str) -> None:
    response = operator.get(url(model, "changelist"), {"q": term})
    assert response.status_code == 200
    assert EVIL not in response.content.decode()


@named(SINGLETONS)
def test_a_settings_list_leads_to_its_one_row(operator: Client, model: type[Model]) -> None:
    response = operator.get(url(model, "changelist"), follow=True)
    assert response.redirect_chain == [(url(model, "change", 1), 302)]
    assert response.status_code == 200


def queries(client: Client, address: str) -> int:
    with CaptureQueriesContext(
        connection,
    ) as captured:
        page(client, address)
    return len(captured)


@named(LISTS)
def test_a_list_costs_the_same_for_ten_rows_as_for_one(operator: Client, model: type[Model]) -> None:
    fill(0)
    page(operator, url(model, "changelist"))
    few = queries(operator, url(model, "changelist"))
    for number in range(1, 10):
        fill(number)
    assert queries(operator, url(model, "changelist")) == few


def test_a_receipt_costs_the_same_for_ten_items_as_for_two(operator: Client, filled: None) -> None:
    receipt = ReceiptItem.objects.latest("pk").receipt
    few = queries(operator, change_page(type(receipt)))
    ReceiptItem.objects.bulk_create(ReceiptItem(receipt=receipt, kind="rejected") for _ in range(10))
    assert queries(operator, change_page(type(receipt))) == few


@named([model for model in OURS if model not in (ApiKey, Provider, Memory, *SINGLETONS)])
def test_logs_are_read_only(operator: Client, filled: None, model: type[Model]) -> None:
    assert 'name="_save"' not in page(operator, change_page(model))
    address = url(model, "delete", model._default_manager.latest("pk").pk)
    assert operator.post(address, {"post": "yes"}).status_code == 403


@named([ApiKey, Memory])
def test_owners_and_memories_are_not_deleted_for_good_here(operator: Client, filled: None, model: type[Model]) -> None:
    address = url(model, "delete", model._default_manager.latest("pk").pk)
    assert operator.post(address, {"post": "yes"}).status_code == 403


@pytest.fixture
def act(operator: Client) -> Callable[..., str]:
    def run(model: type[Model], action: str, *rows: Model) -> str:
        data = {"action": action, "_selected_action": [row.pk for row in rows]}
        response = operator.post(url(model, "changelist"), data, follow=True)
        assert response.status_code == 200
        return response.content.decode()

    return run


def test_deleting_memories_reports_how_many_and_leaves_revisions(act: Callable[..., str], alice: ApiKey) -> None:
    rows = [make_memory(alice, key="a"), make_memory(alice, key="b", status="deleted")]
    assert "1 of 2 deleted." in act(Memory, "delete_recoverably", *rows)
    assert MemoryRevision.objects.get().who == "ada"


def test_restoring_memories_reports_how_many(act: Callable[..., str], alice: ApiKey) -> None:
    make_memory(alice, key="a")
    rows = [make_memory(alice, key=key, status="deleted") for key in ("a", "b")]
    assert "1 of 2 restored." in act(Memory, "restore", *rows)


def test_rotating_shows_the_new_secret_once(act: Callable[..., str], alice: ApiKey, operator: Client) -> None:
    before = alice.secret_hash
    shown = act(ApiKey, "rotate", alice)
    alice.refresh_from_db()
    secret = shown.partition("<code>")[2].partition("</code>")[0]
    assert crypto.hash_secret(secret) == alice.secret_hash != before
    assert secret not in page(operator, url(ApiKey, "changelist"))


def test_disabling_reports_how_many(act: Callable[..., str], alice: ApiKey, bob: ApiKey) -> None:
    ApiKey.objects.filter(pk=bob.pk).update(enabled=False)
    assert "1 disabled." in act(ApiKey, "disable", alice, bob)
    assert SettingsAudit.objects.latest("id").actor == "ada"


def form_data(client: Client, address: str, **changes: Any) -> dict[str, Any]:
    """What a browser would send: the form as it is, with some fields changed."""
    form = client.get(address).context["adminform"].form
    data: dict[str, Any] = {}
    for name, field in form.fields.items():
        value = form[name].value()
        if field.__class__.__name__ == "SplitDateTimeField":
            data |= {f"{name}_0": "", f"{name}_1": ""}
        elif value is not None and value is not False:
            data[name] = value
    return data | changes


def save(client: Client, address: str, **changes: Any) -> str:
    """Send the form; return what the answer says: the errors of the form, or nothing when it was saved."""
    response = client.post(address, form_data(client, address, **changes))
    if response.status_code == 302:
        return ""
    assert response.status_code == 200
    return str(response.context["adminform"].form.errors)


def test_a_key_made_here_is_usable_and_audited(operator: Client) -> None:
    response = operator.post(url(ApiKey, "add"), form_data(operator, url(ApiKey, "add"), name=EVIL), follow=True)
    content = response.content.decode()
    secret = content.partition("<code>")[2].partition("</code>")[0]
    assert crypto.hash_secret(secret) in selectors.snapshot().keys
    assert EVIL not in content
    assert SettingsAudit.objects.get().actor == "ada"


def test_a_key_edited_here_keeps_its_secret(operator: Client, alice: ApiKey) -> None:
    assert save(operator, url(ApiKey, "change", alice.pk), memory_mode="read") == ""
    before = alice.secret_hash
    alice.refresh_from_db()
    assert (alice.memory_mode, alice.secret_hash) == ("read", before)


def test_a_provider_made_here_has_its_credential_encrypted(operator: Client) -> None:
    fields = {"slug": "up", "base_url": "https://api.example.com/v1", "api_key": "sk-0123456789"}
    assert save(operator, url(Provider, "add"), **fields) == ""
    assert selectors.snapshot().providers["up"].credential == "sk-0123456789"
    shown = page(operator, change_page(Provider)) + page(operator, url(Provider, "changelist"))
    assert "sk-0123456789" not in shown
    assert "***6789" in shown


def test_a_provider_edited_here_keeps_its_credential_until_it_is_removed(operator: Client) -> None:
    address = url(Provider, "change", make_provider(credential="sk-0123456789").pk)
    assert save(operator, address, idle_timeout="5") == ""
    assert selectors.snapshot().providers["openai"].credential == "sk-0123456789"
    assert save(operator, address, remove_api_key="on") == ""
    assert selectors.snapshot().providers["openai"].credential == ""


def test_the_default_mark_moves_to_the_provider_that_gets_it(operator: Client) -> None:
    make_provider("first", is_default=True)
    second = make_provider("second")
    assert save(operator, url(Provider, "change", second.pk), is_default="on") == ""
    assert Provider.objects.get(is_default=True) == second


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("slug", "memroute"),
        ("base_url", "ftp://example.com"),
        ("base_url", "https://user:pass@example.com"),
        ("model_names", '{"a": 1}'),
        ("api_key", "sk-żółw"),
        ("idle_timeout", "0"),
    ],
)
def test_a_provider_that_could_not_be_used_is_refused_beside_the_field(
    operator: Client, field: str, value: str
) -> None:
    fields = {"slug": "up", "base_url": "https://api.example.com/v1", field: value}
    assert field in save(operator, url(Provider, "add"), **fields)
    assert not Provider.objects.exists()


def test_deleting_providers_is_audited(act: Callable[..., str], operator: Client) -> None:
    rows = [make_provider("first"), make_provider("second")]
    operator.post(url(Provider, "delete", rows[0].pk), {"post": "yes"})
    data = {"action": "delete_selected", "_selected_action": [rows[1].pk], "post": "yes"}
    operator.post(url(Provider, "changelist"), data)
    deleted = SettingsAudit.objects.filter(changes__deleted=[False, True]).values_list("target", flat=True)
    assert set(deleted) == {"provider first", "provider second"}
    assert not Provider.objects.exists()


def test_a_credential_of_a_lost_secret_key_does_not_break_the_page(operator: Client, settings: Settings) -> None:
    make_provider(credential="sk-0123456789")
    operator.get("/admin/")
    Provider.objects.update(credential="0badc0de:whatever")
    assert "MEMROUTE_SECRET_KEY changed" in page(operator, url(Provider, "changelist"))


def test_settings_saved_here_are_in_force_and_audited(operator: Client) -> None:
    address = url(MemorySettings, "change", 1)
    operator.get(url(MemorySettings, "changelist"))
    assert save(operator, address, enabled="on", max_tokens="500") == ""
    assert selectors.snapshot().memory.max_tokens == 500
    assert SettingsAudit.objects.get().changes == {"enabled": [False, True], "max_tokens": [2000, 500]}


@pytest.mark.parametrize(
    ("field", "value"),
    [("max_tokens", "16001"), ("time_zone", "Mars/Olympus"), ("primary_backend", " "), ("backend_configs", "[1]")],
)
def test_a_setting_out_of_range_is_refused_beside_the_field(operator: Client, field: str, value: str) -> None:
    operator.get(url(MemorySettings, "changelist"))
    assert field in save(operator, url(MemorySettings, "change", 1), **{field: value})


def test_the_qdrant_credential_is_written_and_not_read_back(operator: Client) -> None:
    operator.get(url(QdrantSettings, "changelist"))
    address = url(QdrantSettings, "change", 1)
    assert save(operator, address, api_key="qd-0123456789") == ""
    assert save(operator, address, port="6334") == ""
    assert (selectors.snapshot().qdrant.api_key, selectors.snapshot().qdrant.port) == ("qd-0123456789", 6334)
    assert "qd-0123456789" not in page(operator, address)


def test_a_memory_edited_here_leaves_a_revision(operator: Client, alice: ApiKey) -> None:
    memory = make_memory(alice)
    assert save(operator, url(Memory, "change", memory.pk), content="I prefer spaces") == ""
    memory.refresh_from_db()
    assert (memory.content, memory.revision, memory.revisions.get().who) == ("I prefer spaces", 2, "ada")


@pytest.mark.parametrize(
    ("field", "value"),
    [("content", "x" * 16_001), ("content", CREDENTIAL), ("metadata", "[]"), ("key", "taken"), ("type", "dream")],
)
def test_an_edit_that_the_service_refuses_is_refused_beside_the_field(
    operator: Client, alice: ApiKey, field: str, value: str
) -> None:
    make_memory(alice, key="taken")
    memory = make_memory(alice, key="mine")
    assert field in save(operator, url(Memory, "change", memory.pk), **{field: value})
    assert not MemoryRevision.objects.exists()


def test_a_stranger_sees_nothing(client: Client, filled: None) -> None:
    for model in OURS:
        assert client.get(url(model, "changelist")).status_code == 302
