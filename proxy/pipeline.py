"""The life of one chat request: authenticate → recall → inject → forward and relay → hand over for remembering."""

from __future__ import annotations

import asyncio
import json
import logging
import time
import uuid
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from engine.redaction import redact
from engine.tokens import estimate_tokens
from memories.background import Background, Finished
from memories.models import Receipt
from memories.services.recall import MAX_QUERY, RecallRequest, RecallResult
from memories.services.receipts import ReceiptDraft
from memories.services.remember import MAX_CONTEXT, Turn
from proxy.errors import InvalidBody, InvalidHeader, ProxyError, UpstreamError
from proxy.inject import (
    BLOCK_OVERHEAD_TOKENS,
    PINNED_OVERHEAD_TOKENS,
    SAFER,
    Note,
    apply_plan,
    names_role_or_order,
    plan,
    render_block,
    render_pinned,
    role_policy,
)
from proxy.limits import RateLimits
from proxy.messages import (
    context_before,
    last_user_text,
    memory_mode,
    narrow,
    new_user_texts,
    session_id,
    wants_no_memory,
)
from proxy.routing import Route, route
from proxy.shapes import Shapes
from proxy.streaming import Buffered, DemoReply, Relay, Relayed
from proxy.upstream import Headers, Reply, Upstream, forwarded
from settings_app.values import KeyValues, Snapshot

logger = logging.getLogger(__name__)

RECALL_SECONDS = 2.0
RETRY_BODY = 64 * 1024
MARGIN = 4096
TOUCH_EVERY = timedelta(minutes=1)
# A script may ask a few milliseconds after it told something; a person never does.
PATH = "/chat/completions"
SETTLE_STEPS, SETTLE_SECONDS = 150, 0.002
READS, WRITES = {"on", "read"}, {"on", "write"}

Send = Callable[[dict[str, Any]], Awaitable[None]]
RunRecall = Callable[[RecallRequest], Awaitable[RecallResult]]


@dataclass(slots=True)
class Chat:
    """One request on its way: what the client sent, and what became of it."""

    raw: bytes
    headers: Mapping[str, str]
    raw_headers: Headers
    started: float = field(default_factory=time.perf_counter)
    at: datetime = field(default_factory=lambda: datetime.now(UTC))
    request_id: str = field(default_factory=lambda: f"req-{uuid.uuid4().hex}")
    body: dict[str, Any] = field(default_factory=dict)
    messages: list[Any] = field(default_factory=list)
    mode: str = "off"
    session: str | None = None
    recalled: RecallResult = field(default_factory=RecallResult)
    pinned: str = ""
    block: str = ""

    def elapsed_ms(self) -> float:
        """Milliseconds since the request came in."""
        return (time.perf_counter() - self.started) * 1000


