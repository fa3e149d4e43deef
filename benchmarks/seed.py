"""Fills the benchmark's data: the provider, memory on, and a thousand memories of one key."""

from __future__ import annotations

import random

from memories.models import Memory
from memories.services.edit import Actor, memory_create
from settings_app.models import ApiKey, Provider
from settings_app.services import memory_settings_update, provider_save

PORT: int = globals()["PORT"]
VERBS = ["prefer", "like", "enjoy", "love", "usually choose", "often use", "always take", "never want"]
THINGS = [
    "dark themes in the editor",
    "light roast coffee",
    "long walks in the rain",
    "tabs over spaces",
    "trains instead of planes",
    "black tea with milk",
    "small commits",
    "short meetings",
    "fresh bread on Sundays",
    "board games with friends",
    "old maps",
    "quiet music while working",
    "PostgreSQL for reports",
    "Redis for queues",
    "paper notebooks",
    "cold swimming",
    "hiking boots",
]
WHEN = ["in spring", "on Mondays", "at work", "at home", "on holidays", "with my family", "before lunch", "in winter"]

owner = ApiKey.objects.get(name="bench")
generator = random.Random(7)
provider_save(
    provider=Provider(slug="bench", base_url=f"http://127.0.0.1:{PORT}/v1", is_default=True),
    actor="bench",
    credential="secret",
)
memory_settings_update(changes={"enabled": True}, actor="bench")
for number in range(1000):
    text = f"I {generator.choice(VERBS)} {generator.choice(THINGS)} {generator.choice(WHEN)} since {1950 + number % 70}"
    memory_create(owner=owner, content=f"{text}, item {number}", actor=Actor("system"), trust=Memory.Trust.USER)
