"""Two arms on one object as a node: wrist wrenches in, path corrections out."""

from __future__ import annotations

from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus

from ..bimanual.planner import STOPPED, BimanualPlanner
from ..core.errors import ConfigError, SimloopError
from ..core.values import Array, Setpoint
from ..planning.config import PlannerConfig
from ..record.hands_log import correction_row
from ..ros.messages.wrists import (
    CORRECTIONS,
    WRENCHES,
    WristDrivers,
    by_hand,
    hand_axes,
    listen_to_drivers,
)
from ..ros.node.block_node import Report
from ..ros.node.config import SensingConfig
from ..ros.node.process import main_of
from ..ros.transport.qos import STREAM_DEPTH
from .motion_planner import MotionPlannerNode

NAME = 'bimanual'


class BimanualNode(MotionPlannerNode):
    """A planner of two hands, 003: it takes the planner's place.

    It answers each control state with the joints of paths that are corrected by the internal force
    in the object, and tells the corrections. A sensor that tells nothing for ``safety.timeout``
    periods is lost: both arms stop. With the service ``start`` they go on after a collision; not
    after they stopped by themselves, nor after a stop of the control simulation, unless the robot
    is home again.
    """

    SECTIONS = {**MotionPlannerNode.SECTIONS, 'sensing': SensingConfig}
    FEELS = WRENCHES
    AHEAD = False  # nobody knows what the hands will feel
    SILENCE = 'nothing comes; both arms stop'

    def build(self) -> None:
        """Refuse to start without two hands."""
        kind = self.config(PlannerConfig, 'planner').kind
        if kind != 'bimanual':
            raise ConfigError(
                f'planner.kind: {kind} is not for two hands; give bimanual, or start '
                'motion_planner instead'
            )
        super().build()
        self._waits = False
        self._drivers: WristDrivers | None = None
        self._axes = hand_axes(self._model.tips)
        self._corrections = self.publish_joints(CORRECTIONS, self._axes, ('position',))
        if self.config(SensingConfig, 'sensing').drivers:
            self._drivers = listen_to_drivers(
                self,
                self._model.sensors,
                lambda stamp, word: self._on_word(WRENCHES, stamp, word),
            )
            self._felt = ', '.join(self._drivers.topics)
        else:
            self.subscribe_joints(
                WRENCHES,
                self._axes,
                ('effort',),
                lambda message: self._on_word(WRENCHES, message.stamp, by_hand(message.effort)),
                1 if self.graph.realtime else STREAM_DEPTH,
                finite=False,  # a lost sensor reads NaN
            )

    @property
    def _planner(self) -> BimanualPlanner:
        planner = self._guide.planner
        assert isinstance(planner, BimanualPlanner)
        return planner

    def send(self, stamp: int, wanted: Setpoint) -> None:
        """Send what is wanted, and by how much it was corrected."""
        super().send(stamp, wanted)
        planner = self._planner
        row = correction_row(planner.correction).ravel()
        doing = planner.doing if self._hold is None else STOPPED
        self._corrections.send(stamp, row, frame_id=doing)

    def _plan_first(self, position: Array) -> None:
        """Plan only once the sensors have told something."""
        self._waits = self._feelings.at(self._stamp).wrenches is None
        if not self._waits:
            super()._plan_first(position)

    async def _serve_start(self, request: Any) -> str:
        moving = self._guide.start is not None and not self._holding
        if moving and not self._guide.reaction and self._planner.halted:
            raise SimloopError(
                f'both arms have stopped: {self._planner.halted}; take the object out of the '
                'hands, bring the robot home, and start the node again'
            )
        return await super()._serve_start(request)

    def report(self) -> Report:
        """Return what the hands do, and how hard they press."""
        report = super().report()
        if self._guide.start is None:
            if report.level == DiagnosticStatus.OK and self._waits:
                unheard = ', '.join(self._drivers.unheard) if self._drivers else ''
                text = f'waits for {unheard or self._felt}: hands that feel nothing do not set out'
                return Report(DiagnosticStatus.WARN, text, report.values)
            return report
        planner = self._planner
        contact = planner.contact
        values = {**report.values, 'task': planner.task}
        if contact is not None:
            values['internal force [N]'] = f'{contact.squeeze:.3g}'
        if report.level == DiagnosticStatus.OK and planner.halted:
            return Report(DiagnosticStatus.ERROR, f'stopped: {planner.halted}', values)
        return Report(report.level, report.message, values)


main = main_of(BimanualNode, NAME)

if __name__ == '__main__':
    raise SystemExit(main())
