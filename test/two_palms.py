"""Two hands on slides, up and down (`lift`) and along a beam between them (`reach`)."""

import numpy as np

G = 9.82
GAP = 0.01
"""Distance of each palm from its end of the beam at home [m]."""
LENGTH = 0.08
SLOW = 100.0
"""Natural frequency of the slides' drives [rad/s]; critically damped."""

HAND = """
<link name="{name}_mast"><inertial><mass value="{mass}"/>
  <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="{name}"><inertial><mass value="{mass}"/>
  <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="{name}_palm"/><link name="{name}_sensor"/>
<joint name="{name}_lift" type="prismatic">
  <parent link="world"/><child link="{name}_mast"/><axis xyz="0 0 1"/>
  <limit lower="-10" upper="10" effort="1e6" velocity="10"/></joint>
<joint name="{name}_reach" type="prismatic"><origin xyz="0 {side} 0"/>
  <parent link="{name}_mast"/><child link="{name}"/><axis xyz="0 1 0"/>
  <limit lower="-10" upper="10" effort="1e6" velocity="10"/></joint>
<joint name="{name}_fix" type="fixed"><origin rpy="{roll} 0 0"/>
  <parent link="{name}"/><child link="{name}_palm"/></joint>
<joint name="{name}_wrist" type="fixed"><origin xyz="0.01 0.02 -0.07" rpy="0.3 -0.5 0.7"/>
  <parent link="{name}_palm"/><child link="{name}_sensor"/></joint>
"""


def robot(load, mass=2.0, **config):
    side = LENGTH / 2 + GAP
    hands = HAND.format(name='left', side=side, roll=np.pi / 2, mass=mass) + HAND.format(
        name='right', side=-side, roll=-np.pi / 2, mass=mass
    )
    return load(
        f'<robot name="hands"><link name="world"/>{hands}</robot>',
        tips=('left_palm', 'right_palm'),
        **config,
    )


def drive(plant, close, lift=0.0, mass=2.0):
    """Take a step towards palms that are each ``close`` nearer to the beam and lifted."""
    truth = plant.truth
    target = np.array([lift, -close, lift, close])
    inertia = np.array([2 * mass, mass, 2 * mass, mass])
    a = SLOW**2 * (target - truth.position) - 2 * SLOW * truth.velocity
    plant.step(inertia * (a + np.array([G, 0, G, 0])))
