"""The collision monitor as a node: the two signs of 000, section 7.1."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
import numpy as np
from std_srvs.srv import Trigger

from ..loop.run import load_fit_robot
from ..model import RobotConfig
from ..ros.block_node import BlockNode, Report
from ..ros.joint_state import DecodedJointState
from ..ros.process import main_of
from ..ros.qos import RECORD_DEPTH
from ..ros.rows import RowJoiner
from ..values import Array

NAME = 'collision_monitor'


class CollisionMonitorNode(BlockNode):
    """Tells what the control simulation cannot explain.

    ``external_torque``: in ``effort`` the torque from outside, tau' - tau [N m], the force
    difference of 000 with the sign of the one who pushes; in ``position`` the position
    difference q - q_d [rad]. The stamp is that of the control state.
    """

    SECTIONS = {'robot': RobotConfig}

    def build(self) -> None:
        """Create publisher and subscriptions."""
        names = load_fit_robot(self.config(RobotConfig, 'robot')).joint_names
        self._external = self.publish_joints('external_torque', names, ('position', 'effort'))
        for topic, fields in (
            ('effort_command', ('position', 'effort')),
            ('control_state', ('position', 'effort')),
        ):
            self.subscribe_joints(
                topic,
                names,
                fields,
                self._taker(topic),
                RECORD_DEPTH,
                polled=not self.graph.realtime,  # there each message counts
            )
        self._rows = RowJoiner(
            'control_state',
            ('effort_command',),
            (),
            self.graph.period,
            window=RECORD_DEPTH,
            realtime=self.graph.realtime,
        )
        self.service(Trigger, 'reset', self._serve_reset)
        self._clear(len(names))

    def missing(self) -> Iterable[tuple[str, int]]:
        """Return what the next signs need."""
        return self._rows.missing()

    def _clear(self, n: int) -> None:
        self._largest_torque: Array = np.zeros(n)
        self._largest_distance: Array = np.zeros(n)

    def gaps(self) -> Iterable[tuple[str, int]]:
        """Return what got lost."""
        return self._rows.gaps()

    def _taker(self, topic: str) -> Any:
        def take(message: DecodedJointState) -> None:
            self._rows.add(topic, message.stamp, message)
            if topic == 'control_state':
                for command, state in self._rows.complete():
                    self._tell(command, state)

        return take

    def _tell(self, command: DecodedJointState, state: DecodedJointState) -> None:
        distance = state.position - command.position
        torque = state.effort - command.effort
        self._external.send(state.stamp, distance, torque)
        np.maximum(self._largest_torque, np.abs(torque), out=self._largest_torque)
        np.maximum(self._largest_distance, np.abs(distance), out=self._largest_distance)

    def _serve_reset(self, _: Any) -> str:
        self._clear(self._largest_torque.size)
        return 'the largest differences are counted anew'

    def report(self) -> Report:
        """Return the largest differences so far."""
        return Report(
            DiagnosticStatus.OK,
            'watching',
            {
                'largest external torque [N m]': f'{self._largest_torque.max():.6g}',
                'largest position difference [rad]': f'{self._largest_distance.max():.6g}',
                'steps': self._rows.rows,
                'incomplete steps': self._rows.dropped,
            },
        )


main = main_of(CollisionMonitorNode, NAME)

if __name__ == '__main__':
    raise SystemExit(main())
