"""Configuration of the plant: the one place of these defaults."""

from __future__ import annotations

from math import hypot, sqrt
from typing import Annotated, Literal

import msgspec

from ..core.config_types import NonNegative, Parameters, Positive, Vector, one_of_or_class
from ..robot.config import Payload
from ..world.config import AnyBody, BoxBody, SphereBody, WorldConfig

Engine = Annotated[str, one_of_or_class('pinocchio', 'pybullet', 'mujoco')]

OBJECT = 'object'
"""Name that a push has for the object of two hands."""


class Friction(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Friction of every joint; with flexible joints, of every motor.

    :ivar coulomb: friction that does not depend on speed [N m].
    :ivar viscous: friction per speed [N m s/rad].
    """

    coulomb: NonNegative = 0.0
    viscous: NonNegative = 0.0

    @property
    def exists(self) -> bool:
        """Return whether there is any."""
        return self.coulomb > 0.0 or self.viscous > 0.0


class TorqueControl(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How drives with flexible joints reach the torque that they are asked for, 001 (3).

    :ivar natural_frequency: of the torque error [rad/s]: ``K_tau + K_m / J_m`` is its square.
    :ivar damping_ratio: of the torque error: ``D_tau`` is 2 ratio frequency.
    """

    natural_frequency: Positive = 500.0
    damping_ratio: Positive = 0.8


class Push(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An external wrench on a link for a while, at the origin of the link's frame.

    :ivar link: name of the link; `object` for the centre of `plant.object`, if there is one.
    :ivar start: time at which it begins [s].
    :ivar duration: how long it lasts [s].
    :ivar force: force in world axes [N].
    :ivar torque: torque in world axes [N m].
    """

    link: str
    start: NonNegative
    duration: Positive
    force: Vector = (0.0, 0.0, 0.0)
    torque: Vector = (0.0, 0.0, 0.0)


class HandWaypoint(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A place where a hand's target rests for a moment.

    :ivar time: since the grip [s].
    :ivar offset: from where the point was at the grip, in world axes [m].
    """

    time: Positive
    offset: Vector


class WaypointPath(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field='kind', tag='waypoints'
):
    """The target goes from place to place, rests at each, and stays at the last.

    :ivar waypoints: in the order of time; between two the target moves with minimum jerk.
    """

    waypoints: Annotated[tuple[HandWaypoint, ...], msgspec.Meta(min_length=1)]


class JointPath(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field='kind', tag='joint'
):
    """The target goes where the point would if one joint turned and all others stayed.

    :ivar joint: name of the joint.
    :ivar angle: by which it would turn, with minimum jerk [rad].
    :ivar duration: how long that takes [s]; then the target stays.
    """

    joint: str
    angle: float
    duration: Positive


class LinePath(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field='kind', tag='line'
):
    """The target goes along a straight line, at constant speed after its start.

    :ivar velocity: in world axes [m/s].
    :ivar rise: time in which the speed rises smoothly from 0 [s].
    """

    velocity: Vector
    rise: Positive = 0.2


class Hand(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An operator who holds a point of a link and guides it: a spring-damper of limited force.

    :ivar link: name of the link.
    :ivar point: the point, from the link's frame and in its axes [m].
    :ivar stiffness: force per distance between target and point [N/m].
    :ivar damping: force per difference of their velocities [N s/m].
    :ivar max_force: largest force [N].
    :ivar path: what the target does: `kind` is `waypoints`, `joint` or `line`; without one it
        stays where the point was gripped.
    :ivar start: time of the grip [s].
    :ivar end: time of the release [s]; never where none is given.
    :ivar grip: time in which the grip becomes firm [s]; 0 for at once.
    """

    link: str
    point: Vector = (0.0, 0.0, 0.0)
    stiffness: NonNegative
    damping: NonNegative
    max_force: Positive
    path: WaypointPath | JointPath | LinePath | None = None
    start: NonNegative = 0.0
    end: Positive | None = None
    grip: NonNegative = 0.1


class Servo(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The inner loop of a robot that takes positions.

    :ivar bandwidth: how fast it is [rad/s]; times the physics step it is 0.5 at most.
    :ivar give: how far a joint gives way at most under its full effort [rad]; its motor is heavy
        enough for that.
    """

    bandwidth: Positive = 100.0
    give: Positive = 0.01


class Obstacle(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A body that only the plant knows: fixed, or thrown.

    :ivar kind: a plane is the half space behind ``normal``; a box has ``size``, a sphere
        ``radius``, a cylinder ``radius`` and ``height``.
    :ivar name: what it is called in events.
    :ivar position: a point of the plane, or the centre of the body [m].
    :ivar rpy: roll, pitch and yaw of a box or a cylinder [rad].
    :ivar normal: direction out of the half space.
    :ivar size: edges of the box [m].
    :ivar radius: of the sphere or the cylinder [m].
    :ivar height: of the cylinder, along its z axis [m].
    :ivar mass: of a body that flies freely [kg]; 0 for one that is fixed.
    :ivar velocity: with which it is thrown at the start [m/s].
    """

    kind: Literal['plane', 'box', 'sphere', 'cylinder']
    name: str = 'obstacle'
    position: Vector = (0.0, 0.0, 0.0)
    normal: Vector = (0.0, 0.0, 1.0)
    size: tuple[Positive, Positive, Positive] = (0.1, 0.1, 0.1)
    radius: Positive = 0.1
    mass: NonNegative = 0.0
    velocity: Vector = (0.0, 0.0, 0.0)
    rpy: Vector = (0.0, 0.0, 0.0)
    height: Positive = 0.1


class HeldObject(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A beam for two hands, 003 section 3.2.1: a block that lies on a table until it is lifted.

    Its long edge is its y axis, and its frame is at its centre. The palm of a hand is the plane
    through the tip's origin, square to the tip's z axis, which points out of the palm.

    :ivar kind: `soft` gives way by ``stiffness``; `rigid` does not, and needs engine ``pybullet``.
    :ivar stiffness: K, force per compression between its ends [N/m].
    :ivar damping_ratio: of its contacts.
    :ivar friction: coefficient between it and palms and table.
    :ivar length: along its y axis [m].
    :ivar width: edge of its square ends [m].
    :ivar mass: of it [kg].
    :ivar position: of its centre in the world, at the start [m].
    :ivar rpy: its roll, pitch and yaw there [rad].
    :ivar table: whether it lies on a table; else it falls unless it is held.
    :ivar palm: edge of a palm [m].
    """

    kind: Literal['soft', 'rigid'] = 'soft'
    stiffness: Positive = 1e5
    damping_ratio: NonNegative = 0.1
    friction: NonNegative = 0.6
    length: Positive = 0.08
    width: Positive = 0.04
    mass: Positive = 0.5
    position: Vector = (0.0, 0.0, 0.0)
    rpy: Vector = (0.0, 0.0, 0.0)
    table: bool = True
    palm: Positive = 0.06


class SensorFault(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A wrist sensor that fails.

    :ivar tip: whose sensor it is.
    :ivar kind: `lost` reads nothing any more (NaN), `frozen` the same for ever.
    :ivar start: time at which it fails [s].
    """

    tip: str
    kind: Literal['lost', 'frozen']
    start: NonNegative


class WristSensors(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Force sensors at the tips.

    :ivar noise: standard deviation of each force component [N].
    :ivar torque_noise: standard deviation of each torque component [N m].
    :ivar bias: size of a constant error of the force [N]; its direction is drawn for each sensor.
    :ivar torque_bias: size of a constant error of the torque [N m].
    :ivar faults: of single sensors.
    """

    noise: NonNegative = 0.0
    torque_noise: NonNegative = 0.0
    bias: NonNegative = 0.0
    torque_bias: NonNegative = 0.0
    faults: tuple[SensorFault, ...] = ()


class TorqueSensors(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Torque sensors in the joints.

    :ivar noise: standard deviation [N m].
    :ivar side: `link`, behind the gear and its friction, or `motor`, before them.
    """

    noise: NonNegative = 0.0
    side: Literal['link', 'motor'] = 'link'


class ArmStop(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An arm whose drives stop by themselves: its driver failed, or its stop was pressed.

    :ivar tip: at the end of the arm.
    :ivar start: time at which its brakes engage [s].
    """

    tip: str
    start: NonNegative


class PlantConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which simulated robot stands in for the real one, and how it differs from the model.

    :ivar engine: the physics engine: ``pinocchio``, ``pybullet``, ``mujoco`` or a class of the
        user, ``my_module:MyPlant``; contact needs ``pybullet`` or ``mujoco``.
    :ivar parameters: values for an engine of the user, by name.
    :ivar takes: what the robot takes; one that takes positions follows a simulated surrogate, to
        which the efforts go, and needs engine ``pinocchio``.
    :ivar step: length of a physics step [s], of which the period is a whole multiple; where none
        is given, the period itself or, with flexible joints, what their frequencies ask for.
    :ivar flexible_joints: whether motors move the links through springs, those of
        `robot.flexible_joints`, with torque control; needs engine ``pinocchio``.
    :ivar mass_bias: relative error of all masses: 0.1 is 10 % heavier than the model.
    :ivar noise: standard deviation of the encoders [rad].
    :ivar resolution: step of the encoders [rad]; 0 for none.
    :ivar delay: age of the measured position, in whole periods.
    :ivar pushes: external wrenches.
    :ivar wrenches: file of further ones, step by step, as a session of ``simloop view`` writes it.
    :ivar payloads: what the tips carry in truth, unknown to all blocks; see ``robot.payloads``.
    :ivar hands: operators who hold the robot and guide it.
    :ivar obstacles: bodies in the way, unknown to planner and control.
    :ivar object: what two hands shall hold.
    :ivar sensors: force sensors at the tips; none where nothing is given.
    :ivar torque_sensors: in the joints; none where nothing is given.
    :ivar stops: arms that stop by themselves.
    """

    engine: Engine = 'pinocchio'
    parameters: Parameters = {}
    takes: Literal['effort', 'position'] = 'effort'
    servo: Servo = Servo()
    step: Positive | None = None
    mass_bias: Annotated[float, msgspec.Meta(gt=-1.0)] = 0.0
    noise: NonNegative = 0.0
    resolution: NonNegative = 0.0
    flexible_joints: bool = False
    torque_control: TorqueControl = TorqueControl()
    friction: Friction = Friction()
    delay: Annotated[int, msgspec.Meta(ge=0, le=10_000)] = 0
    pushes: tuple[Push, ...] = ()
    wrenches: str = ''
    payloads: tuple[Payload, ...] = ()
    hands: tuple[Hand, ...] = ()
    obstacles: tuple[Obstacle, ...] = ()
    object: HeldObject | None = None
    sensors: WristSensors | None = None
    torque_sensors: TorqueSensors | None = None
    stops: tuple[ArmStop, ...] = ()

    @property
    def encoder_error(self) -> float:
        """Return the standard deviation of the measured positions [rad]; a step is uniform."""
        return hypot(self.noise, self.resolution / sqrt(12.0))

    @property
    def shows_truth(self) -> bool:
        """Return whether the measured positions are the true ones."""
        return not self.encoder_error and not self.delay and self.takes == 'effort'


def in_world(plant: PlantConfig, world: WorldConfig) -> PlantConfig:
    """Return a plant with the bodies of a world as obstacles, after its own.

    Engine ``pinocchio`` has no contact, and one of the user is left as it is.
    """
    if plant.engine not in ('pybullet', 'mujoco') or not world.bodies:
        return plant
    bodies = tuple(as_obstacle(body) for body in world.bodies)
    return msgspec.structs.replace(plant, obstacles=(*plant.obstacles, *bodies))


def as_obstacle(body: AnyBody) -> Obstacle:
    """Return a body of the world as a fixed obstacle."""
    if isinstance(body, BoxBody):
        return Obstacle('box', body.name, body.position, rpy=body.rpy, size=body.size)
    if isinstance(body, SphereBody):
        return Obstacle('sphere', body.name, body.position, radius=body.radius)
    return Obstacle(
        'cylinder',
        body.name,
        body.position,
        rpy=body.rpy,
        radius=body.radius,
        height=body.height,
    )
