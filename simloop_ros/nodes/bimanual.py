"""Two arms on one object as a node: wrist wrenches in, path corrections out."""

from __future__ import annotations

from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus

from ..bimanual.planner import STOPPED, BimanualPlanner
from ..core.errors import ConfigError, SimloopError
from ..core.values import Setpoint
from ..planning.config import PlannerConfig
from ..record.hands_log import correction_row
from ..ros.messages.wrists import CORRECTIONS, WRENCHES, by_hand, hand_axes
from ..ros.node.block_node import Report
from ..ros.node.inputs import WristReadings, read_wrist_drivers
from ..ros.node.process import main_of
from ..ros.pacing.config import SensingConfig
from ..ros.pacing.motion_pace import RealtimeMotion
from .motion_planner import MotionPlannerNode


class BimanualNode(MotionPlannerNode):
    """A planner of two hands, 003; it replaces ``motion_planner``.

    Its setpoints follow paths that are corrected by the internal force in the object; it publishes
    the corrections. A sensor without a reading for ``safety.timeout`` periods, in real time, is
    lost: both arms stop. With the service ``start`` they go on after a collision; not after they
    stopped by themselves, nor after a stop of the control simulation, unless the robot is home
    again.
    """

    SECTIONS = {**MotionPlannerNode.SECTIONS, 'sensing': SensingConfig}
    FORCE_TOPIC = WRENCHES
    RUNS_AHEAD = False  # the wrenches are not known in advance
    SILENCE = 'no messages; both arms stop'

    def build(self) -> None:
        """Refuse to start without two hands."""
        kind = self.config(PlannerConfig, 'planner').kind
        if kind != 'bimanual':
            raise ConfigError(
                f'planner.kind: {kind} is not for two hands; give bimanual, or start '
                'motion_planner instead'
            )
        super().build()
        self._drivers: WristReadings | None = None
        axes = hand_axes(self._model.tips)
        self._corrections = self.topics.publish_joints(CORRECTIONS, axes, ('position',))
        if self.config(SensingConfig, 'sensing').drivers:
            self._drivers = read_wrist_drivers(
                self,
                self._model.sensors,
                lambda stamp, wrenches: self.add_input(WRENCHES, stamp, wrenches),
            )
            self._force_source = ', '.join(self._drivers.topics)
        else:
            self.topics.subscribe_joints(
                WRENCHES,
                axes,
                ('effort',),
                lambda message: self.add_input(WRENCHES, message.stamp, by_hand(message.effort)),
                finite=False,  # a lost sensor reads NaN
            )

    @property
    def _waits_for_wrenches(self) -> bool:
        return isinstance(self._pace, RealtimeMotion) and self._pace.waits_for_wrenches

    @property
    def _planner(self) -> BimanualPlanner:
        planner = self.guide.planner
        assert isinstance(planner, BimanualPlanner)
        return planner

    def send(self, stamp: int, setpoint: Setpoint) -> None:
        """Send the setpoint, and by how much it was corrected."""
        super().send(stamp, setpoint)
        if setpoint.predicted:
            return
        planner = self._planner
        row = correction_row(planner.correction).ravel()
        activity = planner.doing if self.hold.position is None else STOPPED
        self._corrections.send(stamp, row, frame_id=activity)

    async def _serve_start(self, request: Any) -> str:
        moving = self.guide.start is not None and not self.hold.active
        if moving and not self.guide.reaction and self._planner.halted:
            raise SimloopError(
                f'both arms have stopped: {self._planner.halted}; take the object out of the '
                'hands, bring the robot home, and start the node again'
            )
        return await super()._serve_start(request)

    def report(self) -> Report:
        """Return what the hands do, and how hard they press."""
        report = super().report()
        if self.guide.start is None:
            if report.level == DiagnosticStatus.OK and self._waits_for_wrenches:
                missing = ', '.join(self._drivers.missing) if self._drivers else ''
                text = f'waits for {missing or self._force_source}: no motion without sensors'
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


main = main_of(BimanualNode, 'bimanual')

if __name__ == '__main__':
    raise SystemExit(main())
