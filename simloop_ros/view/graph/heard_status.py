"""How a graph goes: paused, stopped, and what its nodes say of themselves."""

from __future__ import annotations

from collections import deque
from typing import Any

from ...ros.messages.safety_status import CONTROL, PLANT, SafetyStatus, origin

MEASURED_TIME = 1.0
"""Real time over which the speed is measured [s]."""
PLANNERS = ('motion_planner', 'admittance', 'bimanual')
OK, ERROR = b'\x00', b'\x02'
LATE, STEPS = 'late commands', 'steps'
"""Values of the plant's diagnostics."""


class GraphStatus:
    """Safety statuses and diagnostics of the nodes in one namespace.

    :param namespace: absolute; empty for none.
    """

    def __init__(self, namespace: str):
        self._start = f'{namespace}/'
        self._safety: dict[str, SafetyStatus] = {}
        self._said: dict[str, tuple[bytes, str, dict[str, str]]] = {}
        self._heard: deque[tuple[float, float]] = deque()

    def take_safety(self, status: SafetyStatus | None) -> None:
        """Take the status of a node."""
        if status is not None:
            self._safety[status.source] = status

    def take_diagnostics(self, message: Any) -> None:
        """Take what a node says of itself, if it is of this namespace."""
        for status in message.status:
            node = status.name.removeprefix(self._start)
            if node != status.name and '/' not in node:
                values = {item.key: item.value for item in status.values}
                self._said[node] = (status.level, status.message, values)

    def measure(self, now: float, time: float) -> None:
        """Note that the graph was at a time [s] at a real time [s]."""
        heard = self._heard
        if heard and time < heard[-1][1]:
            heard.clear()
        heard.append((now, time))
        while len(heard) > 2 and heard[1][0] < now - MEASURED_TIME:
            heard.popleft()

    @property
    def paused(self) -> bool:
        """Return whether the plant holds its time."""
        status = self._safety.get(PLANT)
        return status is not None and status.paused

    def stopped(self, source: str = '') -> bool:
        """Return whether a node says that the robot is stopped; any where none is named."""
        return any(
            bool(status.stopped) for name, status in self._safety.items() if source in ('', name)
        )

    @property
    def controlled(self) -> bool:
        """Return whether control says that the robot is free to move."""
        return CONTROL in self._safety and not self._safety[CONTROL].stopped

    def factor(self, now: float) -> float:
        """Return the simulated time per real time, measured over the last second."""
        if len(self._heard) < 2:
            return 0.0
        (begin, first), (_, last) = self._heard[0], self._heard[-1]
        return (last - first) / (now - begin) if now > begin else 0.0

    @property
    def late_share(self) -> float:
        """Return the share of the steps whose command was late, as the plant tells it."""
        values = self._said.get(PLANT, (OK, '', {}))[2]
        late, steps = values.get(LATE, '0'), values.get(STEPS, '0')
        if not (late.isdecimal() and steps.isdecimal()):
            return 0.0
        return int(late) / max(1, int(steps))

    @property
    def activity(self) -> str:
        """Return why the robot is stopped, else what is wrong, else what the planner does."""
        for status in self._safety.values():
            if status.stopped:
                source, reason = origin(status)
                return f'stopped by {source}: {reason}'
        wrong = [
            f'{node}: {message}'
            for node, (level, message, _) in self._said.items()
            if level >= ERROR
        ]
        planner = next((node for node in PLANNERS if node in self._said), '')
        return ' · '.join([*wrong, self._said[planner][1]] if planner else wrong)

    @property
    def braked(self) -> bool:
        """Return whether the plant says that its brakes hold."""
        return self.stopped(PLANT)
