"""A planner around a planner: the robot yields to external torques, 001 (2)."""

from __future__ import annotations

from ..core.state import Remembering
from ..core.values import ExternalInputs, JointState, PlannerReport, Setpoint
from ..guiding.guidance import Guidance
from ..planning.planner import Planner


class Guided(Remembering, Planner):
    """The setpoints of a planner plus the deflection ``e`` of 001 (2).

    The planner gets the control state without ``e``. A setpoint with an effort is passed on as it
    is.
    """

    _remembered = ('planner', 'guidance')

    def __init__(self, planner: Planner, guidance: Guidance):
        self.planner = planner
        self.guidance = guidance

    @property
    def expected(self) -> JointState:
        """Return the expected state without deflection."""
        return self.planner.expected

    @property
    def report(self) -> PlannerReport | None:
        """Return the planner's report."""
        return self.planner.report

    def step(self, control: JointState, inputs: ExternalInputs) -> Setpoint:
        """Return the setpoint of the next step."""
        setpoint = self.planner.step(self.undeflected(control), inputs)
        if setpoint.effort is not None:
            return setpoint
        deflected = self.guidance.step(setpoint.position, inputs.torque)
        velocity = setpoint.velocity + deflected.velocity
        return Setpoint(deflected.position, velocity, restart=setpoint.restart)

    def coast(
        self, control: JointState, inputs: ExternalInputs, steps: int, way: float, rate: float
    ) -> Setpoint:
        """Go on for some steps that were not seen; return the setpoint of the last one.

        The deflection coasts, see ``Guidance``.
        """
        expected = self.planner.expected
        setpoint = Setpoint(expected.position, expected.velocity)
        for _ in range(steps):
            setpoint = self.planner.step(self.undeflected(control), inputs)
        if setpoint.effort is not None:
            return setpoint
        self.guidance.coast(setpoint.position, steps, way, rate)
        e = self.guidance.deflection
        velocity = setpoint.velocity + e.velocity
        return Setpoint(setpoint.position + e.position, velocity, restart=setpoint.restart)

    def undeflected(self, control: JointState) -> JointState:
        """Return the control state without the deflection."""
        e = self.guidance.deflection
        return JointState(control.position - e.position, control.velocity - e.velocity)
