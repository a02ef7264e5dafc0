"""Hand guiding as a node: the robot gives way, by 001 (2) or as 000 does."""

from __future__ import annotations

from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from std_srvs.srv import SetBool

from ..errors import ConfigError
from ..guiding.config import AdmittanceConfig
from ..planning.config import PlannerConfig
from ..reaction.wanted import Wanted
from ..ros.block_node import Report
from ..ros.process import main_of
from ..ros.wishes import send_wanted
from ..values import JointState
from .motion_planner import MotionPlannerNode

NAME = 'admittance'


class AdmittanceNode(MotionPlannerNode):
    """A planner whose robot gives way to the torque from outside: joint admittance, 001 (2).

    Takes the planner's place. With ``planner.kind`` ``guiding`` it is 000, section 6.1.4, instead:
    no desired velocity, the position taken from the robot. With the service ``enable`` guiding is
    switched off, which holds the robot where it is, and on again.
    """

    def build(self) -> None:
        """Start with guiding switched on."""
        kind = self.config(PlannerConfig, 'planner').kind
        if kind != 'guiding' and not self.config(AdmittanceConfig, 'admittance').guides:
            raise ConfigError(
                f'admittance.source: none, and planner.kind is {kind}: nothing guides the robot; '
                'give a source, or start motion_planner instead'
            )
        self._enabled = True
        self._last: Wanted | None = None
        super().build()

    def add_services(self) -> None:
        """Create the services."""
        super().add_services()
        self.service(SetBool, 'enable', self._serve_enable)

    def _next(self, stamp: int, state: JointState) -> Wanted:
        """Return where the hand leads the robot, at rest there."""
        if self._enabled or self._last is None or self._hold is not None:
            self._last = super()._next(stamp, state)
        return self._last

    def _answer_now(self, stamp: int, state: JointState) -> None:
        """Send one answer per state: nobody knows where the hand will be."""
        send_wanted(self._desired, stamp, self._next(stamp, state))

    def _serve_enable(self, request: Any) -> str:
        if request.data and not self._enabled and self._last is not None:
            self._guide.plan(self._last.position)
        self._enabled = bool(request.data)
        return 'guiding' if self._enabled else 'holding the robot where it is'

    def report(self) -> Report:
        """Return whether the robot can be guided."""
        report = super().report()
        if report.level == DiagnosticStatus.OK:
            message = 'guiding' if self._enabled else 'switched off: holding'
            return Report(report.level, message, report.values)
        return report


main = main_of(AdmittanceNode, NAME)

if __name__ == '__main__':
    raise SystemExit(main())
