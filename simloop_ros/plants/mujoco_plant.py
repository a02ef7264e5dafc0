"""A plant with contact: MuJoCo."""

from __future__ import annotations

from pathlib import Path
from typing import Any
import xml.etree.ElementTree as ET

import msgspec
import numpy as np
import pinocchio as pin

from ..core.errors import MissingDependencyError, ModelError
from ..core.values import Array, Contact, JointState
from ..robot.model import RobotModel
from .config import Obstacle
from .contact_law import SLIDING_FRICTION, sum_contacts
from .engine_urdf import engine_urdf
from .plant import Plant, with_external

MESHES = ('.obj', '.stl', '.msh')
"""Kinds of mesh that MuJoCo reads."""
SMALLEST = 1e-12
"""Mass and inertia [kg, kg m^2] that MuJoCo's compiler is shown in place of none."""
DAMPING_RATIO = 2.0
"""Damping of a contact: at 1 a falling body still bounced with a restitution of 0.15, at 2 not."""
IMPEDANCE = (0.99, 0.999)
"""How rigid a contact is at touch and in depth: a weight at rest sinks in by micrometres."""
ROBOT_BIT, OBSTACLE_BIT = 1, 2
THROWN = 'thrown: '
"""What the names of bodies that fly begin with: no link is called so."""


class MujocoState(msgspec.Struct, frozen=True):
    """What MuJoCo's integrator starts from, its warm start included, and what touched.

    :ivar contacts: of the last physics step.
    :ivar external: torque from outside in the last step [N m], shape ``(n,)``.
    """

    integration: Array
    contacts: tuple[Contact, ...]
    external: Array


