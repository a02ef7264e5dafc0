"""Who is answered by the server of a page: raw requests, without a browser."""

from __future__ import annotations

from collections.abc import Iterator
from http.client import HTTPConnection, HTTPResponse
import socket
from urllib.parse import urlsplit

import pytest

pytest.importorskip('viser', reason='no viser: pip install "simloop_ros[view]"')

from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from simloop_ros.core.errors import ConfigError
from simloop_ros.view.page.gate import Doorkeeper, Request, read_head
from simloop_ros.view.page.server import PORT, Served, serve

HANDSHAKE = {'open_timeout': 20, 'close_timeout': 5, 'max_size': None}


@pytest.fixture(scope='module')
def local() -> Iterator[Served]:
    served = serve(port=0)
    yield served
    served.stop()


@pytest.fixture(scope='module')
def public() -> Iterator[Served]:
    served = serve('0.0.0.0', 0)
    yield served
    served.stop()


def _get(served: Served, path: str = '/', method: str = 'GET', **headers: str) -> HTTPResponse:
    connection = HTTPConnection('127.0.0.1', urlsplit(served.address).port or 0, timeout=20)
    connection.request(method, path, headers=headers)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer


def _open(served: Served, path: str = '/', **headers: str) -> None:
    """Open a websocket as the page does, and wait for its first message."""
    from viser import __version__

    port = urlsplit(served.address).port
    with connect(
        f'ws://127.0.0.1:{port}{path}',
        subprotocols=[Subprotocol(f'viser-v{__version__}')],
        additional_headers=headers,
        **HANDSHAKE,  # type: ignore[arg-type]
    ) as opened:
        assert opened.recv(timeout=20)


def test_this_machine_needs_no_token(local: Served) -> None:
    assert urlsplit(local.address).hostname == '127.0.0.1'
    assert urlsplit(local.address).query == ''
    assert _get(local).status == 200
    _open(local)
    port = urlsplit(local.address).port
    _open(local, Origin=f'http://127.0.0.1:{port}')


@pytest.mark.parametrize('origin', ['http://example.org', 'http://127.0.0.1:1', 'null'])
def test_pages_of_other_origins_are_refused(local: Served, public: Served, origin: str) -> None:
    for served in (local, public):
        path = f'/?{urlsplit(served.address).query}'
        assert _get(served, path, Origin=origin).status == 403
        with pytest.raises(InvalidStatus) as refused:
            _open(served, path, Origin=origin)
        assert refused.value.response.status_code == 403


def test_a_foreign_name_that_points_here_is_refused(local: Served) -> None:
    assert _get(local, Host='example.org').status == 403
    assert _get(local, Host='localhost').status == 200


def test_other_machines_need_the_token(public: Served) -> None:
    assert len(urlsplit(public.address).query) > len('token=') + 20
    for path in ('/', '/?token=', '/?token=guessed', '/index.html?tok=1'):
        assert _get(public, path).status == 403
        with pytest.raises(InvalidStatus) as refused:
            _open(public, path)
        assert refused.value.response.status_code == 403


def test_the_token_is_remembered_as_a_cookie(public: Served) -> None:
    path = f'/?{urlsplit(public.address).query}&more=1'
    answer = _get(public, path)
    assert (answer.status, answer.headers['Location']) == (303, '/?more=1')
    cookie, *attributes = answer.headers['Set-Cookie'].split('; ')
    assert {'HttpOnly', 'SameSite=Lax'} <= set(attributes)
    assert _get(public, '/', Cookie=cookie).status == 200
    _open(public, Cookie=cookie)
    assert _get(public, '/', Cookie=f'{cookie}x').status == 403


def test_a_program_gives_the_token_with_its_handshake(public: Served) -> None:
    _open(public, f'/?{urlsplit(public.address).query}')


def test_only_get_is_answered(local: Served) -> None:
    assert _get(local, method='POST').status == 405
    assert _get(local, method='HEAD').status == 405


@pytest.mark.parametrize(
    'sent', [b'\r\n\r\n', b'nonsense\r\n\r\n', b'GET / HTTP/1.1\r\nx\r\n\r\n']
)
def test_what_is_no_request_is_refused(local: Served, sent: bytes) -> None:
    with socket.create_connection(('127.0.0.1', urlsplit(local.address).port or 0), 20) as raw:
        raw.sendall(sent + b'\r\n\r\n')
        assert raw.recv(100).startswith(b'HTTP/1.1 400')


def test_two_hosts_or_origins_are_no_request() -> None:
    assert read_head(b'GET / HTTP/1.1\r\nHost: a\r\n\r\n') is not None
    assert read_head(b'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n') is None
    assert read_head(b'GET / HTTP/1.1\r\nOrigin: a\r\norigin: b\r\n\r\n') is None
    assert read_head(b'GET / HTTP/1.1\r\nHost : a\r\n\r\n') is None


@pytest.mark.parametrize('target', ['//example.org/?token=t', 'http://example.org/?token=t'])
def test_the_token_leads_to_no_other_host(target: str) -> None:
    answer = Doorkeeper('t', 80).judge(Request('GET', target, {'host': 'robot:80'}))
    assert answer is not None
    location = next(line for line in answer.headers if line.startswith('Location'))
    assert location == 'Location: /'


def test_a_port_that_is_taken_is_said_in_one_line(local: Served) -> None:
    port = urlsplit(local.address).port
    with pytest.raises(ConfigError, match=f'^--port {port} is taken[^\n]*$'):
        serve(port=port)


def test_without_a_port_the_next_free_one_is_taken() -> None:
    first = serve()
    second = serve()
    try:
        ports = [urlsplit(each.address).port or 0 for each in (first, second)]
        assert PORT <= ports[0] < ports[1]
    finally:
        first.stop()
        second.stop()


def test_an_address_that_is_not_of_this_machine_is_said_in_one_line() -> None:
    with pytest.raises(ConfigError, match=r'^cannot listen at 192\.0\.2\.1, port 0: [^\n]+$'):
        serve('192.0.2.1', 0)
    with pytest.raises(ConfigError, match=r'^cannot listen at no\.such\.host\.invalid'):
        serve('no.such.host.invalid', 0)
