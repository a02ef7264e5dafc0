"""A plant with contact: MuJoCo."""

from __future__ import annotations

from pathlib import Path
from typing import Any
import xml.etree.ElementTree as ET

import msgspec
import numpy as np

from ..core.errors import MissingDependencyError, ModelError
from ..core.values import UNDISTURBED, Array, BodyReport, Disturbance, JointState, PlantReport
from ..robot.model import RobotModel
from .config import Obstacle
from .contact_law import SLIDING_FRICTION, Touch, sum_contacts
from .engine_urdf import engine_urdf
from .overlap import turned
from .plant import Plant, joint_disturbance, total_torque

MESH_SUFFIXES = ('.obj', '.stl', '.msh')
"""Kinds of mesh that MuJoCo reads."""
COMPILED_INERTIA = 1e-12
"""Mass and inertia [kg, kg m^2] that MuJoCo's compiler gets in place of zero."""
DAMPING_RATIO = 2.0
"""Damping of a contact: at 1 a falling body still bounced with a restitution of 0.15, at 2 not."""
IMPEDANCE = (0.99, 0.999)
"""How rigid a contact is at touch and in depth: a weight at rest sinks in by micrometres."""
ROBOT_BIT, OBSTACLE_BIT = 1, 2
THROWN_PREFIX = 'thrown: '
"""Prefix of the names of bodies that fly; no link has it."""


class MujocoSnapshot(msgspec.Struct, frozen=True):
    """The state of MuJoCo's integrator, its warm start included, and the report of the step."""

    integration: Array
    report: PlantReport


