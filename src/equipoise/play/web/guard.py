"""Who may ask: this machine's own pages, or whoever has the token; and nobody may send a giant.

A page of another site that is open in the same browser can send requests to this server (cross-origin
requests), and can make the browser believe that it is of this server (DNS rebinding). The first is told by the
Origin and Sec-Fetch-Site headers, the second by the Host header. A server for other machines asks for a token,
which no other site knows.
"""

from __future__ import annotations

import hmac
import re
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlencode

from starlette.datastructures import Headers
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from equipoise.play.web.answers import RefusalError, Reply, error

MOST_BYTES = 64 * 1024
"""Longest body of a request."""

COOKIE = "equipoise-token"
LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]", "::1"})

_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_HEADERS = {
    b"content-security-policy": b"default-src 'self'; img-src 'self' data:; "
    b"connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"DENY",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-resource-policy": b"same-origin",
}


class Guard:
    """Lets requests through to ``app`` if they may be made, and answers the others in one sentence."""

    def __init__(self, app: ASGIApp, token: str | None = None) -> None:
        self._app, self._token = app, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check, then pass on."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        try:
            self._check(scope, headers)
        except RefusalError as refusal:
            if scope["type"] == "websocket":
                await receive()
                await send({"type": "websocket.close", "code": 1008, "reason": str(refusal)[:120]})
            else:
                await Reply(error(str(refusal)), refusal.status)(scope, receive, _sealed(send))
            return
        if scope["type"] == "http":
            if (entered := self._enter(scope)) is not None:
                await entered(scope, receive, _sealed(send))
                return
            await self._app(scope, _limited(receive), _sealed(send))
        else:
            await self._app(scope, receive, send)

    def _check(self, scope: Scope, headers: Headers) -> None:
        """Raise unless the request comes from a page of ours, or from somebody with the token."""
        host = headers.get("host", "")
        if self._token is None and _name(host) not in LOOPBACK:
            raise RefusalError(
                403, f"host: found '{host[:80]}', expected localhost: this server serves no other."
            )
        origin = headers.get("origin")
        if origin is not None and origin.partition("://")[2] != host:
            raise RefusalError(
                403, f"origin: found '{origin[:80]}', expected a page of this server itself."
            )
        site, is_page = headers.get("sec-fetch-site"), headers.get("sec-fetch-mode") == "navigate"
        if site in ("cross-site", "same-site") and not (is_page and scope.get("method") == "GET"):
            raise RefusalError(
                403, f"found a {site} request, expected one of this server's own pages."
            )
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length[:20]) > MOST_BYTES:
            raise RefusalError(
                413, f"body: found {length[:20]} bytes, expected at most {MOST_BYTES:,}."
            )
        method = scope.get("method", "GET")
        if method not in _SAFE and not _is_json(headers):
            raise RefusalError(415, "body: found another content type, expected application/json.")
        if self._token is not None and not self._knows(scope, headers):
            raise RefusalError(
                401, "token: found none or a wrong one, expected the one that the server was given."
            )

    def _knows(self, scope: Scope, headers: Headers) -> bool:
        """Say whether the request has the token: as a bearer, a cookie, or in the address."""
        assert self._token is not None
        kind, _, bearer = headers.get("authorization", "").partition(" ")
        shown = [bearer] if kind.lower() == "bearer" else []
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
        except CookieError:
            cookie = None
        shown += [] if cookie is None else [cookie.value]
        shown += parse_qs(scope["query_string"].decode("latin-1")).get("token", [])
        wanted = self._token.encode()
        return any(hmac.compare_digest(one.encode(), wanted) for one in shown)

    def _enter(self, scope: Scope) -> Response | None:
        """Turn a token in the address into a cookie, so that it does not stay in the address."""
        query = parse_qs(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        if self._token is None or "token" not in query or scope["method"] != "GET":
            return None
        rest = urlencode([(k, v) for k, vs in query.items() if k != "token" for v in vs])
        # A path that begins with two slashes would lead to another host.
        path = "/" + scope["path"].lstrip("/\\")
        response = RedirectResponse(f"{path}?{rest}" if rest else path, 303)
        response.set_cookie(COOKIE, self._token, httponly=True, samesite="strict", path="/")
        return response


def _name(host: str) -> str:
    """Return the name in a Host header, without the port."""
    return re.sub(r":[0-9]{1,5}$", "", host).lower()


def _is_json(headers: Headers) -> bool:
    return headers.get("content-type", "").partition(";")[0].strip().lower() == "application/json"


def _limited(receive: Receive) -> Receive:
    """Return ``receive`` that gives up when more comes than may come, whatever the header says."""
    seen = 0

    async def limited() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > MOST_BYTES:
            raise RefusalError(413, f"body: found more than {MOST_BYTES:,} bytes, expected less.")
        return message

    return limited


def _sealed(send: Send) -> Send:
    """Return ``send`` that adds the headers which tell browsers to trust nothing else."""

    async def sealed(message: Message) -> None:
        if message["type"] == "http.response.start":
            present = {name.lower() for name, _ in message["headers"]}
            extra = [(name, value) for name, value in _HEADERS.items() if name not in present]
            message = {**message, "headers": [*message["headers"], *extra]}
        await send(message)

    return sealed
