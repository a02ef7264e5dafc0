"""What the loop is measured against: the same algorithm with a library's calls alone.

Each function takes a list of desired positions along and returns the number of steps. They keep
no log, have no limits and no choices: the least that the algorithm costs with that library.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pinocchio as pin

from simloop_ros.core.values import Array, JointState
from simloop_ros.plants.mujoco_plant import MujocoPlant
from simloop_ros.robot.model import RobotModel

Candidate = Callable[[], int]


def two_rnea(model: RobotModel, positions: Array) -> Candidate:
    """Return (a): two calls of ``rnea`` per step, and nothing else."""
    pin_model, data = model.pin_model, model.pin_model.createData()
    v, a = np.zeros(model.n), np.ones(model.n)

    def run() -> int:
        for q in positions:
            pin.rnea(pin_model, data, q, v, a)
            pin.rnea(pin_model, data, q, v, a)
        return len(positions)

    return run


def two_rnea_one_aba(model: RobotModel, positions: Array) -> Candidate:
    """Return (b): two calls of ``rnea`` and one of ``aba`` per step, and nothing else."""
    pin_model, data = model.pin_model, model.pin_model.createData()
    v, a = np.zeros(model.n), np.ones(model.n)

    def run() -> int:
        for q in positions:
            pin.rnea(pin_model, data, q, v, a)
            pin.rnea(pin_model, data, q, v, a)
            pin.aba(pin_model, data, q, v, a)
        return len(positions)

    return run


def pybullet_alone(model: RobotModel, positions: Array, period: float) -> Candidate:
    """Return (c): algorithm, rollback and plant with PyBullet's calls."""
    from simloop_ros.plants.pybullet_plant import PyBulletPlant

    plant = PyBulletPlant(model, period)
    bullet, client = plant.client.bullet, plant.client.id
    robot, joints, n = plant.robot, plant.joints, model.n

    def run() -> int:
        q, v = positions[0], np.zeros(n)
        plant.start(JointState(q, v))
        for desired in positions:
            q_list, v_list = q.tolist(), v.tolist()
            a = ((desired - q) / period - v) / period
            tau = bullet.calculateInverseDynamics(
                robot, q_list, v_list, a.tolist(), physicsClientId=client
            )
            bullet.setJointMotorControlArray(
                robot, joints, bullet.TORQUE_CONTROL, forces=tau, physicsClientId=client
            )
            bullet.stepSimulation(physicsClientId=client)
            states = bullet.getJointStates(robot, joints, physicsClientId=client)
            measured = np.array([state[0] for state in states])
            new_v = (measured - q) / period
            bullet.calculateInverseDynamics(
                robot, q_list, v_list, ((new_v - v) / period).tolist(), physicsClientId=client
            )
            q, v = measured, new_v
        return len(positions)

    return run


def mujoco_alone(model: RobotModel, positions: Array, period: float) -> Candidate:
    """Return (d): algorithm, rollback and plant with MuJoCo's calls."""
    import mujoco

    mj_model = MujocoPlant(model, period).mj_model
    plant, control = mujoco.MjData(mj_model), mujoco.MjData(mj_model)

    def run() -> int:
        q, v = positions[0], np.zeros(model.n)
        mujoco.mj_resetData(mj_model, plant)
        plant.qpos[:], plant.qvel[:] = q, v
        for desired in positions:
            control.qpos[:], control.qvel[:] = q, v
            control.qacc[:] = ((desired - q) / period - v) / period
            mujoco.mj_inverse(mj_model, control)
            plant.qfrc_applied[:] = control.qfrc_inverse
            mujoco.mj_step(mj_model, plant)
            measured = plant.qpos.copy()
            new_v = (measured - q) / period
            control.qacc[:] = (new_v - v) / period
            mujoco.mj_inverse(mj_model, control)
            q, v = measured, new_v
        return len(positions)

    return run
