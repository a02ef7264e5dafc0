"""The line to a controller: all goes well, or there is a clear error and nothing more is sent."""

from __future__ import annotations

from collections.abc import Callable
import math
import socket
import threading
import time
from typing import Any

import pytest
from robotstudio_server import RobotStudioServer

from simloop_ros.core.errors import LinkError, UnsafeCommandError
from simloop_ros.robotstudio.client import RobotStudioClient
from simloop_ros.robotstudio.config import LinkConfig
from simloop_ros.robotstudio.packet import PACKET_SIZE, Target, encode

Quick = Callable[..., LinkConfig]
Start = Callable[..., Any]
HERE = Target((1.0, 2.0, 3.0, 4.0, 5.0, 6.0), 0.01)
THERE = Target((1.5, 2.5, 3.5, 4.5, 5.5, 6.5), 0.01)


def test_targets_arrive_in_order_and_are_acknowledged(
    server: RobotStudioServer, quick: Quick
) -> None:
    targets = [Target((float(i),) * 6, 0.01) for i in range(20)]
    with RobotStudioClient(quick(server.port)) as client:
        client.connect()
        for i, target in enumerate(targets):
            client.send(target)
            assert client.acknowledged == client.sent == i + 1
            assert server.targets == targets[: i + 1]


def test_the_next_target_waits_for_the_answer(script: Start, quick: Quick) -> None:
    controller = script(b'OK\n', [b'O', b'K\n'], b'OK\n')  # also one that comes in pieces
    with RobotStudioClient(quick(controller.port)) as client:
        client.connect()
        for target in (HERE, THERE, HERE):
            client.send(target)
    controller.close()
    assert controller.early == 0
    assert controller.heard == encode(HERE) + encode(THERE) + encode(HERE)


FAULTS = {
    'drops the line mid-move': ('drop', 'dropped', 'closed by the controller'),
    'breaks the line mid-move': ('reset', 'dropped', 'the connection dropped: Connection reset'),
    'never answers': ('silence', 'silent', 'no answer within 0.41 s, nothing'),
    'answers nonsense': (b'hello\n', 'malformed', r"b'hello\\n' is neither OK nor ERROR"),
    'answers bytes': (b'\x00\xff\x17\n', 'malformed', 'neither OK nor ERROR'),
    'answers without end': (b'x' * 500, 'malformed', 'is not one line'),
    'answers half': (b'O', 'silent', "only b'O'"),
    'drops the line mid-answer': ([b'O', 'drop'], 'dropped', "of an answer, after b'O'"),
    'answers twice': (b'OK\nOK\n', 'malformed', 'is not one line'),
    'answers as HTTP': (b'HTTP/1.1 400 Bad Request\r\n\r\n', 'malformed', 'not one line'),
    'refuses': (b'ERROR joint 3 out of range\n', 'rejected', 'refused .*: joint 3 out of range'),
}


@pytest.mark.parametrize('name', FAULTS)
def test_after_a_fault_nothing_is_sent(script: Start, quick: Quick, name: str) -> None:
    answer, fault, words = FAULTS[name]
    controller = script(b'OK\n', answer)
    client = RobotStudioClient(quick(controller.port))
    client.connect()
    client.send(HERE)
    with pytest.raises(LinkError, match=words) as caught:
        client.send(THERE)
    assert caught.value.fault == fault
    assert str(caught.value).startswith(f'127.0.0.1:{controller.port}: ')
    assert (client.sent, client.acknowledged, client.connected) == (2, 1, False)
    for again in (client.connect, client.check, lambda: client.send(HERE)):
        with pytest.raises(LinkError) as later:
            again()
        assert later.value is caught.value
    controller.close()
    assert len(controller.heard) == 2 * PACKET_SIZE


def test_who_speaks_unasked_gets_no_target(quick: Quick) -> None:
    with socket.create_server(('127.0.0.1', 0)) as listener:
        client = RobotStudioClient(quick(listener.getsockname()[1]))
        client.connect()
        line, _ = listener.accept()
        line.sendall(b'OK\n')
        line.close()
        with pytest.raises(LinkError, match=r"unexpected data: b'OK\\n'"):
            client.send(HERE)
        assert client.sent == 0


