"""Fills the benchmark's data: the provider, memory on, and a thousand memories of one key, as varied as a person's."""

from __future__ import annotations

import random

from memories.models import Memory
from memories.services.edit import Actor, memory_create
from settings_app.models import ApiKey, Provider
from settings_app.services import memory_settings_update, provider_save

PORT: int = globals()["PORT"]
VERBS = ["prefer", "like", "enjoy", "love", "usually choose", "often use", "always take", "never want"]
KINDS = (
    "dark light old new small large quiet loud warm cold fast slow round flat soft hard plain green blue red".split()
)
THINGS = """theme coffee editor train boat lamp chair song book mountain river market bakery compiler database queue keyboard
monitor notebook pencil garden kitchen window bicycle jacket umbrella painting museum novel recipe soup bread cheese apple
pear tea juice walk swim run match team teacher lesson language dialect alphabet letter stamp envelope camera lens film
theatre opera concert guitar piano drum violin choir dance festival holiday beach island forest meadow bridge tower castle
village harbour ferry tram ticket map compass tent stove blanket candle mirror carpet shelf drawer hammer saw""".split()
PLACES = """spring summer autumn winter Mondays Fridays work home holidays Lisbon Oslo Gdansk Kyoto Lima Quito Accra Turin
Ghent Porto Malmo Tartu Cork Bergen Basel Graz Brno Split Varna""".split()

owner = ApiKey.objects.get(name="bench")
generator = random.Random(7)
provider_save(
    provider=Provider(slug="bench", base_url=f"http://127.0.0.1:{PORT}/v1", is_default=True),
    actor="bench",
    credential="secret",
)
memory_settings_update(changes={"enabled": True}, actor="bench")
for number in range(1000):
    verb, kind, place = generator.choice(VERBS), generator.choice(KINDS), generator.choice(PLACES)
    first, second = generator.sample(THINGS, 2)
    text = f"I {verb} the {kind} {first} over the {second} when it is about {place}, number {number}"
    memory_create(owner=owner, content=text, actor=Actor("system"), trust=Memory.Trust.USER)