class Pipeline:
    """What the requests of one event loop share."""

    def __init__(self, upstream: Upstream, background: Background, run_recall: RunRecall) -> None:
        self._upstream = upstream
        self._background = background
        self._run_recall = run_recall
        self._shapes = Shapes()
        self._seen: dict[int, datetime] = {}
        self._limits = RateLimits()

    async def chat(self, chat: Chat, key: KeyValues, snapshot: Snapshot, relay: Relay) -> None:
        """Serve one chat completion under an authenticated key; errors before the first byte are raised as ProxyError."""
        self._limits.take(key.id, snapshot.memory.key_rate_limit, chat.started)
        self._touch(key, chat.at)
        self._read(chat, key, snapshot)
        target = route(chat.body.get("model"), snapshot)
        draft = self._draft(chat, key, target)
        try:
            await self._recall(chat, key, snapshot, draft)
            reply = await self._forward(chat, target, snapshot, draft)
            await relay.send(reply, _answer_headers(chat, draft), draft.streamed)
        except BaseException as error:
            _note_failure(draft, relay.relayed, error)
            raise
        finally:
            self._hand_over(chat, draft, relay.relayed)

    def _touch(self, key: KeyValues, at: datetime) -> None:
        """Note that a key was used, at most once a minute."""
        seen = self._seen.get(key.id)
        if seen is None or at - seen >= TOUCH_EVERY:
            self._seen[key.id] = at
            self._background.touch(key.id, at)

    def _read(self, chat: Chat, key: KeyValues, snapshot: Snapshot) -> None:
        """Parse what the request says: body, session, memory mode."""
        chat.body = parse_body(chat.raw)
        messages = chat.body.get("messages")
        chat.messages = messages if isinstance(messages, list) else []
        try:
            chat.session = session_id(chat.headers)
            wanted = memory_mode(chat.headers)
        except ValueError as error:
            raise InvalidHeader(str(error)) from error
        if snapshot.memory.enabled and not wants_no_memory(chat.headers):
            chat.mode = narrow(key.memory_mode, wanted)

    def _draft(self, chat: Chat, key: KeyValues, target: Route) -> ReceiptDraft:
        return ReceiptDraft(
            request_id=chat.request_id,
            owner_id=key.id,
            at=chat.at,
            mode=chat.mode,
            session=chat.session,
            model=target.model,
            provider=target.slug,
            streamed=chat.body.get("stream") is True,
            auth_ms=chat.elapsed_ms(),
        )

    async def _recall(self, chat: Chat, key: KeyValues, snapshot: Snapshot, draft: ReceiptDraft) -> None:
        """Find the memories; whatever goes wrong here is said in the receipt and the headers, and the chat goes on."""
        if chat.mode not in READS:
            return
        memory = snapshot.memory
        # Redacted before it is cut: half a secret would not be recognised.
        draft.query = redact(last_user_text(chat.messages, MAX_QUERY + MARGIN))[-MAX_QUERY:]
        request = RecallRequest(
            owner_id=key.id,
            query=draft.query,
            session=chat.session,
            strategy=key.strategy or memory.strategy,
            max_tokens=memory.max_tokens if key.max_tokens is None else key.max_tokens,
            scope=memory.scope,
            retention_days=memory.retention_days,
            floor_shift=memory.relevance_floor,
            overhead=BLOCK_OVERHEAD_TOKENS + PINNED_OVERHEAD_TOKENS,
            at=chat.at,
        )
        before = time.perf_counter()
        try:
            async with asyncio.timeout(RECALL_SECONDS):
                await self._settle(key.id)
                chat.recalled = await self._run_recall(request)
        except TimeoutError:
            draft.degraded = f"recall took longer than {RECALL_SECONDS:g} s"
            logger.warning("memory.recall.timeout", extra={"request": chat.request_id})
        except Exception as error:  # recall must never break the chat
            draft.degraded = f"recall failed ({type(error).__name__})"
            logger.exception("memory.recall.failed", extra={"request": chat.request_id})
        self._render(chat)
        draft.recalled = chat.recalled
        draft.degraded = draft.degraded or chat.recalled.degraded
        draft.recall_ms = (time.perf_counter() - before) * 1000

    @staticmethod
    def _render(chat: Chat) -> None:
        """Write the blocks, and count what they really cost: the budget reserved room for frames that may not be there."""
        parts: dict[str, list[Note]] = {"pinned": [], "instruction": [], "ranked": []}
        for hit in chat.recalled.hits:
            parts[hit.part].append(Note(hit.content, by_assistant=hit.trust == "assistant"))
        chat.pinned = render_pinned(parts["pinned"])
        chat.block = render_block(parts["ranked"], parts["instruction"])
        tokens = estimate_tokens(chat.pinned) + estimate_tokens(chat.block)
        chat.recalled = replace(chat.recalled, tokens=tokens)

    async def _settle(self, owner_id: int) -> None:
        """Wait, for a moment at most, until what the owner said just before can be recalled."""
        for _ in range(SETTLE_STEPS):
            if not self._background.unsettled(owner_id):
                return
            await asyncio.sleep(SETTLE_SECONDS)

    async def _forward(self, chat: Chat, target: Route, snapshot: Snapshot, draft: ReceiptDraft) -> Reply:
        """Send the request on; a refusal that names role or order is tried once more in the next safer shape."""
        provider = target.provider
        if provider is None:
            body = parse_body(self._injected(chat, target, snapshot, "system"))
            return DemoReply(body, chat.request_id, int(chat.at.timestamp()))
        usual = role_policy(provider.role_policy, provider.slug, target.model)
        role = self._shapes.of(draft.owner_id, provider.slug, target.model) or usual
        headers = forwarded(chat.raw_headers)
        reply: Reply = await self._upstream.post(provider, PATH, self._injected(chat, target, snapshot, role), headers)
        safer = SAFER.get(role) if provider.role_policy == "auto" and chat.recalled.hits else None
        if safer is None or reply.status not in (400, 422):
            return reply
        try:
            refused = await Buffered.read(reply, RETRY_BODY)
            if not names_role_or_order(reply.status, refused.start):
                return refused
        except BaseException:
            await reply.aclose()
            raise
        await reply.aclose()
        draft.error = f"{role} was refused, sent again as {safer}"
        logger.info("memory.injection.retried", extra={"provider": provider.slug, "role": safer})
        again = await self._upstream.post(provider, PATH, self._injected(chat, target, snapshot, safer), headers)
        self._shapes.learn(draft.owner_id, provider.slug, target.model, safer, accepted=again.status < 400)
        return again

    def _injected(self, chat: Chat, target: Route, snapshot: Snapshot, role: str) -> bytes:
        """Return the body for the provider: the client's bytes when nothing needs changing."""
        model = target.model if target.model != chat.body.get("model") else None
        edits = plan(
            chat.messages,
            pinned=chat.pinned,
            block=chat.block,
            placement=snapshot.memory.injection_placement,
            role=role,
        )
        return apply_plan(chat.raw, chat.messages, edits, model)

    def _hand_over(self, chat: Chat, draft: ReceiptDraft, relayed: Relayed) -> None:
        """Give the finished turn to the background; off means that nothing is kept."""
        if chat.mode == "off":
            return
        draft.outcome = relayed.outcome
        draft.status = relayed.status or draft.status
        draft.error = relayed.error or draft.error
        draft.usage = relayed.usage
        draft.first_byte_ms = relayed.first_byte_ms
        draft.total_ms = chat.elapsed_ms()
        turn = None
        if chat.mode in WRITES and relayed.learnable:
            turn = Turn(
                owner_id=draft.owner_id,
                session=chat.session,
                user_texts=new_user_texts(chat.messages),
                reply=relayed.text,
                context=context_before(chat.messages, limit=MAX_CONTEXT + MARGIN),  # cut once it is redacted
                said_at=chat.at,
                injected=[hit.content for hit in chat.recalled.hits],
            )
        self._background.submit(Finished(draft, turn))


