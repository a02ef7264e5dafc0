"""The gate: no tolerance, no way round, and the command that it refuses is named."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
import msgspec
import numpy as np
import pytest

from simloop_ros.core.errors import ConfigError, UnsafeCommandError
from simloop_ros.core.values import JointState
from simloop_ros.plants.pinocchio_plant import PinocchioPlant
from simloop_ros.robot.model import RobotModel
from simloop_ros.safety.config import SafetyConfig
from simloop_ros.safety.gate import CommandGate, gravity_effort

NAMES = ('shoulder', 'elbow', 'slide')
LIMIT = np.array([40.0, 0.1, np.inf])
H = 0.0005
LARGEST = np.finfo(np.float64).max
ANY_FLOATS = st.floats(allow_nan=True, allow_infinity=True, width=64)
DTYPES: list[Any] = [np.float64, np.float32, np.int64, np.complex128, np.dtype('>f8'), object]
ANY_ARRAY: st.SearchStrategy[np.ndarray] = hnp.arrays(
    st.sampled_from(DTYPES),
    hnp.array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=4),
)
ANY_EFFORT = st.one_of(
    hnp.arrays(np.float64, 3, elements=ANY_FLOATS),
    hnp.arrays(np.float64, 3, elements=st.floats(-0.2, 0.2)),
    ANY_ARRAY,
    st.none(),
    st.lists(st.floats(), min_size=3, max_size=3),
)


def gate(effort_rate: float | None = None, timeout: int = 10) -> CommandGate:
    return CommandGate(NAMES, LIMIT, H, SafetyConfig(effort_rate=effort_rate, timeout=timeout))


def outcome(gate: CommandGate, effort: object, age: float) -> UnsafeCommandError | None:
    try:
        gate.check(effort, age)  # type: ignore[arg-type]
    except UnsafeCommandError as error:
        return error
    return None


def refusal(gate: CommandGate, effort: object, age: float = 0.0) -> UnsafeCommandError:
    """Return the refusal, which leaves the gate as it was."""
    before = gate.previous
    with pytest.raises(UnsafeCommandError) as caught:
        gate.check(effort, age)  # type: ignore[arg-type]
    assert gate.previous is before
    assert '\n' not in str(caught.value)
    return caught.value


@given(
    st.lists(st.tuples(ANY_EFFORT, ANY_FLOATS | st.just(0.0)), max_size=5),
    st.none() | st.floats(1e-3, 1e6),
)
@example([(np.array([LARGEST, 0.0, -LARGEST]), 0.0)], None)
@example([(np.array([0.0, 0.0, LARGEST]), 0.0), (np.array([0.0, 0.0, -LARGEST]), 0.0)], 1.0)
@example([(np.array([0.0, 0.0, np.inf]), 0.0)], None)
def test_whatever_passes_is_finite_and_within_limits(
    commands: list[tuple[object, float]], rate: float | None
) -> None:
    """And nothing else than a refusal is ever raised; a warning would be an error here."""
    own = gate(rate)
    for effort, age in commands:
        last = own.previous
        error = outcome(own, effort, age)
        if error is not None:
            assert (error.joint in NAMES) == (error.kind not in ('joints', 'stale_state'))
            continue
        assert isinstance(effort, np.ndarray)
        assert effort.shape == (3,)
        assert all(np.isfinite(value) for value in effort.tolist())
        assert all(abs(value) <= limit for value, limit in zip(effort, LIMIT, strict=True))
        assert abs(age) <= 10 * H
        if rate is not None and last is not None:
            changes = (abs(float(a) - float(b)) for a, b in zip(effort, last, strict=True))
            allowed = rate * H * LIMIT
            assert all(change <= most for change, most in zip(changes, allowed, strict=True))


@pytest.mark.parametrize('sign', [1.0, -1.0])
@pytest.mark.parametrize('joint', [0, 1])
def test_a_limit_is_exact(joint: int, sign: float) -> None:
    effort = np.zeros(3)
    effort[joint] = sign * LIMIT[joint]
    gate().check(effort)
    effort[joint] = np.nextafter(effort[joint], sign * np.inf)
    error = refusal(gate(), effort)
    assert (error.kind, error.joint) == ('effort_limit', NAMES[joint])


def test_all_joints_may_be_at_their_limits_at_once() -> None:
    """The sum of squares is no part of the rule."""
    gate().check(np.array([40.0, -0.1, LARGEST]))


def test_a_refusal_says_what_and_how_much() -> None:
    error = refusal(gate(), np.array([0.0, -0.25, 0.0]))
    assert str(error) == 'effort of joint elbow: -0.25 is beyond its limit of 0.1 [N m or N]'


@pytest.mark.parametrize('value', [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize('joint', range(3))
@pytest.mark.parametrize('others', [0.0, 99.0])
def test_not_finite_comes_before_too_large(others: float, joint: int, value: float) -> None:
    """A joint without limit included."""
    effort = np.full(3, others)
    effort[joint] = value
    error = refusal(gate(), effort)
    assert (error.kind, error.joint) == ('not_finite', NAMES[joint])


@pytest.mark.parametrize(
    'effort',
    [
        np.zeros(2),
        np.zeros((3, 1)),
        np.zeros(3, np.float32),
        np.zeros(3, int),
        np.zeros(3, '>f8'),
        np.ma.masked_array(np.zeros(3), [True, False, False]),
        [0.0, 0.0, 0.0],
        None,
    ],
)
def test_only_float64_of_the_right_shape_passes(effort: object) -> None:
    assert refusal(gate(), effort).kind == 'joints'


def test_age_ends_with_the_timeout() -> None:
    own = gate(timeout=4)
    own.check(np.zeros(3), 4 * H)
    for age in (np.nextafter(4 * H, 1.0), np.inf, np.nan, -1.0):
        assert refusal(own, np.zeros(3), age).kind == 'stale_state'


class TestRate:
    """Of 100/s at 0.5 ms: a twentieth of the limit per step."""

    STEP = np.array([2.0, 0.0, 1e6])

    def test_first_command_may_be_anything_within_limits(self) -> None:
        own = gate(100.0)
        own.check(np.array([40.0, 0.1, 1e9]))
        assert refusal(own, np.zeros(3)).kind == 'effort_rate'
        own.reset()
        own.check(np.zeros(3))

    def test_a_step_is_allowed_and_a_little_more_is_not(self) -> None:
        own = gate(100.0)
        own.check(np.zeros(3))
        own.check(self.STEP)
        own.check(np.zeros(3))
        error = refusal(own, 1.001 * self.STEP)
        assert (error.kind, error.joint) == ('effort_rate', 'shoulder')
        assert '2.002' in str(error)

    def test_a_joint_without_limit_has_no_rate(self) -> None:
        own = gate(1e-3)
        own.check(np.array([0.0, 0.0, -LARGEST]))
        own.check(np.array([0.0, 0.0, LARGEST]))

    def test_a_refused_command_is_not_a_previous_one(self) -> None:
        """Else two steps of twice the rate would pass."""
        own = gate(100.0)
        own.check(np.zeros(3))
        assert refusal(own, 2.0 * self.STEP).kind == 'effort_rate'
        assert refusal(own, self.STEP, age=1.0).kind == 'stale_state'
        assert refusal(own, 2.0 * self.STEP).kind == 'effort_rate'

    def test_a_buffer_that_is_written_again_is_no_way_round(self) -> None:
        own = gate(100.0)
        buffer = np.zeros(3)
        own.check(buffer)
        buffer[0] = 30.0
        assert refusal(own, buffer).kind == 'effort_rate'

    def test_without_a_rate_from_limit_to_limit(self) -> None:
        own = gate()
        own.check(np.array([40.0, 0.1, 0.0]))
        own.check(np.array([-40.0, -0.1, 0.0]))


@pytest.mark.parametrize(
    'limit', [np.ones(2), np.array([1.0, -1.0, 1.0]), np.array([1.0, np.nan, 1.0])]
)
def test_limits_that_are_none_are_refused(limit: np.ndarray) -> None:
    with pytest.raises(ConfigError, match='effort limits'):
        CommandGate(NAMES, limit, H, SafetyConfig())


@pytest.mark.parametrize(
    'config',
    [
        {'stop': 'fall'},
        {'timeout': -1},
        {'timeout': 1001},
        {'timeout': 2.5},
        {'effort_rate': 0.0},
        {'brake_time': 0.0},
        {'stop_time': 0.0},
        {'hold_frequency': -1.0},
        {'effort_rte': 1.0},
    ],
)
def test_bad_configurations_are_refused(config: dict[str, object]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(config, SafetyConfig)


def test_gravity_effort_keeps_a_robot_where_it_is(robot: RobotModel) -> None:
    rng = np.random.default_rng(3)
    start = rng.uniform(robot.lower, robot.upper)
    plant = PinocchioPlant(robot, H)
    plant.start(JointState(start, np.zeros(robot.n)))
    effort = gravity_effort(robot, start)
    assert np.abs(effort).max() > 0.1
    plant.step(effort)
    rounding = 1e-12
    np.testing.assert_allclose(plant.truth.velocity, 0.0, atol=rounding)
    CommandGate(robot.joint_names, robot.effort_limit, H, SafetyConfig()).check(effort)


def test_gravity_effort_ends_at_the_limits(shipped: Callable[[str], RobotModel]) -> None:
    """The sphere weighs 9.82 N."""
    sphere = shipped('sphere')
    weak = replace(sphere, effort_limit=np.array([4.0]))
    assert gravity_effort(sphere, sphere.home) == pytest.approx(9.82)
    assert gravity_effort(weak, sphere.home) == 4.0


@given(hnp.arrays(np.float64, 14, elements=ANY_FLOATS))
def test_gravity_effort_passes_the_gate_from_any_position(
    yumi: RobotModel, position: np.ndarray
) -> None:
    effort = gravity_effort(yumi, position)
    CommandGate(yumi.joint_names, yumi.effort_limit, H, SafetyConfig()).check(effort)
    if not np.isfinite(position).all():
        np.testing.assert_array_equal(effort, 0.0)


@given(
    hnp.arrays(np.float64, 3, elements=st.floats(-1e3, 1e3)),
    hnp.arrays(np.float64, 3, elements=st.floats(-0.1, 0.1)),
)
def test_the_nearest_effort_is_within_limits_and_rate(
    wanted: np.ndarray, before: np.ndarray
) -> None:
    """For a robot that has to be sent something: each joint goes as near as it may."""
    rate = 10.0
    gate = CommandGate(NAMES, LIMIT, H, SafetyConfig(effort_rate=rate))
    gate.check(before)
    near = gate.nearest(wanted)
    change = rate * H * LIMIT
    assert (np.abs(near) <= LIMIT).all()
    assert (np.abs(near - before) <= change * (1.0 + 1e-9)).all()
    free = (np.abs(wanted) <= LIMIT) & (np.abs(wanted - before) <= change)
    np.testing.assert_array_equal(near[free], wanted[free])
    np.testing.assert_array_equal(gate.previous, near)