def test_a_line_that_dropped_between_two_targets(quick: Quick) -> None:
    with socket.create_server(('127.0.0.1', 0)) as listener:
        client = RobotStudioClient(quick(listener.getsockname()[1]))
        client.connect()
        client.check()
        listener.accept()[0].close()
        with pytest.raises(LinkError, match='closed by the controller'):
            client.send(HERE)
        assert client.sent == 0


def test_nobody_listens(free_port: int, quick: Quick) -> None:
    client = RobotStudioClient(quick(free_port, attempts=3, backoff=0.05))
    begin = time.monotonic()
    with pytest.raises(LinkError, match='in 3 attempts: Connection refused; start the') as caught:
        client.connect()
    assert caught.value.fault == 'unreachable'
    assert time.monotonic() - begin >= 0.05 + 0.1
    with pytest.raises(LinkError, match='3 attempts'):
        client.send(HERE)
    assert client.sent == 0


def test_nobody_accepts(quick: Quick) -> None:
    """The queue of the listener is full, so that nothing comes back at all."""
    with socket.socket() as listener, socket.socket() as first, socket.socket() as second:
        listener.bind(('127.0.0.1', 0))
        listener.listen(0)
        for each in (first, second):
            each.setblocking(False)
            each.connect_ex(listener.getsockname())
        client = RobotStudioClient(quick(listener.getsockname()[1], attempts=1))
        begin = time.monotonic()
        with pytest.raises(LinkError, match='timed out'):
            client.connect()
        assert 0.2 <= time.monotonic() - begin < 2.0


@pytest.mark.parametrize('host', ['no.such.host.invalid', '', 'x' * 100, 'a..b'])
def test_a_host_that_nobody_knows(host: str) -> None:
    config = LinkConfig(host=host, attempts=1)
    with pytest.raises(LinkError, match='the host is not known'):
        RobotStudioClient(config).connect()


def test_a_controller_that_comes_late_is_found(free_port: int, quick: Quick) -> None:
    opened: list[socket.socket] = []

    def listen() -> None:
        opened.append(socket.create_server(('127.0.0.1', free_port)))

    timer = threading.Timer(0.1, listen)
    timer.start()
    with RobotStudioClient(quick(free_port, attempts=8)) as client:
        client.connect()
        assert client.connected
    timer.join()
    opened[0].close()


def test_without_a_connection_nothing_is_sent(quick: Quick) -> None:
    with pytest.raises(LinkError, match='call connect first'):
        RobotStudioClient(quick(1025)).send(HERE)


def test_a_target_that_does_not_fit_is_not_sent_and_ends_nothing(
    server: RobotStudioServer, quick: Quick
) -> None:
    with RobotStudioClient(quick(server.port)) as client:
        client.connect()
        with pytest.raises(UnsafeCommandError):
            client.send(Target((math.nan,) * 6, 1.0))
        client.send(HERE)
    assert server.targets == [HERE]


@pytest.mark.parametrize('where', ['answer', 'backoff'])
def test_another_thread_ends_the_session(
    script: Start, quick: Quick, free_port: int, where: str
) -> None:
    if where == 'answer':
        client = RobotStudioClient(quick(script('silence').port, answer_timeout=60.0))
        client.connect()
        call: Callable[[], None] = lambda: client.send(HERE)  # noqa: E731
    else:
        client = RobotStudioClient(quick(free_port, backoff=60.0))
        call = client.connect
    timer = threading.Timer(0.1, client.end)
    timer.start()
    begin = time.monotonic()
    with pytest.raises(LinkError, match='the session was ended'):
        call()
    assert time.monotonic() - begin < 5.0
    timer.join()
    client.end()  # once more does no harm


def test_who_starts_anew_goes_on(script: Start, server: RobotStudioServer, quick: Quick) -> None:
    broken = RobotStudioClient(quick(script('drop').port))
    broken.connect()
    with pytest.raises(LinkError):
        broken.send(HERE)
    with RobotStudioClient(quick(server.port)) as client:
        client.connect()
        client.send(HERE)
    assert server.targets == [HERE]
