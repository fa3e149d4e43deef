"""What can go wrong on the way of a chat request, one class a case, and OpenAI's shape for it."""

from __future__ import annotations

import json
from collections.abc import Sequence

KNOWN_SHOWN = 20
NAME_SHOWN = 100

Headers = list[tuple[bytes, bytes]]


class ProxyError(Exception):
    """Base of the tree: an HTTP status and OpenAI's `type`, `code`, `param`, with a sentence that helps.

    The class says what kind of case it is; `message` may say more, and `headers` go out with the answer.
    """

    status = 500
    type = "server_error"
    code = "internal_error"
    param: str | None = None
    message = "Something went wrong inside memroute; the log has the details."

    def __init__(self, message: str | None = None, *, param: str | None = None) -> None:
        self.message = message or self.message
        self.param = param or self.param
        self.headers: Headers = []
        super().__init__(self.message)


class InternalError(ProxyError):
    """A fault of ours that nobody foresaw."""


class InvalidBody(ProxyError):
    """The body is no JSON object, or a field that we read has the wrong shape."""

    status = 400
    type = "invalid_request_error"
    code = "invalid_body"
    message = "The body must be a JSON object, such as a chat completion request."


class InvalidHeader(ProxyError):
    """A header of ours has a value that means nothing."""

    status = 400
    type = "invalid_request_error"
    code = "invalid_header"
    message = "A header that begins with x-memroute- has a value that memroute does not know."


class MissingKey(ProxyError):
    """The request names no key."""

    status = 401
    type = "invalid_request_error"
    code = "missing_api_key"
    message = "No API key was given: send `Authorization: Bearer <a memroute key>`."

    def __init__(self, message: str | None = None, *, param: str | None = None) -> None:
        super().__init__(message, param=param)
        self.headers = [(b"www-authenticate", b"Bearer")]


class UnknownKey(MissingKey):
    """The key is unknown, disabled or expired; which of these is not told to somebody who only guesses."""

    code = "invalid_api_key"
    message = (
        "This API key is not valid: it is unknown, disabled or expired."
        " Keys are made under /admin/ or by `manage.py create_api_key`."
    )


class MissingScope(ProxyError):
    """The key is valid but may not do this."""

    status = 403
    type = "permission_error"
    code = "missing_scope"

    def __init__(self, scope: str = "proxy") -> None:
        super().__init__(f"This API key does not have the `{scope}` scope that this request needs.")


class ModelNotFound(ProxyError):
    """No provider serves the model."""

    status = 404
    type = "invalid_request_error"
    code = "model_not_found"
    param = "model"

    def __init__(self, model: str, known: Sequence[str] = ()) -> None:
        shown = ", ".join(known[:KNOWN_SHOWN])
        more = f" and {len(known) - KNOWN_SHOWN} more (GET /v1/models lists them)" if len(known) > KNOWN_SHOWN else ""
        names = f" Known models: {shown}{more}." if known else ""
        super().__init__(f"No provider serves the model `{model[:NAME_SHOWN]}`.{names}")


class NotFound(ProxyError):
    """No endpoint has this address."""

    status = 404
    type = "invalid_request_error"
    code = "not_found"
    message = "There is no such endpoint; docs/api.md lists them."


class MethodNotAllowed(ProxyError):
    """The endpoint exists, but not for this method."""

    status = 405
    type = "invalid_request_error"
    code = "method_not_allowed"

    def __init__(self, allowed: str = "POST") -> None:
        super().__init__(f"This endpoint takes {allowed} requests only.")
        self.headers = [(b"allow", allowed.encode("latin-1"))]


class BodyTooLarge(ProxyError):
    """The body is longer than the operator allows."""

    status = 413
    type = "invalid_request_error"
    code = "body_too_large"

    def __init__(self, limit: int) -> None:
        super().__init__(f"The body is larger than {limit:,} bytes, the limit that MEMROUTE_MAX_BODY_BYTES sets.")


class UnsupportedEncoding(ProxyError):
    """The body is compressed."""

    status = 415
    type = "invalid_request_error"
    code = "unsupported_encoding"
    message = "Compressed bodies are not read: send the JSON without `content-encoding`."


class RateLimited(ProxyError):
    """The key has used up its requests for now; `retry_after` is in seconds."""

    status = 429
    type = "rate_limit_error"
    code = "rate_limit_exceeded"

    def __init__(self, retry_after: int = 1) -> None:
        super().__init__(f"This API key has reached its request limit: try again in {retry_after} s.")
        self.headers = [(b"retry-after", str(retry_after).encode())]


class UpstreamError(ProxyError):
    """Base of what goes wrong on the way to the provider."""

    status = 502
    type = "upstream_error"
    code = "upstream_error"
    message = "The provider did not answer as it should."


class UpstreamConnect(UpstreamError):
    """The provider cannot be reached, or broke the connection."""

    code = "upstream_unreachable"
    message = "The provider cannot be reached."


class UpstreamTimeout(UpstreamError):
    """The provider accepted the request and then took too long."""

    status = 504
    code = "upstream_timeout"
    message = "The provider did not answer in time."


def error_body(exc: ProxyError) -> bytes:
    """Return the error in OpenAI's shape; ASCII only, so that any name a client sent can be in it."""
    error = {"message": exc.message, "type": exc.type, "param": exc.param, "code": exc.code}
    return json.dumps({"error": error}).encode("ascii")


def sse_error(exc: ProxyError) -> bytes:
    """Return the error as one event of a stream."""
    return b"data: " + error_body(exc) + b"\n\n"
