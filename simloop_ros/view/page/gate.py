"""Who may come in: a door in front of the page's server."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie
import secrets
import socket
import threading
from urllib.parse import parse_qsl, urlencode, urlsplit

import msgspec

LOOPBACK = ('localhost', '127.0.0.1', '::1')
"""Names under which a page without a token is asked for. A page elsewhere could let its own name
point here."""
LONGEST_HEAD = 64 * 1024
"""Of the first request of a connection [bytes]."""
HEAD_TIME = 10.0
"""Time in which it has to come [s]."""
CHUNK = 64 * 1024
CLOSED = (
    OSError,
    asyncio.IncompleteReadError,
    asyncio.LimitOverrunError,
    asyncio.TimeoutError,
    asyncio.CancelledError,  # the gate closes
)


class Request(msgspec.Struct, frozen=True):
    """The head of a request.

    :ivar target: path with query.
    :ivar headers: by names in small letters.
    """

    method: str
    target: str
    headers: Mapping[str, str]


class Refusal(msgspec.Struct, frozen=True):
    """Why somebody may not come in, or where to go instead.

    :ivar headers: further ones of the answer.
    """

    status: str
    text: str
    headers: tuple[str, ...] = ()

    def encoded(self) -> bytes:
        """Return the answer."""
        body = f'{self.text}\n'.encode()
        head = (
            f'HTTP/1.1 {self.status}',
            'Content-Type: text/plain; charset=utf-8',
            f'Content-Length: {len(body)}',
            'Connection: close',
            'Cache-Control: no-store',
            *self.headers,
        )
        return '\r\n'.join((*head, '', '')).encode('latin-1') + body


class Doorkeeper:
    """Judges requests: by the origin of the page that asks, and by a token where there is one.

    :param token: that the address has; empty for a page that is served to this machine only.
    :param port: of the address.
    """

    def __init__(self, token: str, port: int):
        self._token = token
        self._cookie = f'simloop_view_{port}'

    def judge(self, request: Request) -> Refusal | None:
        """Return why a request is not answered; ``None`` if it is."""
        if request.method != 'GET':
            return Refusal('405 Method Not Allowed', 'only GET is answered', ('Allow: GET',))
        host = request.headers.get('host', '')
        if not self._token and _hostname(host) not in LOOPBACK:
            return Refusal('403 Forbidden', f'not served under the name {host[:80]!r}')
        origin = request.headers.get('origin')
        if origin is not None and urlsplit(origin).netloc.lower() != host.lower():
            return Refusal('403 Forbidden', 'a page of another origin is not answered')
        if not self._token or self._equal(self._remembered(request)):
            return None
        target = urlsplit(request.target)
        query = parse_qsl(target.query, keep_blank_values=True)
        if not self._equal(dict(query).get('token', '')):
            return Refusal(
                '403 Forbidden', 'the address needs the token that simloop view printed'
            )
        if 'upgrade' in request.headers:
            return None
        rest = urlencode([(name, value) for name, value in query if name != 'token'])
        path = f'/{target.path.lstrip("/")}'  # never to another host
        cookie = f'{self._cookie}={self._token}; Path=/; HttpOnly; SameSite=Lax'
        location = f'{path}?{rest}' if rest else path
        return Refusal('303 See Other', '', (f'Location: {location}', f'Set-Cookie: {cookie}'))

    def _remembered(self, request: Request) -> str:
        try:
            cookies = SimpleCookie(request.headers.get('cookie', ''))
        except CookieError:
            return ''
        return cookies[self._cookie].value if self._cookie in cookies else ''

    def _equal(self, given: str) -> bool:
        return secrets.compare_digest(given.encode(), self._token.encode())


class Gate:
    """Relays the connections that a doorkeeper lets in to a server on this machine.

    :param listening: the bound socket of the address.
    :param behind: host and port of the server.
    """

    def __init__(self, listening: socket.socket, behind: tuple[str, int], doorkeeper: Doorkeeper):
        self._listening, self._behind, self._doorkeeper = listening, behind, doorkeeper
        self._loop = asyncio.new_event_loop()
        self._tasks: set[asyncio.Task[None]] = set()
        self._thread = threading.Thread(target=self._run, name='gate', daemon=True)
        self._stopping = asyncio.Event()
        self._thread.start()

    def close(self) -> None:
        """End all connections."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stopping.set)
            self._thread.join()

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._serve())
        finally:
            self._loop.close()

    async def _serve(self) -> None:
        server = await asyncio.start_server(
            self._connected, sock=self._listening, limit=LONGEST_HEAD
        )
        await self._stopping.wait()
        server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            await self._answer(reader, writer)
        except CLOSED:
            pass
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await asyncio.wait_for(reader.readuntil(b'\r\n\r\n'), HEAD_TIME)
        request = read_head(head)
        refusal = (
            Refusal('400 Bad Request', 'no HTTP request')
            if request is None
            else self._doorkeeper.judge(request)
        )
        if refusal is not None:
            writer.write(refusal.encoded())
            await writer.drain()
            return
        inner_reader, inner_writer = await asyncio.open_connection(*self._behind)
        try:
            inner_writer.write(head)
            ways = [
                asyncio.ensure_future(_relay(reader, inner_writer)),
                asyncio.ensure_future(_relay(inner_reader, writer)),
            ]
            try:
                await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for way in ways:
                    way.cancel()
                await asyncio.gather(*ways, return_exceptions=True)
        finally:
            inner_writer.close()


async def _relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Pass on what comes until no more does; a slow receiver slows the sender down."""
    while data := await reader.read(CHUNK):
        writer.write(data)
        await writer.drain()


def read_head(head: bytes) -> Request | None:
    """Return the request that bytes are the head of; ``None`` if they are none."""
    first, *lines = head.decode('latin-1').split('\r\n')
    words = first.split(' ')
    if len(words) != 3 or not words[2].startswith('HTTP/1.'):
        return None
    headers: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(':')
        name = name.lower()
        if line and (not colon or name != name.strip()):
            return None
        if name in headers and name in ('host', 'origin', 'upgrade'):
            return None
        headers[name] = value.strip()
    return Request(words[0], words[1], headers)


def _hostname(host: str) -> str:
    """Return the name of a ``Host`` header, without its port."""
    try:
        return urlsplit(f'//{host}').hostname or ''
    except ValueError:
        return ''