class MujocoPlant(Plant):
    """A rigid arm among fixed obstacles, in MuJoCo.

    Without contact its step is that of ``PinocchioPlant``: semi-implicit Euler, no damping,
    armature or friction loss, no self collision and, as in every plant, no joint ends. Contact is
    as stiff as the physics step allows (time constant of two steps) and does not bounce. Links
    that are fixed to the world touch nothing.

    :param model: the robot; the plant starts at its home, at rest.
    :param period: time of one ``step`` [s].
    :ivar mj_model: MuJoCo's model, for direct calls of MuJoCo.
    :raises MissingDependencyError: MuJoCo is not installed.
    :raises ModelError: MuJoCo cannot read the robot.
    """

    def __init__(
        self,
        model: RobotModel,
        period: float,
        substeps: int = 1,
        obstacles: tuple[Obstacle, ...] = (),
    ):
        self._mujoco = mujoco = _import_mujoco()
        self._substeps = substeps
        step = period / substeps
        spec = _robot_spec(mujoco, model, collision=bool(obstacles))
        spec.option.timestep = step
        spec.option.gravity = model.gravity
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_EULER
        spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
        # A run that diverges must be seen, not started again.
        spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_AUTORESET
        geoms = [_add(mujoco, spec, obstacle) for obstacle in obstacles]
        for geom in spec.geoms:
            geom.solref = [2.0 * step, DAMPING_RATIO]
            geom.solimp[:2] = IMPEDANCE
            geom.friction = [SLIDING_FRICTION, 0.0, 0.0]
        self.mj_model, self._data = _compile(mujoco, spec, model)
        self._obstacles = {
            geom.id: obstacle.name for geom, obstacle in zip(geoms, obstacles, strict=True)
        }
        self._thrown = [
            (self._first_dof(geom.id), obstacle.velocity)
            for geom, obstacle in zip(geoms, obstacles, strict=True)
            if obstacle.mass
        ]
        self._places = [
            (obstacle.name, self._first_place(geom.id))
            for geom, obstacle in zip(geoms, obstacles, strict=True)
            if obstacle.mass
        ]
        joints = [self.mj_model.joint(name) for name in model.joint_names]
        self._index = np.array([joint.qposadr[0] for joint in joints])
        self._kind = mujoco.mjtState.mjSTATE_INTEGRATION
        self._size = mujoco.mj_stateSize(self.mj_model, self._kind)
        self._zero: Array = np.zeros(model.n)
        self.start(JointState(model.home, self._zero))

    @property
    def truth(self) -> JointState:
        """Return the joint state."""
        return JointState(self._q, self._v)

    def start(self, state: JointState) -> None:
        """Begin at a joint state that touches nothing yet."""
        self._mujoco.mj_resetData(self.mj_model, self._data)
        self._data.qpos[self._index] = state.position
        self._data.qvel[self._index] = state.velocity
        for dof, velocity in self._thrown:
            self._data.qvel[dof : dof + 3] = velocity
        self._read()
        self._external = self._zero
        self._report: PlantReport | None = PlantReport(
            self.truth, self._zero, bodies=self._bodies()
        )

    def step(self, effort: Array, disturbance: Disturbance = UNDISTURBED) -> None:
        """Apply efforts [N m], shape ``(n,)``, and external torques for one period."""
        external = joint_disturbance(disturbance)
        self._external = self._zero if external is None else external
        self._data.qfrc_applied[self._index] = total_torque(effort, external)
        self._mujoco.mj_step(self.mj_model, self._data, self._substeps)
        self._read()
        self._report = None

    def observe(self) -> Array:
        """Return the joint positions [rad], shape ``(n,)``."""
        return self._q

    def report(self) -> PlantReport:
        """Return the joint state, the external torque and the contacts."""
        if self._report is None:
            points = range(self._data.ncon if self._obstacles else 0)
            contacts = sum_contacts(self._point(i) for i in points)
            self._report = PlantReport(self.truth, self._external, contacts, bodies=self._bodies())
        return self._report

    def snapshot(self) -> MujocoSnapshot:
        """Return what the next step starts from."""
        integration = np.empty(self._size)
        self._mujoco.mj_getState(self.mj_model, self._data, integration, self._kind)
        return MujocoSnapshot(integration, self.report())

    def restore(self, snapshot: MujocoSnapshot) -> None:
        """Go back to an earlier snapshot."""
        self._mujoco.mj_setState(self.mj_model, self._data, snapshot.integration, self._kind)
        self._read()
        self._report, self._external = snapshot.report, snapshot.report.external

    def _read(self) -> None:
        self._q: Array = self._data.qpos[self._index]
        self._v: Array = self._data.qvel[self._index]

    def _first_dof(self, geom: int) -> int:
        """Return where the velocity of a thrown body lies."""
        return int(self.mj_model.body(self.mj_model.geom_bodyid[geom]).dofadr[0])

    def _first_place(self, geom: int) -> int:
        """Return where the pose of a thrown body lies."""
        joint = self.mj_model.body(self.mj_model.geom_bodyid[geom]).jntadr[0]
        return int(self.mj_model.jnt_qposadr[joint])

    def _point(self, index: int) -> Touch:
        """Return what is known of one touching point."""
        contact = self._data.contact[index]
        first, second = (int(geom) for geom in contact.geom)
        normal = contact.frame[:3]  # from the first to the second
        is_first = first in self._obstacles
        obstacle, link = (first, second) if is_first else (second, first)
        wrench = np.zeros(6)
        self._mujoco.mj_contactForce(self.mj_model, self._data, index, wrench)
        body = self.mj_model.body(self.mj_model.geom_bodyid[link]).name
        onto_link = (normal if is_first else -normal).tolist()
        force, place = float(wrench[0]), contact.pos.tolist()
        return body, self._obstacles[obstacle], force, place, onto_link

    def _bodies(self) -> tuple[BodyReport, ...]:
        """Return where the thrown bodies are."""
        places = ((name, self._data.qpos[start : start + 7]) for name, start in self._places)
        return tuple(BodyReport(name, pose[:3].copy(), pose[3:].copy()) for name, pose in places)