def _note_failure(draft: ReceiptDraft, relayed: Relayed, error: BaseException) -> None:
    """Say in the receipt why there was no complete answer."""
    if isinstance(error, ProxyError):
        draft.error = draft.error or str(error)
        draft.status = error.status
    elif not isinstance(error, asyncio.CancelledError):
        draft.error = draft.error or type(error).__name__
    if isinstance(error, UpstreamError):
        relayed.outcome = Receipt.Outcome.UPSTREAM_ERROR
    elif isinstance(error, asyncio.CancelledError):
        relayed.outcome = Receipt.Outcome.CLIENT_GONE


def _answer_headers(chat: Chat, draft: ReceiptDraft) -> Headers:
    """What a reply says of its memories; off says only which request it was."""
    headers = [(b"x-memroute-request-id", chat.request_id.encode())]
    if chat.mode == "off":
        return headers
    headers += [
        (b"x-memroute-memories", b"%d" % len(chat.recalled.hits)),
        (b"x-memroute-memory-tokens", b"%d" % chat.recalled.tokens),
        (b"x-memroute-tier", (chat.recalled.tier or "none").encode()),
    ]
    if draft.degraded:
        headers.append((b"x-memroute-degraded", draft.degraded.encode("ascii", "replace")))
    return headers


def parse_body(raw: bytes) -> dict[str, Any]:
    """Parse a request body; raise InvalidBody unless it is a JSON object. Numbers are only looked at, never written back."""
    try:
        body = json.loads(raw, parse_constant=_no_constant, parse_int=_any_int)
    except (ValueError, RecursionError) as error:
        raise InvalidBody("The body is not valid JSON.") from error
    if not isinstance(body, dict):
        raise InvalidBody("The body must be a JSON object.")
    return body


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


def _any_int(digits: str) -> int:
    """Python refuses to read integers of more than 4,300 digits; their value is of no interest here."""
    return int(digits) if len(digits) < 400 else 0
