"""The connection to the controller: one session, which any error ends."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
import errno
import os
import select
import socket
import time

from ..core.errors import LinkError, LinkFault, MessageError
from .config import LinkConfig
from .packet import LONGEST_ANSWER, Target, encode, refusal


class RobotStudioClient:
    """Sends targets one by one, each after the one before was acknowledged.

    After an error the position of the robot is not known, so nothing more is sent: each further
    call raises the same error. To start again make a new client, with a slow first move.

    Belongs to one thread; ``end`` may be called from any other.

    :ivar acknowledged: number of targets that the robot has reached.
    :ivar unreachable: why the last attempt to connect failed; empty if none has.
    """

    def __init__(self, config: LinkConfig):
        self._config = config
        self._address = f'{config.host}:{config.port}'
        self._socket: socket.socket | None = None
        self._inbox, self._outbox = socket.socketpair()
        self.sent = 0
        self.acknowledged = 0
        self.failure: LinkError | None = None
        self.unreachable = ''

    @property
    def connected(self) -> bool:
        """Return whether targets can be sent."""
        return self._socket is not None

    def connect(self) -> None:
        """Connect, within a bounded number of attempts.

        :raises LinkError: the controller cannot be reached.
        """
        with self._session():
            for attempt in range(self._config.attempts):
                if attempt:
                    self._wait(self._config.backoff * 2.0 ** (attempt - 1))
                self.unreachable = self._try_to_connect()
                if not self.unreachable:
                    return
            raise self._error(
                f'no connection in {self._config.attempts} attempts: {self.unreachable}; start '
                "the controller's program and check host and port",
                'unreachable',
            )

    def send(self, target: Target) -> None:
        """Send a target and return once the robot has reached it.

        :raises LinkError: there is no connection, or the controller refused the target, is silent,
            or sent a malformed answer.
        :raises UnsafeCommandError: the target does not fit a packet; it was not sent.
        """
        packet = encode(target)
        self.check()
        with self._session():
            self._send(packet)
            self.sent += 1
            answer = self._answer(target.time + self._config.answer_timeout)
            try:
                reason = refusal(answer)
            except MessageError as error:
                raise self._error(f'malformed answer: {error}', 'malformed') from error
            if reason:
                raise self._error(f'the controller refused the target: {reason}', 'rejected')
            self.acknowledged += 1

    def check(self) -> None:
        """Check, without waiting, that the connection is there and no data has arrived.

        :raises LinkError: it is not, or some has.
        """
        with self._session():
            if self._socket is None:
                raise self._error('not connected: call connect first', 'unreachable')
            if self._wait(0.0, reading=True):
                data = self._receive()
                raise self._error(f'unexpected data: {data!r}', 'malformed')

    def end(self) -> None:
        """End the session, from any thread: a call that waits in another raises a LinkError."""
        with suppress(OSError):
            self._outbox.send(b'.')

    def close(self) -> None:
        """Close the connection; a second call does nothing."""
        for each in (self._socket, self._inbox, self._outbox):
            if each is not None:
                each.close()
        self._socket = None
        if self.failure is None:
            self.failure = self._error('the session was closed', 'ended')

    def __enter__(self) -> RobotStudioClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _session(self) -> Iterator[None]:
        """Close the connection on any error and keep it; raise it again if there was one."""
        if self.failure is not None:
            raise self.failure
        try:
            yield
        except LinkError as error:
            self.failure = error
            self.close()
            raise
        except OSError as error:
            self.failure = self._error(f'the connection dropped: {_reason(error)}', 'dropped')
            self.close()
            raise self.failure from error
        except BaseException:
            self.close()  # interrupted in the middle of an answer
            raise

    def _error(self, message: str, fault: LinkFault) -> LinkError:
        return LinkError(f'{self._address}: {message}', fault)

    def _try_to_connect(self) -> str:
        """Try each address of the host once; return why none can be reached, or nothing."""
        reason = 'no address'
        try:
            found = socket.getaddrinfo(
                self._config.host, self._config.port, type=socket.SOCK_STREAM
            )
        except (OSError, UnicodeError) as error:
            return f'the host is not known: {_reason(error)}'
        for family, kind, protocol, _, address in found:
            line = socket.socket(family, kind, protocol)
            try:
                line.setblocking(False)
                line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                number = line.connect_ex(address)
                if number == errno.EINPROGRESS:
                    if self._wait(self._config.connect_timeout, line, writing=True):
                        number = line.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
                    else:
                        number = errno.ETIMEDOUT
                if not number:
                    self._socket = line
                    return ''
                reason = os.strerror(number)
            except OSError as error:
                reason = _reason(error)
            finally:
                if self._socket is not line:
                    line.close()
        return reason

    def _send(self, packet: bytes) -> None:
        assert self._socket is not None
        while packet:
            if not self._wait(self._config.answer_timeout, writing=True):
                raise self._error('the connection takes no data', 'silent')
            packet = packet[self._socket.send(packet) :]

    def _answer(self, seconds: float) -> bytes:
        """Return the line that comes within a time [s]."""
        deadline = time.monotonic() + seconds
        answer = b''
        while not answer.endswith(b'\n'):
            if not self._wait(deadline - time.monotonic(), reading=True):
                got = f'only {answer!r}' if answer else 'nothing'
                raise self._error(f'no answer within {seconds:g} s, {got}', 'silent')
            answer += self._receive(answer)
            if b'\n' in answer[:-1] or len(answer) > LONGEST_ANSWER:
                raise self._error(
                    f'malformed answer: {answer[:LONGEST_ANSWER]!r} is not one line', 'malformed'
                )
        return answer

    def _receive(self, so_far: bytes = b'') -> bytes:
        """Return the data that has arrived; the end of the connection is an error."""
        assert self._socket is not None
        data = self._socket.recv(LONGEST_ANSWER + 1)
        if not data:
            got = f' in the middle of an answer, after {so_far!r}' if so_far else ''
            raise self._error(f'the connection dropped: closed by the controller{got}', 'dropped')
        return data

    def _wait(
        self,
        seconds: float,
        line: socket.socket | None = None,
        *,
        reading: bool = False,
        writing: bool = False,
    ) -> bool:
        """Return whether a socket became ready within a time [s].

        :param line: that of the session if none is given; without reading and writing time passes.
        :raises LinkError: the session was ended meanwhile.
        """
        line = line or self._socket
        waited = [line] if line else []
        readable, writable, _ = select.select(
            [self._inbox, *(waited if reading else [])],
            waited if writing else [],
            [],
            max(0.0, seconds),
        )
        if self._inbox in readable:
            raise self._error('the session was ended', 'ended')
        return bool(readable or writable)


def _reason(error: Exception) -> str:
    return str(getattr(error, 'strerror', None) or error)
