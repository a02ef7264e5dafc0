"""The admittance node alone, over DDS: the test plays control, monitor and driver."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import WrenchStamped
from lone_node import LoneNode
import numpy as np
import pytest
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState as JointStateMessage
from std_srvs.srv import SetBool
from visualization_msgs.msg import Marker, MarkerArray

from simloop_ros.core.values import JointState
from simloop_ros.nodes.admittance import AdmittanceNode
from simloop_ros.nodes.plant import PlantNode
from simloop_ros.ros.launch.wiring import WiringOptions
from simloop_ros.ros.messages.joint_state import JointStateDecoder, JointStateEncoder
from simloop_ros.ros.messages.markers import METRES_PER_NEWTON
from simloop_ros.ros.messages.safety_status import SAFETY, SafetyStatus, to_message
from simloop_ros.ros.transport.qos import LATCHED, STREAM
from simloop_ros.safety.config import SafetyConfig
from simloop_ros.scenario.loading import load_scenario

H = 0.002
ACCELERATION = 20.0  # default of admittance.acceleration [rad/s^2]
ROUNDING = 1e-9
TIMEOUT = SafetyConfig().timeout_periods(H)
OK = DiagnosticStatus.OK
PUSHED = 3  # joint that is pushed
FULL = ('position', 'velocity', 'effort')


class Partner(LoneNode):
    """Plays all that an admittance node talks to; the robot follows without an error.

    :ivar path: each desired state so far, in the order of the steps.
    """

    def __init__(self, domain: int, *settings: str, realtime: bool = False):
        joint_by_joint = ['admittance.by_reach=false', 'admittance.isotropy=1']
        scenario = load_scenario('lwr_tcp', [*joint_by_joint, *settings])
        self.realtime = realtime
        options = WiringOptions(realtime=realtime, priority=0)
        super().__init__(domain, 'admittance', AdmittanceNode, scenario, options)
        self.path: list[JointState] = []
        self.state = JointState(self.model.home, np.zeros(self.model.n))
        self._answers: dict[int, JointState] = {}
        self._step = 0
        names = self.model.joint_names
        source = scenario.admittance.source
        self.topic = 'external_torque' if source == 'observer' else 'measured_external_torque'
        publish = self.other.create_publisher
        self.torques = publish(JointStateMessage, self.topic, STREAM)
        self._states = publish(JointStateMessage, 'control_state', STREAM)
        self._encode_torque = JointStateEncoder(names, ('effort',)).encode
        self._encode_state = JointStateEncoder(names, FULL).encode
        self._decode = JointStateDecoder(names, ('position', 'velocity')).decode
        subscribe = self.other.create_subscription
        subscribe(JointStateMessage, 'desired_joint_states', self._on_desired, STREAM, raw=True)
        safety = publish(DiagnosticStatus, SAFETY, LATCHED)
        safety.publish(to_message(SafetyStatus('control_simulation', '', 0)))
        publishers = (self.torques, self._states, safety)
        self.until(lambda: all(each.get_subscription_count() for each in publishers))

    def _on_desired(self, data: bytes) -> None:
        message = self._decode(data)
        self._answers[message.stamp] = JointState(message.position, message.velocity)

    def feel(self, torque: np.ndarray | bytes) -> None:
        """Tell a torque, or send some bytes, and wait until the node has it."""
        before = self.node.topics.resend.received + self.node.refused
        stamp = round(self._step * H * 1e9)
        data = torque if isinstance(torque, bytes) else self._encode_torque(stamp, torque)
        self.torques.publish(data)
        self.until(lambda: self.node.topics.resend.received + self.node.refused > before)

    def step(self, torque: float | np.ndarray | bytes | None = 0.0) -> JointState:
        """Take a step and return what is desired; the torque is that of one joint, or of all."""
        if isinstance(torque, (int, float)):
            torque = self.torque(torque)
        if torque is not None and (self._step or self.realtime):
            self.feel(torque)
        stamp = round(self._step * H * 1e9)
        self._step += 1
        state = self.state
        data = self._encode_state(stamp, state.position, state.velocity, np.zeros(self.model.n))
        self._states.publish(data)
        self.until(lambda: stamp in self._answers)
        self.state = self._answers.pop(stamp)
        self.path.append(self.state)
        return self.state

    def begin(self) -> None:
        """Wait until the node answers, in real time: it plans first."""
        while not self._answers:
            state, stamp = self.state, round(self._step * H * 1e9)
            self._states.publish(
                self._encode_state(stamp, state.position, state.velocity, np.zeros(self.model.n))
            )
            self._step += 1
            self.executor.spin_once(timeout_sec=0.02)
            self.executor.spin_once(timeout_sec=0.02)
        for _ in range(50):
            self.executor.spin_once(timeout_sec=0.0)
        self._answers.clear()

    def torque(self, value: float) -> np.ndarray:
        """Return a torque on one joint [N m], shape ``(n,)``."""
        torque = np.zeros(self.model.n)
        torque[PUSHED] = value
        return torque

    def lead(self, steps: int, value: float = 8.0) -> None:
        """Push one joint for some steps with a torque that is never twice the same."""
        for k in range(steps):
            self.step(value * (1.0 + 1e-3 * np.sin(k)))

    def set(self, name: str, value: Any) -> str:
        """Set a parameter of the node; return why not, or nothing."""
        message = Parameter(name, value=value).to_parameter_msg()
        request = SetParameters.Request(parameters=[message])
        result = self.call(SetParameters, '/admittance/set_parameters', request).results[0]
        return '' if result.successful else result.reason

    def enable(self, on: bool) -> Any:
        """Switch guiding on or off."""
        return self.call(SetBool, '/admittance/enable', SetBool.Request(data=on))

    def check_smooth(self) -> None:
        """Neither position nor velocity has jumped: the acceleration limit holds throughout."""
        q = np.array([state.position for state in self.path])
        v = np.array([state.velocity for state in self.path])
        kick = ACCELERATION * H * (1.0 + ROUNDING)
        assert np.abs(np.diff(v, axis=0)).max() <= kick
        way = np.diff(q, axis=0) - H * v[:-1]
        assert np.abs(way).max() <= kick * H
        assert np.isfinite(q).all()

    @property
    def speed(self) -> float:
        """Return the speed of the pushed joint [rad/s]."""
        return float(self.state.velocity[PUSHED])


@pytest.fixture
def open_partner(graph: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Partner]]:
    monkeypatch.setenv('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    monkeypatch.setenv('FASTDDS_BUILTIN_TRANSPORTS', 'UDPv4')
    domain, opened = int(graph.environment['ROS_DOMAIN_ID']), []

    def start(*settings: str, realtime: bool = False) -> Partner:
        opened.append(Partner(domain, *settings, realtime=realtime))
        return opened[-1]

    yield start
    for partner in opened:
        partner.close()


# Bad torques

NAMES = tuple(f'lwr_{joint}_joint' for joint in ('a1', 'a2', 'e1', 'a3', 'a4', 'a5', 'a6'))
REFUSED = {
    'NaN': (np.nan, "effort of 'lwr_a3_joint' is nan"),
    'infinity': (-np.inf, "effort of 'lwr_a3_joint' is -inf"),
    'wrong names': (
        JointStateEncoder(('a', 'b'), ('effort',)).encode(5, np.zeros(2)),
        'is missing',
    ),
    'missing joints': (
        JointStateEncoder(NAMES[:-1], ('effort',)).encode(5, np.zeros(6)),
        "'lwr_a6_joint' is missing",
    ),
    'no effort': (
        JointStateEncoder(NAMES, ('position',)).encode(5, np.zeros(7)),
        'effort',
    ),
    'bytes': (b'torque', 'no stamp'),
}


@pytest.mark.parametrize('fault', REFUSED)
def test_a_torque_that_is_none_is_refused_and_nothing_jumps(
    open_partner: Callable[..., Partner], fault: str
) -> None:
    partner = open_partner('admittance.source=driver', realtime=True)
    bad, reason = REFUSED[fault]
    partner.begin()
    partner.lead(30)
    for _ in range(3):
        partner.step(bad)
    partner.lead(30)
    assert partner.speed > 0.05  # it is led on
    partner.check_smooth()
    values = partner.reports('guiding', OK, 'refused', 3)
    assert reason in values['last refusal']


def test_a_spike_is_cut_and_reported(open_partner: Callable[..., Partner]) -> None:
    partner = open_partner()
    partner.lead(30)
    for spike in (1e6, -1e300):
        partner.step(spike)
        partner.lead(5)
    partner.check_smooth()
    partner.reports('rejected', key='torques cut to the effort limit', least=1)
    # Later the lockstep is to blame, not the torques any more.
    values = partner.reports('waiting', key='torques cut to the effort limit', least=2)
    assert values['torques cut to the effort limit'] == '2'


def test_a_stuck_sensor_lets_the_robot_go(open_partner: Callable[..., Partner]) -> None:
    partner = open_partner('admittance.stuck_time=0.05')
    for _ in range(30):
        partner.step(8.0)
    led = partner.speed
    for _ in range(200):
        partner.step(8.0)
    assert partner.speed < 0.05 * led
    partner.check_smooth()
    partner.reports('rejected', key='torques of a stuck sensor', least=1)
    partner.reports('waiting', key='torques of a stuck sensor', least=150)


@pytest.mark.parametrize('source', ['observer', 'driver'])
def test_a_torque_counts_no_longer_than_the_timeout(
    open_partner: Callable[..., Partner], source: str
) -> None:
    partner = open_partner(f'admittance.source={source}', realtime=True)
    partner.begin()
    partner.reports(f'{partner.topic}: no messages')
    partner.lead(100)
    partner.reports('guiding', OK)
    speeds = [partner.step(None).velocity[PUSHED] for _ in range(300)]
    gains = np.diff(speeds[3 : TIMEOUT - 1])
    if source == 'driver':
        assert gains.min() > 0.0  # it may come less often than control states, and holds
    else:
        np.testing.assert_array_equal(gains, 0.0)  # what is not seen does not accelerate
    assert speeds[TIMEOUT + 5] < speeds[TIMEOUT - 1]
    assert speeds[-1] < 0.1 * max(speeds)
    partner.reports(f'{partner.topic}: no messages')
    partner.lead(50)
    assert partner.speed > 0.05
    partner.reports('guiding', OK)
    partner.check_smooth()


def test_a_torque_that_is_only_repeated_is_silence(open_partner: Callable[..., Partner]) -> None:
    """A relay that repeats the last message of a dead node does not bring it back to life."""
    partner = open_partner('admittance.source=driver', realtime=True)
    partner.begin()
    partner.lead(100)
    same = JointStateEncoder(NAMES, ('effort',)).encode(5, partner.torque(8.0))
    for _ in range(100):
        partner.step(same)
    assert partner.speed < 0.0  # back to where it was led from
    partner.reports(f'{partner.topic}: no messages')
    partner.check_smooth()


def test_a_wrench_on_a_link_that_does_not_exist_is_refused(
    open_partner: Callable[..., Partner],
) -> None:
    partner = open_partner()
    plant = partner.start('plant', PlantNode)
    wrenches = partner.other.create_publisher(WrenchStamped, 'external_wrench', 10)
    partner.until(wrenches.get_subscription_count)
    said: list[DiagnosticStatus] = []
    partner.other.create_subscription(
        DiagnosticArray, '/diagnostics', lambda message: said.extend(message.status), 10
    )
    for link, force in (('no_such_link', 10.0), ('flange', float('nan')), ('flange', 1e9)):
        message = WrenchStamped()
        message.header.frame_id = link
        message.wrench.force.x = force
        wrenches.publish(message)
    partner.until(lambda: plant.refused == 3)
    partner.until(
        lambda: any(
            status.name == '/plant'
            and {'refused': '3'}.items() <= {v.key: v.value for v in status.values}.items()
            for status in said
        )
    )


# Parameters that change while the robot is led


@pytest.mark.parametrize(
    ('name', 'value'),
    [
        ('admittance.damping', 10.0),
        ('admittance.damping', 400.0),
        ('admittance.mass', 5.0),
        ('admittance.mass', 0.05),
        ('admittance.stiffness', 2000.0),
        ('admittance.touched_stiffness', 1.0),
        ('admittance.dead_zone', 6.0),
        ('admittance.adapt', False),
        ('admittance.stiffness_time', 0.01),
    ],
)
def test_a_parameter_changes_without_a_bump(
    open_partner: Callable[..., Partner], name: str, value: Any
) -> None:
    partner = open_partner()
    partner.lead(100)
    before = partner.state
    assert partner.set(name, value) == ''
    partner.lead(2)
    first = partner.path[-2]
    change = np.abs(first.velocity - before.velocity).max()
    assert change <= ACCELERATION * H * (1.0 + ROUNDING)
    partner.lead(100)
    partner.check_smooth()


def test_damping_that_is_set_is_felt(open_partner: Callable[..., Partner]) -> None:
    settled = ('admittance.adapt=false', 'admittance.fall_time=0.02')
    partner = open_partner('admittance.stiffness=0', *settled)
    partner.lead(100, 8.5)  # 0.5 of it is the dead zone
    assert partner.speed == pytest.approx(8.0 / 40.0, rel=2e-3)
    assert partner.set('admittance.damping', 10.0) == ''
    partner.lead(200, 8.5)
    assert partner.speed == pytest.approx(8.0 / 10.0, rel=2e-3)


def test_what_cannot_change_now_is_refused(open_partner: Callable[..., Partner]) -> None:
    partner = open_partner()
    partner.lead(10)
    for name, value, reason in (
        ('admittance.damping', -1.0, 'damping'),
        ('admittance.mass', 0.0, 'mass'),
        ('admittance.speed', 1.5, 'speed'),
        ('admittance.touched_damping', 2.0, 'touched_damping'),
        ('admittance.dead_zone', float('nan'), 'from the calibration only'),
        ('admittance.joints', '{elbow: {mass: 1}}', 'elbow'),
        ('admittance.mass_direction', [0.0, 0.0, 0.0], 'is no direction'),
        ('admittance.elbows', '{flange: no_such_link}', 'no_such_link'),
        ('admittance.source', 'truth', 'cannot change while the node is configured'),
        ('admittance.keep', 'pose', 'cannot change while the node is configured'),
    ):
        assert reason in partner.set(name, value)
    partner.lead(10)
    partner.check_smooth()


# What rviz shows


def test_effective_mass_and_hint_are_shown_to_whoever_listens(
    open_partner: Callable[..., Partner],
) -> None:
    partner = open_partner('admittance.mass_direction=[2, 2, 0]')
    shown: list[Marker] = []
    partner.other.create_subscription(
        MarkerArray, 'markers', lambda message: shown.extend(message.markers), 10
    )
    partner.lead(5)
    partner.until(lambda: len({marker.ns for marker in shown}) == 2)
    model, home = partner.model, partner.model.home
    heavy = next(marker for marker in shown if marker.type == Marker.ARROW)
    text = next(marker for marker in shown if marker.type == Marker.TEXT_VIEW_FACING)
    hint = next(marker for marker in shown if marker.ns == 'guiding_hint')
    mass = float(text.text.removesuffix(' kg'))
    assert {marker.header.frame_id for marker in shown} == {'lwr_base_link'}
    tail, head = points(heavy)
    np.testing.assert_allclose(tail, model.tip_positions(home)[0], atol=1e-3)
    np.testing.assert_allclose(head - tail, 0.1 * mass * np.sqrt([0.5, 0.5, 0.0]), atol=1e-3)
    elbow, way = points(hint)[0], np.diff(points(hint), axis=0)[0]
    np.testing.assert_allclose(
        elbow, model.frame_poses(home, ['lwr_4_link'])[0].translation, atol=1e-3
    )
    assert np.linalg.norm(way) > 0.0
    assert partner.set('admittance.mass_direction', [0.0, 1.0, 0.0]) == ''
    shown.clear()
    partner.until(lambda: shown)
    along = np.diff(points(next(m for m in shown if m.ns == 'effective_mass')), axis=0)[0]
    np.testing.assert_allclose(along / np.linalg.norm(along), [0.0, 1.0, 0.0], atol=1e-12)


def test_the_plant_shows_its_hands_with_their_force(open_partner: Callable[..., Partner]) -> None:
    pull = '{kind: line, velocity: [0, 1, 0], rise: 0.01}'
    hand = f'{{link: flange, stiffness: 500, damping: 30, max_force: 8, path: {pull}}}'
    partner = open_partner(f'plant.hands=[{hand}]')
    partner.start('plant', PlantNode)
    efforts = partner.other.create_publisher(JointStateMessage, 'effort_command', STREAM)
    shown: list[Marker] = []
    partner.other.create_subscription(
        MarkerArray, 'markers', lambda message: shown.extend(message.markers), 10
    )
    partner.until(efforts.get_subscription_count)
    encode = JointStateEncoder(NAMES, ('effort',)).encode
    steps = 0

    def pulled() -> bool:
        """Let the plant take another step; return whether the hand pulls with all its force."""
        nonlocal steps
        efforts.publish(encode(round(steps * H * 1e9), np.zeros(7)))
        steps += 1
        return any(marker.text == '8.0 N' for marker in shown)

    partner.until(pulled)
    arrow = [marker for marker in shown if marker.ns == 'hand' and marker.type == Marker.ARROW][-1]
    tail, head = points(arrow)
    assert np.linalg.norm(head - tail) == pytest.approx(8.0 * METRES_PER_NEWTON)
    assert arrow.header.frame_id == 'lwr_base_link'


def points(arrow: Marker) -> np.ndarray:
    return np.array([[point.x, point.y, point.z] for point in arrow.points])


# Guiding off and on


def test_guiding_off_holds_the_robot_and_on_leads_it_from_there(
    open_partner: Callable[..., Partner],
) -> None:
    partner = open_partner(realtime=True)
    partner.begin()
    partner.lead(150)
    assert partner.speed > 0.3
    where = partner.state.position[PUSHED]
    assert partner.enable(False).success
    partner.lead(300, 20.0)  # whatever the hand does
    held = partner.state.position[PUSHED]
    assert abs(partner.speed) < 1e-6
    assert abs(held - where) < 0.02
    partner.reports('switched off: holding', OK)
    assert partner.enable(False).success  # twice is the same
    partner.lead(10, 20.0)
    assert partner.state.position[PUSHED] == pytest.approx(held, abs=1e-9)
    assert partner.enable(True).success
    for _ in range(200):
        partner.step(0.0)
    assert partner.state.position[PUSHED] == pytest.approx(held, abs=1e-9)  # nothing draws it back
    partner.lead(100)
    assert partner.speed > 0.2
    partner.check_smooth()


def test_guiding_on_before_the_robot_rests_does_not_jump(
    open_partner: Callable[..., Partner],
) -> None:
    partner = open_partner()
    partner.lead(150)
    for steps in (1, 3, 10):
        assert partner.enable(False).success
        partner.lead(steps)
        assert partner.enable(True).success
        partner.lead(50)
    partner.check_smooth()


def test_the_robot_is_not_switched_before_it_is_guided(
    open_partner: Callable[..., Partner],
) -> None:
    partner = open_partner(realtime=True)
    answer = partner.enable(False)
    assert not answer.success
    assert 'not guided yet' in answer.message
