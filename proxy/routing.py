"""Which provider serves a model, and under which name."""

from __future__ import annotations

from dataclasses import dataclass

from proxy.errors import InvalidBody, ModelNotFound
from settings_app.values import RESERVED_SLUG, ProviderValues, Snapshot

DEMO_MODEL = "demo"


@dataclass(frozen=True, slots=True)
class Route:
    """Where a request goes: a provider, or the built-in demo when `provider` is None; `model` is the upstream's name."""

    provider: ProviderValues | None
    model: str

    @property
    def slug(self) -> str:
        """The provider's slug; `memroute` for the built-in."""
        return self.provider.slug if self.provider else RESERVED_SLUG


def route(model: object, snapshot: Snapshot) -> Route:
    """Resolve `slug/model`, else the provider whose list or prefix matches, else the default; raise ModelNotFound."""
    if not isinstance(model, str) or not model.strip():
        raise InvalidBody("`model` is missing: name one, such as memroute/demo.", param="model")
    if not model.isprintable():
        raise InvalidBody("`model` has characters that no name has.", param="model")
    slug, slash, rest = model.partition("/")
    if slash and slug == RESERVED_SLUG:
        if rest == DEMO_MODEL:
            return Route(None, DEMO_MODEL)
        raise ModelNotFound(model, known_models(snapshot))
    if slash and rest and slug in snapshot.providers:
        return Route(snapshot.providers[slug], rest)
    provider = _serving(model, snapshot) or snapshot.default_provider
    if provider is None:
        raise ModelNotFound(model, known_models(snapshot))
    return Route(provider, model)


def _serving(model: str, snapshot: Snapshot) -> ProviderValues | None:
    """Exact names win over prefixes, longer prefixes over shorter ones."""
    best, length = None, -1
    for provider in snapshot.providers.values():
        for name in provider.models:
            if name == model:
                return provider
            if name.endswith("*") and model.startswith(name[:-1]) and len(name) > length:
                best, length = provider, len(name)
    return best


def known_models(snapshot: Snapshot) -> list[str]:
    """The models that the settings name, for a helpful 404."""
    names = [f"{p.slug}/{name}" for p in snapshot.providers.values() for name in p.models]
    return [f"{RESERVED_SLUG}/{DEMO_MODEL}", *names]
