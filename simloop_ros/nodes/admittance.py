"""Hand guiding as a node: the robot gives way, by 001 (2) or as 000 does."""

from __future__ import annotations

from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
import msgspec
import numpy as np
from std_srvs.srv import SetBool
from visualization_msgs.msg import MarkerArray

from ..core.errors import ConfigError, SimloopError
from ..guiding.config import AdmittanceConfig
from ..guiding.tip_masses import TipMasses
from ..planning.config import PlannerConfig
from ..ros.messages.markers import MARKER_PERIOD, MarkerSet, mass_markers
from ..ros.node.block_node import Report
from ..ros.node.process import main_of
from ..ros.transport.qos import EVENTS
from .motion_planner import MotionPlannerNode

NAME = 'admittance'


class AdmittanceNode(MotionPlannerNode):
    """A planner whose robot gives way to the torque from outside: joint admittance, 001 (2).

    Takes the planner's place. With ``planner.kind`` ``guiding`` it is 000, section 6.1.4, instead:
    no desired velocity, the position taken from the robot. With the service ``enable`` guiding is
    switched off, which brings the robot to rest and holds it there, and on again: it is led from
    there on. Torques that do not come for ``safety.timeout`` periods are taken for no touch.
    """

    AHEAD = False  # nobody knows where the hand will be
    SILENCE = 'nothing comes; taken for no touch'

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
        self._markers = self.publisher(MarkerArray, 'markers', EVENTS)
        self._shown = MarkerSet()

    def begin(self) -> None:
        """Show how heavy the tips are, 20 times a second."""
        super().begin()
        self.every(MARKER_PERIOD, self._publish_markers)

    def check_live(self, config: msgspec.Struct) -> None:
        """Refuse an effective mass that nobody can compute, too."""
        super().check_live(config)
        if isinstance(config, AdmittanceConfig):
            TipMasses(self._model, config)

    def apply_live(self) -> None:
        """Take over how the robot gives way, and which effective mass is shown."""
        super().apply_live()
        self._masses = TipMasses(self._model, self.config(AdmittanceConfig, 'admittance'))

    def _publish_markers(self) -> None:
        position = self._guide.position
        if position is None or not self._markers.get_subscription_count():
            return
        masses, model = self._masses, self._model
        tips, elbows = (
            np.array([pose.translation for pose in model.frame_poses(position, links)])
            for links in (masses.tips, masses.elbows)
        )
        markers = mass_markers(masses.hints(position), masses.direction, tips, elbows, model.base)
        self._markers.publish(self._shown.message(markers))

    def add_services(self) -> None:
        """Create the services."""
        super().add_services()
        self.service(SetBool, 'enable', self._serve_enable)

    async def _serve_enable(self, request: Any) -> str:
        guide = self._guide
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
            if self.graph.realtime:
                motion: Any = await self.beside(lambda: guide.motion_from(held))
            else:
                motion = guide.motion_from(held)
            if guide.held is not None:
                guide.go_on(motion, held)
        return 'guiding'

    def report(self) -> Report:
        """Return whether the robot can be guided, and which torques were not believed."""
        report, faults = super().report(), self._guide.faults
        values = {
            **report.values,
            'torques that were not finite': faults.not_finite,
            'torques cut to the effort limit': faults.bounded,
            'torques of a stuck sensor': faults.stuck,
        }
        level, message = report.level, report.message
        count = faults.not_finite + faults.bounded + faults.stuck
        if level == DiagnosticStatus.OK:
            message = 'guiding' if self._guide.held is None else 'switched off: holding'
            if self._feelings.silent:
                level, message = DiagnosticStatus.WARN, f'{self._feelings.silent}: {self.SILENCE}'
            elif count > self._reported:
                level = DiagnosticStatus.WARN
                message = f'{count - self._reported} external torques were not believed'
        self._reported = count
        return Report(level, message, values)


main = main_of(AdmittanceNode, NAME)

if __name__ == '__main__':
    raise SystemExit(main())
