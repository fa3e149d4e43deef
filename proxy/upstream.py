"""The way to the providers: one connection pool, time-outs, and errors in words."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field
from typing import Protocol

import aiohttp
import httpx
from httpx_aiohttp import AiohttpTransport

from proxy.errors import UpstreamConnect, UpstreamError, UpstreamTimeout
from settings_app.values import ProviderValues

CONNECT_SECONDS = 10.0
KEEPALIVE_SECONDS = 30.0

HOP_BY_HOP = frozenset(
    b"connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade".split()
)
# What a client sends to memroute and a provider must not see, or what memroute says anew.
NOT_SENT = HOP_BY_HOP | frozenset(
    b"authorization x-api-key api-key host content-length content-type accept-encoding cookie expect origin referer"
    b" forwarded x-forwarded-for x-forwarded-host x-forwarded-proto"
    b" x-forwarded-port x-real-ip true-client-ip cf-connecting-ip".split()
)
# What a provider says and a client must not see, or what the server says anew.
NOT_RETURNED = HOP_BY_HOP | frozenset(b"set-cookie date server alt-svc authorization x-api-key".split())

Headers = list[tuple[bytes, bytes]]
CONTROLS = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")


class Reply(Protocol):
    """An answer whose head has arrived: status, headers fit for the client, and the bytes of its body."""

    status: int
    headers: Headers

    def chunks(self) -> AsyncIterator[bytes]:
        """Yield the body as it arrives."""

    async def aclose(self) -> None:
        """Drop the connection if the body was not read to its end."""


def forwarded(headers: Iterable[tuple[bytes, bytes]]) -> Headers:
    """Return the client's headers that travel upstream."""
    return [
        (name, value)
        for name, value in headers
        if name not in NOT_SENT and not name.startswith((b"x-memroute-", b"x-omniroute-"))
    ]


def returned(headers: Iterable[tuple[bytes, bytes]]) -> Headers:
    """Return the provider's headers that travel to the client, names in lower case."""
    lowered = ((name.lower(), value) for name, value in headers)
    return [
        (name, value)
        for name, value in lowered
        if name not in NOT_RETURNED and not name.startswith(b"x-memroute-") and not CONTROLS.search(value)
    ]


@dataclass(slots=True)
class UpstreamReply:
    """A provider's answer; a pause longer than `idle` seconds between chunks is a time-out."""

    response: httpx.Response
    idle: float
    status: int = field(init=False)
    headers: Headers = field(init=False)

    def __post_init__(self) -> None:
        self.status = self.response.status_code
        self.headers = returned(self.response.headers.raw)

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield the raw bytes; raise UpstreamTimeout or UpstreamConnect when the provider stops midway."""
        loop = asyncio.get_running_loop()
        stream = self.response.stream
        try:
            async with asyncio.timeout(self.idle) as limit:
                async for chunk in stream:  # type: ignore[union-attr]  # always an async stream here
                    # The time a slow client takes to read is not the provider's.
                    limit.reschedule(None)
                    yield chunk
                    limit.reschedule(loop.time() + self.idle)
        except TimeoutError as error:
            raise UpstreamTimeout(f"The provider sent nothing for {self.idle:g} seconds.") from error
        except (httpx.HTTPError, aiohttp.ClientError, OSError) as error:
            raise UpstreamConnect("The provider closed the connection before its answer was complete.") from error

    async def aclose(self) -> None:
        """Close the answer; an unfinished one takes its connection with it, which cancels the request upstream."""
        await self.response.aclose()


class Upstream:
    """The connections of one event loop to all providers."""

    def __init__(self, transport: httpx.AsyncBaseTransport | None = None) -> None:
        self._transport = transport or AiohttpTransport(client=_session)

    async def post(self, provider: ProviderValues, path: str, body: bytes, headers: Headers) -> UpstreamReply:
        """Send a request and wait for the head of the answer; raise UpstreamConnect or UpstreamTimeout."""
        try:
            request = httpx.Request(
                "POST",
                provider.base_url + path,
                headers=[*headers, *_own_headers(provider)],
                content=body,
                extensions={"timeout": {"connect": CONNECT_SECONDS, "pool": CONNECT_SECONDS}},
            )
            async with asyncio.timeout(provider.first_byte_timeout):
                response = await self._transport.handle_async_request(request)
        except TimeoutError as error:
            seconds = provider.first_byte_timeout
            raise UpstreamTimeout(f"The provider {provider.slug} did not answer in {seconds:g} seconds.") from error
        except (httpx.HTTPError, httpx.InvalidURL, aiohttp.ClientError, ValueError, OSError) as error:
            raise _named(error, provider) from error
        if not 200 <= response.status_code <= 599:
            await response.aclose()
            raise UpstreamError(f"The provider {provider.slug} answered with the status {response.status_code}.")
        return UpstreamReply(response, provider.idle_timeout)

    async def aclose(self) -> None:
        """Close all connections."""
        await self._transport.aclose()


def _named(error: Exception, provider: ProviderValues) -> UpstreamError:
    """Tell a refused or broken connection from a slow one. The transport names both kinds of broken connection a time-out."""
    cause = error.__cause__
    if isinstance(cause, TimeoutError) and not isinstance(cause, ConnectionError):
        return UpstreamTimeout(f"The provider {provider.slug} did not accept the connection in time.")
    if isinstance(error, aiohttp.ClientResponseError | aiohttp.ClientPayloadError):
        return UpstreamError(f"The provider {provider.slug} answered with something that is no HTTP.")
    return UpstreamConnect(f"The provider {provider.slug} cannot be reached.")


def _own_headers(provider: ProviderValues) -> Headers:
    own = [(b"content-type", b"application/json"), (b"accept-encoding", b"identity")]
    if provider.credential:
        own.append((b"authorization", b"Bearer " + provider.credential.encode("latin-1", "replace")))
    return own


def _session() -> aiohttp.ClientSession:
    connector = aiohttp.TCPConnector(limit=0, keepalive_timeout=KEEPALIVE_SECONDS)
    return aiohttp.ClientSession(
        connector=connector,
        cookie_jar=aiohttp.DummyCookieJar(),
        timeout=aiohttp.ClientTimeout(total=None),
        skip_auto_headers=("User-Agent", "Accept", "Accept-Encoding"),
    )