class MujocoPlant(Plant):
    """A rigid arm among fixed obstacles, in MuJoCo.

    Without contact its step is that of ``PinocchioPlant``: semi-implicit Euler, no damping,
    armature or friction loss, no self collision and, as in every plant, no joint ends. Contact is
    as stiff as the physics step allows (time constant of two steps) and does not bounce. Links
    that are fixed to the world touch nothing.

    :param model: the robot; the plant starts at its home, at rest.
    :param period: time of one ``step`` [s].
    :param substeps: number of physics steps in one ``step``.
    :param obstacles: the bodies in the way.
    :ivar mj_model: MuJoCo's model, for whoever wants to talk to MuJoCo itself.
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
        # A run that blows up must be seen, not begun anew.
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
        joints = [self.mj_model.joint(name) for name in model.joint_names]
        self._index = np.array([joint.qposadr[0] for joint in joints])
        self._kind = mujoco.mjtState.mjSTATE_INTEGRATION
        self._size = mujoco.mj_stateSize(self.mj_model, self._kind)
        self._none: Array = np.zeros(model.n)
        self.reset(JointState(model.home, self._none))

    @property
    def state(self) -> MujocoState:
        """Return what the next step starts from."""
        integration = np.empty(self._size)
        self._mujoco.mj_getState(self.mj_model, self._data, integration, self._kind)
        return MujocoState(integration, self.contacts(), self._external)

    @property
    def truth(self) -> JointState:
        """Return the joint state."""
        return JointState(self._q, self._data.qvel[self._index])

    @property
    def external(self) -> Array:
        """Return the torque from outside in the last step [N m], shape ``(n,)``."""
        return self._external

    def reset(self, state: JointState | MujocoState) -> None:
        """Go to a joint state that touches nothing yet, or to an earlier ``state``."""
        if isinstance(state, MujocoState):
            self._mujoco.mj_setState(self.mj_model, self._data, state.integration, self._kind)
            self._contacts: tuple[Contact, ...] | None = state.contacts
            self._external = state.external
        else:
            self._mujoco.mj_resetData(self.mj_model, self._data)
            self._data.qpos[self._index] = state.position
            self._data.qvel[self._index] = state.velocity
            for dof, velocity in self._thrown:
                self._data.qvel[dof : dof + 3] = velocity
            self._contacts = ()
            self._external = self._none
        self._q: Array = self._data.qpos[self._index]

    def step(self, effort: Array, external: Array | None = None) -> None:
        """Apply efforts and torques from outside [N m], shape ``(n,)``, for one period."""
        self._external = self._none if external is None else external
        self._data.qfrc_applied[self._index] = with_external(effort, external)
        self._mujoco.mj_step(self.mj_model, self._data, self._substeps)
        self._q = self._data.qpos[self._index]
        self._contacts = None

    def observe(self) -> Array:
        """Return the joint positions [rad], shape ``(n,)``."""
        return self._q

    def contacts(self) -> tuple[Contact, ...]:
        """Return the contacts of the last physics step."""
        if self._contacts is None:
            self._contacts = sum_contacts(self._point(i) for i in range(self._data.ncon))
        return self._contacts

    def _first_dof(self, geom: int) -> int:
        """Return where the velocity of a thrown body lies."""
        return int(self.mj_model.body(self.mj_model.geom_bodyid[geom]).dofadr[0])

    def _point(self, index: int) -> tuple[str, str, float]:
        """Return link, obstacle and normal force [N] of one point."""
        first, second = (int(geom) for geom in self._data.contact[index].geom)
        obstacle, link = (first, second) if first in self._obstacles else (second, first)
        wrench = np.zeros(6)
        self._mujoco.mj_contactForce(self.mj_model, self._data, index, wrench)
        body = self.mj_model.body(self.mj_model.geom_bodyid[link]).name
        return body, self._obstacles[obstacle], float(wrench[0])


def _import_mujoco() -> Any:
    try:
        import mujoco
    except ImportError as error:
        raise MissingDependencyError(
            'plant.engine mujoco is not installed: pip install mujoco'
        ) from error
    if mujoco.get_mju_user_warning() is None:
        # Else MuJoCo writes a file into the working directory; whoever runs the plant sees NaN.
        mujoco.set_mju_user_warning(lambda _: None)
    return mujoco


def _robot_spec(mujoco: Any, model: RobotModel, *, collision: bool) -> Any:
    """Return the robot as MuJoCo reads it, every link a body of its own."""
    root = engine_urdf(model.urdf, collision=collision)
    for mesh in root.iter('mesh'):
        name = mesh.get('filename', '')
        if Path(name).suffix.lower() not in MESHES:
            raise ModelError(
                f'{model.name}: collision mesh {name} cannot be read by MuJoCo; convert it to '
                f'{" or ".join(MESHES)}, choose plant.engine pybullet, or leave out the obstacles'
            )
    ET.SubElement(
        ET.SubElement(root, 'mujoco'),
        'compiler',
        fusestatic='false',
        strippath='false',
        # The compiler refuses what Pinocchio takes; the true values are put back afterwards.
        balanceinertia='true',
        boundmass=repr(SMALLEST),
        boundinertia=repr(SMALLEST),
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
    z_to_normal = pin.Quaternion.FromTwoVectors(
        np.array([0.0, 0.0, 1.0]), np.array(obstacle.normal)
    )
    x, y, z, w = z_to_normal.coeffs()
    shape = {
        # The third size of a plane is the mesh of its picture.
        'plane': {'type': kinds.mjGEOM_PLANE, 'size': [0.0, 0.0, 1.0], 'quat': [w, x, y, z]},
        'box': {'type': kinds.mjGEOM_BOX, 'size': [size / 2.0 for size in obstacle.size]},
        'sphere': {'type': kinds.mjGEOM_SPHERE, 'size': [obstacle.radius, 0.0, 0.0]},
    }[obstacle.kind]
    bits = {'contype': OBSTACLE_BIT, 'conaffinity': ROBOT_BIT}
    if not obstacle.mass:
        return spec.worldbody.add_geom(pos=obstacle.position, **bits, **shape)
    body = spec.worldbody.add_body(name=THROWN + obstacle.name, pos=obstacle.position)
    body.add_freejoint()
    return body.add_geom(mass=obstacle.mass, **bits, **shape)


def _compile(mujoco: Any, spec: Any, model: RobotModel) -> tuple[Any, Any]:
    """Return MuJoCo's model and data with the inertias of the description, to the last bit."""
    # The compiler turns each tensor anew, balances and bounds it. No inertia is NaN in the spec.
    exact = [
        (body.name, body.mass, np.nan_to_num(body.fullinertia[:3]), body.iquat.copy())
        for body in spec.bodies[1:]
        if not body.name.startswith(THROWN)
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