def _import_mujoco() -> Any:
    try:
        import mujoco
    except ImportError as error:
        raise MissingDependencyError(
            'plant.engine mujoco is not installed: pip install mujoco'
        ) from error
    if mujoco.get_mju_user_warning() is None:
        # Else MuJoCo writes a file into the working directory; the caller sees NaN anyway.
        mujoco.set_mju_user_warning(lambda _: None)
    return mujoco


def _robot_spec(mujoco: Any, model: RobotModel, *, collision: bool) -> Any:
    """Return the robot as MuJoCo reads it, every link a body of its own."""
    root = engine_urdf(model.urdf, collision=collision)
    for mesh in root.iter('mesh'):
        name = mesh.get('filename', '')
        if Path(name).suffix.lower() not in MESH_SUFFIXES:
            raise ModelError(
                f'{model.name}: collision mesh {name} cannot be read by MuJoCo; convert it to '
                f'{" or ".join(MESH_SUFFIXES)}, choose plant.engine pybullet, or leave out the '
                'obstacles'
            )
    ET.SubElement(
        ET.SubElement(root, 'mujoco'),
        'compiler',
        fusestatic='false',
        strippath='false',
        # The compiler refuses what Pinocchio takes; the true values are put back afterwards.
        balanceinertia='true',
        boundmass=repr(COMPILED_INERTIA),
        boundinertia=repr(COMPILED_INERTIA),
    )
    try:
        spec = mujoco.MjSpec.from_string(ET.tostring(root, encoding='unicode'))
    except ValueError as error:
        raise ModelError(f'{model.name}: MuJoCo cannot read the robot: {error}') from error
    for geom in spec.geoms:
        geom.contype, geom.conaffinity = ROBOT_BIT, OBSTACLE_BIT
    return spec


def _add(mujoco: Any, spec: Any, obstacle: Obstacle) -> Any:
    """Put a body into the world, and return its shape."""
    kinds = mujoco.mjtGeom
    x, y, z, w = turned(obstacle).coeffs()
    shape = {
        # The third size of a plane is the mesh of its picture.
        'plane': {'type': kinds.mjGEOM_PLANE, 'size': [0.0, 0.0, 1.0]},
        'box': {'type': kinds.mjGEOM_BOX, 'size': [size / 2.0 for size in obstacle.size]},
        'sphere': {'type': kinds.mjGEOM_SPHERE, 'size': [obstacle.radius, 0.0, 0.0]},
        'cylinder': {
            'type': kinds.mjGEOM_CYLINDER,
            'size': [obstacle.radius, obstacle.height / 2.0, 0.0],
        },
    }[obstacle.kind]
    bits = {'contype': OBSTACLE_BIT, 'conaffinity': ROBOT_BIT}
    if not obstacle.mass:
        return spec.worldbody.add_geom(pos=obstacle.position, quat=[w, x, y, z], **bits, **shape)
    body = spec.worldbody.add_body(
        name=THROWN_PREFIX + obstacle.name, pos=obstacle.position, quat=[w, x, y, z]
    )
    body.add_freejoint()
    return body.add_geom(mass=obstacle.mass, **bits, **shape)


def _compile(mujoco: Any, spec: Any, model: RobotModel) -> tuple[Any, Any]:
    """Return MuJoCo's model and data with the inertias of the description, to the last bit."""
    # The compiler turns, balances and bounds each tensor. An inertia that is missing is NaN.
    exact = [
        (body.name, body.mass, np.nan_to_num(body.fullinertia[:3]), body.iquat.copy())
        for body in spec.bodies[1:]
        if not body.name.startswith(THROWN_PREFIX)
    ]
    try:
        compiled = spec.compile()
    except ValueError as error:
        raise ModelError(f'{model.name}: MuJoCo cannot read the robot: {error}') from error
    for name, mass, moments, axes in exact:
        body = compiled.body(name)
        body.mass, body.inertia, body.iquat = mass, moments, axes
    data = mujoco.MjData(compiled)
    mujoco.mj_setConst(compiled, data)
    return compiled, data
