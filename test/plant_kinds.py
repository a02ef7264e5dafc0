"""Plants of all kinds, and what moves them: for tests that hold for every plant."""

import numpy as np

H = 0.002
FLOOR = {'kind': 'plane', 'name': 'floor', 'position': [0, 0, -0.6]}
BOX = {'kind': 'box', 'name': 'box', 'position': [0.4, 0.9, 1.0], 'size': [0.8, 0.8, 0.6]}
FAULTS = {
    'mass_bias': 0.1,
    'noise': 1e-4,
    'resolution': 1e-5,
    'friction': {'coulomb': 0.5, 'viscous': 0.1},
    'delay': 3,
    'pushes': [{'link': 'tool', 'start': 0.05, 'duration': 0.1, 'force': [10, 0, 5]}],
}
HANDS = [
    {
        'link': 'link6',
        'point': [0, 0, 0.1],
        'stiffness': 2000,
        'damping': 50,
        'max_force': 40,
        'start': 0.05,
        'end': 0.5,
        'path': {'kind': 'joint', 'joint': 'joint3', 'angle': 0.2, 'duration': 0.3},
    },
    {
        'link': 'link3',
        'stiffness': 500,
        'damping': 20,
        'max_force': 80,
        'start': 0.2,
        'path': {'kind': 'line', 'velocity': [0.1, 0, 0.1]},
    },
]
REAL = {'mass_bias': 0.1, 'friction': FAULTS['friction'], 'pushes': FAULTS['pushes']}
POSITION = {'takes': 'position', 'step': H / 4, 'hands': HANDS, **REAL}
PLANTS = {
    'pinocchio': {'engine': 'pinocchio'},
    'pybullet': {'engine': 'pybullet'},
    'mujoco': {'engine': 'mujoco'},
    'substeps': {'engine': 'pinocchio', 'step': H / 4},
    'faults': {'engine': 'pinocchio', **FAULTS},
    'flexible': {'flexible_joints': True},
    'flexible all': {'flexible_joints': True, **FAULTS},
    'hands': {'engine': 'pinocchio', 'hands': HANDS},
    'hands and faults': {'engine': 'pinocchio', 'hands': HANDS, 'step': H / 4, **FAULTS},
    'flexible hands': {'flexible_joints': True, 'hands': HANDS, **FAULTS},
    'position': {'engine': 'pinocchio', **POSITION},
    'pybullet contact': {'engine': 'pybullet', 'obstacles': [FLOOR, BOX]},
    'pybullet object': {'engine': 'pybullet', 'object': {'position': [0.4, 0.9, 1.0]}},
    'mujoco contact': {'engine': 'mujoco', 'obstacles': [FLOOR, BOX]},
    'pybullet all': {'engine': 'pybullet', 'obstacles': [FLOOR, BOX], 'step': H / 2, **FAULTS},
    'mujoco all': {'engine': 'mujoco', 'obstacles': [FLOOR, BOX], 'step': H / 2, **FAULTS},
    'mujoco hands': {'engine': 'mujoco', 'hands': HANDS, **FAULTS},
}


def effort(step):
    return 4.0 * np.sin(0.02 * step + np.arange(7)) * np.array([1, 2, 1, 1, 0.3, 0.2, 0.1])
