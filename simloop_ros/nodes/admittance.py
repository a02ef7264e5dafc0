"""Hand guiding as a node: joint admittance by 001 (2), or hand guiding by 000."""

from __future__ import annotations

from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
import msgspec
import numpy as np
from std_srvs.srv import SetBool

from ..core.errors import ConfigError, SimloopError
from ..guiding.config import AdmittanceConfig
from ..guiding.tip_masses import TipMasses
from ..planning.config import PlannerConfig
from ..ros.messages.markers import MARKER_PERIOD, mass_markers
from ..ros.node.block_node import Report
from ..ros.node.marker_topic import MarkerTopic
from ..ros.node.process import main_of
from .motion_planner import MotionPlannerNode


class AdmittanceNode(MotionPlannerNode):
    """A planner with joint admittance to the external torque, 001 (2).

    It replaces ``motion_planner``. With ``planner.kind`` ``guiding`` it is 000, section 6.1.4,
    instead: no desired velocity, the position taken from the robot. The service ``enable``
    switches guiding off, which brings the robot to rest and holds it there, and on again from
    there. Without a torque for ``safety.timeout`` periods, in real time, it is taken as zero.
    """

    RUNS_AHEAD = False  # the hand's motion is not known in advance
    SILENCE = 'no messages; taken as zero torque'

    def build(self) -> None:
        """Refuse to start if nothing guides the robot."""
        kind = self.config(PlannerConfig, 'planner').kind
        if kind != 'guiding' and not self.config(AdmittanceConfig, 'admittance').guides:
            raise ConfigError(
                f'admittance.source: none, and planner.kind is {kind}: nothing guides the robot; '
                'give a source, or start motion_planner instead'
            )
        self._reported = 0
        super().build()
        self._masses = TipMasses(self._model, self.config(AdmittanceConfig, 'admittance'))
        self._markers = MarkerTopic(self)
        self.service(SetBool, 'enable', self._serve_enable)

    def begin(self) -> None:
        """Publish the effective masses of the tips, 20 times a second."""
        super().begin()
        self.every(MARKER_PERIOD, self._publish_markers)

    def check_live(self, config: msgspec.Struct) -> None:
        """Refuse an effective mass that cannot be computed, too."""
        super().check_live(config)
        if isinstance(config, AdmittanceConfig):
            TipMasses(self._model, config)

    def apply_live(self) -> None:
        """Take over the admittance, and which effective mass is shown."""
        super().apply_live()
        self._masses = TipMasses(self._model, self.config(AdmittanceConfig, 'admittance'))

    def _publish_markers(self) -> None:
        position = self.guide.position
        if position is None or not self._markers.wanted:
            return
        masses, model = self._masses, self._model
        tips, elbows = (
            np.array([pose.translation for pose in model.frame_poses(position, links)])
            for links in (masses.tips, masses.elbows)
        )
        self._markers.show(
            mass_markers(masses.hints(position), masses.direction, tips, elbows, model.base)
        )

    async def _serve_enable(self, request: Any) -> str:
        guide = self.guide
        if guide.start is None:
            raise SimloopError('the robot is not guided yet: try again')
        if guide.reaction:
            raise SimloopError('the robot reacts to a collision: call the service start first')
        if not request.data:
            if guide.held is None:
                guide.hold()
            return 'holding the robot where it is'
        held = guide.held
        if held is not None:
            motion = await self._pace.plan(held)
            if guide.held is not None:
                guide.go_on(motion)
        return 'guiding'

    def report(self) -> Report:
        """Return whether the robot can be guided, and which torques were rejected."""
        report, faults = super().report(), self.guide.faults
        values = {
            **report.values,
            'torques that were not finite': faults.not_finite,
            'torques cut to the effort limit': faults.bounded,
            'torques of a stuck sensor': faults.stuck,
        }
        level, message = report.level, report.message
        count = faults.not_finite + faults.bounded + faults.stuck
        if level == DiagnosticStatus.OK:
            message = 'guiding' if self.guide.held is None else 'switched off: holding'
            if self.inputs.silent:
                level, message = DiagnosticStatus.WARN, f'{self.inputs.silent}: {self.SILENCE}'
            elif count > self._reported:
                level = DiagnosticStatus.WARN
                message = f'{count - self._reported} external torques were rejected'
        self._reported = count
        return Report(level, message, values)


main = main_of(AdmittanceNode, 'admittance')

if __name__ == '__main__':
    raise SystemExit(main())
