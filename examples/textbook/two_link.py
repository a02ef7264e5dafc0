"""The two-link arm of 004, in closed form: by Newton and Euler, and by Lagrange.

004 has no equation numbers; its slides are cited by their titles. Both links turn in one vertical
plane, with ``i`` the horizontal and ``j`` the upward axis::

    m_i       mass of link i [kg]
    l_1       length of link 1, from joint 1 to joint 2 [m]
    c_i       distance from joint i to the centre of mass of link i [m]
    I_i       inertia of link i about its centre of mass [kg m^2]
    g         gravitational acceleration, downward [m/s^2]
    theta_1   angle of link 1 above the horizontal [rad]
    theta_2   angle of link 2 from the direction of link 1 [rad], positive in the same sense

Angles, velocities, accelerations and torques have the shape ``(..., 2)``: one pose or many.
004's Lagrange slides count ``theta_1`` from hanging down instead, which is ``theta_1 + pi/2``.
"""

from __future__ import annotations

from math import isfinite

import msgspec
import numpy as np

from simloop_ros.core.errors import ConfigError
from simloop_ros.core.values import Array


class TwoLinkArm(msgspec.Struct, frozen=True, kw_only=True):
    """The numbers of the arm; see the top of the file.

    Each length may be any number; masses and, about its joint, the inertia of a link are positive.
    """

    m1: float
    m2: float
    l1: float
    c1: float
    c2: float
    I1: float
    I2: float
    g: float

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            if not isfinite(getattr(self, name)):
                raise ConfigError(f'{name} = {getattr(self, name)}: give a finite number')
        for name in ('m1', 'm2'):
            if getattr(self, name) <= 0.0:
                raise ConfigError(f'{name} = {getattr(self, name):g}: give a mass above 0 kg')
        for name in ('I1', 'I2'):
            if getattr(self, name) < 0.0:
                raise ConfigError(f'{name} = {getattr(self, name):g}: give 0 kg m^2 or more')
        if self.I1 + self.m1 * self.c1**2 == 0.0 or self.I2 + self.m2 * self.c2**2 == 0.0:
            raise ConfigError(
                'a link has no inertia about its joint, so that any torque would turn it at once: '
                'give it I or c'
            )


class DTerms(msgspec.Struct, frozen=True, gc=False):
    """Every D of 004, "Lagrangian method for two joint manipulator"; ``D_12`` is ``[..., 0, 1]``.

    :ivar D_ij: inertia (``i = j``) and coupling [kg m^2], shape ``(..., 2, 2)``.
    :ivar D_ijk: centrifugal (``j = k``) and Coriolis coefficients [kg m^2], ``(..., 2, 2, 2)``.
    :ivar D_i: torque of gravity [N m], shape ``(..., 2)``.
    """

    D_ij: Array
    D_ijk: Array
    D_i: Array


class Contributions(msgspec.Struct, frozen=True, gc=False):
    """What a torque is made of: five parts [N m], shape ``(..., 2)`` each.

    :ivar inertia: ``D_ii theta_i''``.
    :ivar coupling: ``D_ij theta_j''``, of the other joint.
    :ivar centrifugal: ``D_i11 theta_1'^2 + D_i22 theta_2'^2``.
    :ivar coriolis: ``(D_i12 + D_i21) theta_1' theta_2'``.
    :ivar gravity: ``D_i``.
    """

    inertia: Array
    coupling: Array
    centrifugal: Array
    coriolis: Array
    gravity: Array

    @property
    def torque(self) -> Array:
        """Return their sum [N m], shape ``(..., 2)``: 004's equations for tau_1 and tau_2."""
        return self.inertia + self.coupling + self.centrifugal + self.coriolis + self.gravity


class JointLoads(msgspec.Struct, frozen=True, gc=False):
    """What a joint does to the link that it carries.

    :ivar torque: about the joint's axis [N m], shape ``(..., 2)``.
    :ivar force: along ``i`` and ``j`` [N], shape ``(..., 2, 2)``, the joint being the last index
        but one. Lagrange does not know it.
    """

    torque: Array
    force: Array


def rods(
    m1: float, m2: float, l1: float, l2: float, *, radius: float = 0.0, g: float
) -> TwoLinkArm:
    """Return the arm of 004, "Newton-Euler-Equations": two solid cylinders.

    ``c_i = l_i/2`` and ``I_i = m_i l_i^2/12 + m_i R^2/4``.

    :param radius: R of both [m].
    """
    return TwoLinkArm(
        m1=m1,
        m2=m2,
        l1=l1,
        c1=0.5 * l1,
        c2=0.5 * l2,
        I1=m1 * l1**2 / 12.0 + m1 * radius**2 / 4.0,
        I2=m2 * l2**2 / 12.0 + m2 * radius**2 / 4.0,
        g=g,
    )


def point_masses(m1: float, m2: float, d1: float, d2: float, *, g: float) -> TwoLinkArm:
    """Return the arm of 004, "Lagrangian method": a mass at the end of each massless link."""
    return TwoLinkArm(m1=m1, m2=m2, l1=d1, c1=d1, c2=d2, I1=0.0, I2=0.0, g=g)


def d_terms(arm: TwoLinkArm, theta: Array) -> DTerms:
    """Return every D, from ``d/dt dL/dtheta_i' - dL/dtheta_i`` with ``L = K - P``.

    With ``k = m_2 l_1 c_2``::

        D_11 = m_1 c_1^2 + I_1 + m_2 (l_1^2 + c_2^2) + I_2 + 2 k cos theta_2
        D_12 = D_21 = m_2 c_2^2 + I_2 + k cos theta_2
        D_22 = m_2 c_2^2 + I_2
        D_122 = D_112 = D_121 = -k sin theta_2,   D_211 = k sin theta_2
        D_111 = D_222 = D_212 = D_221 = 0
        D_1 = (m_1 c_1 + m_2 l_1) g cos theta_1 + m_2 c_2 g cos(theta_1 + theta_2)
        D_2 = m_2 c_2 g cos(theta_1 + theta_2)

    004 leaves open how the factor of ``theta_1' theta_2'`` is split; it is halved here, so that
    ``D_ijk`` are Christoffel's symbols.
    """
    theta1, theta2 = _parts('theta', theta)
    m1, m2, l1, c1, c2 = arm.m1, arm.m2, arm.l1, arm.c1, arm.c2
    k_cos = m2 * l1 * c2 * np.cos(theta2)
    k_sin = m2 * l1 * c2 * np.sin(theta2)

    D_ij = np.empty((*np.shape(theta2), 2, 2))
    own = m2 * c2**2 + arm.I2
    D_ij[..., 0, 0] = m1 * c1**2 + arm.I1 + m2 * l1**2 + own + 2.0 * k_cos
    D_ij[..., 0, 1] = D_ij[..., 1, 0] = own + k_cos
    D_ij[..., 1, 1] = own

    D_ijk = np.zeros((*np.shape(theta2), 2, 2, 2))
    D_ijk[..., 0, 1, 1] = D_ijk[..., 0, 0, 1] = D_ijk[..., 0, 1, 0] = -k_sin
    D_ijk[..., 1, 0, 0] = k_sin

    D_2 = m2 * c2 * arm.g * np.cos(theta1 + theta2)
    D_1 = (m1 * c1 + m2 * l1) * arm.g * np.cos(theta1) + D_2
    return DTerms(D_ij, D_ijk, np.stack([D_1, D_2], axis=-1))


def lagrange(arm: TwoLinkArm, theta: Array, velocity: Array, acceleration: Array) -> Contributions:
    """Return what moves the arm so, part by part: 004's equations for tau_1 and tau_2.

    ``tau_i = sum_j D_ij theta_j'' + sum_jk D_ijk theta_j' theta_k' + D_i``

    :param velocity: [rad/s].
    :param acceleration: [rad/s^2].
    """
    D = d_terms(arm, theta)
    v1, v2 = _parts('velocity', velocity)
    a1, a2 = _parts('acceleration', acceleration)
    D_ij, D_ijk = D.D_ij, D.D_ijk
    return Contributions(
        inertia=_pair(D_ij[..., 0, 0] * a1, D_ij[..., 1, 1] * a2),
        coupling=_pair(D_ij[..., 0, 1] * a2, D_ij[..., 1, 0] * a1),
        centrifugal=_pair(
            D_ijk[..., 0, 0, 0] * v1**2 + D_ijk[..., 0, 1, 1] * v2**2,
            D_ijk[..., 1, 0, 0] * v1**2 + D_ijk[..., 1, 1, 1] * v2**2,
        ),
        coriolis=_pair(
            (D_ijk[..., 0, 0, 1] + D_ijk[..., 0, 1, 0]) * v1 * v2,
            (D_ijk[..., 1, 0, 1] + D_ijk[..., 1, 1, 0]) * v1 * v2,
        ),
        gravity=D.D_i,
    )


def newton_euler(
    arm: TwoLinkArm, theta: Array, velocity: Array, acceleration: Array
) -> JointLoads:
    """Return what moves the arm so, by the balance of forces on each link.

    004, "Newton-Euler-Equations for 2 DOF manipulator": ``F_i = m_i r_i''`` on the centre of mass
    and ``I_i omega_i'`` about it, with ``omega_2 = theta_1' + theta_2'`` and::

        r_1 = c_1 (cos theta_1, sin theta_1)
        r_2 = l_1 (cos theta_1, sin theta_1) + c_2 (cos(theta_1 + theta_2), sin(theta_1 + theta_2))

    ``F_i`` is the sum of all forces, weight among them; what the joints bear is the rest, taken
    from the outer link inward, each torque about the joint itself.

    :param velocity: [rad/s].
    :param acceleration: [rad/s^2].
    """
    theta1, theta2 = _parts('theta', theta)
    v1, v2 = _parts('velocity', velocity)
    a1, a2 = _parts('acceleration', acceleration)
    along1, along2 = _direction(theta1), _direction(theta1 + theta2)
    elbow, r1, r2_from_elbow = arm.l1 * along1, arm.c1 * along1, arm.c2 * along2
    up = np.array([0.0, arm.g])
    F1_and_weight = arm.m1 * (_turning(r1, v1, a1) + up)
    r2_acceleration = _turning(elbow, v1, a1) + _turning(r2_from_elbow, v1 + v2, a1 + a2)
    F2_and_weight = arm.m2 * (r2_acceleration + up)

    force2 = F2_and_weight
    torque2 = arm.I2 * (a1 + a2) + _cross(r2_from_elbow, F2_and_weight)
    force1 = F1_and_weight + force2
    torque1 = arm.I1 * a1 + _cross(r1, F1_and_weight) + _cross(elbow, force2) + torque2
    return JointLoads(_pair(torque1, torque2), np.stack([force1, force2], axis=-2))


def coriolis_matrix(terms: DTerms, velocity: Array) -> Array:
    """Return ``C`` of 000 (3.5), ``C_ij = sum_k D_ijk theta_k'`` [kg m^2/s], ``(..., 2, 2)``.

    Of all matrices with the same ``C theta'`` it is the one that makes ``dD/dt - 2 C``
    skew-symmetric: what these forces do to one joint they take from the other.
    """
    return np.einsum('...ijk,...k->...ij', terms.D_ijk, velocity)


def forward_dynamics(arm: TwoLinkArm, theta: Array, velocity: Array, torque: Array) -> Array:
    """Return the acceleration ``D^-1 (tau - V - G)`` [rad/s^2], shape ``(..., 2)``.

    004, "General dynamic equations": ``tau = M theta'' + V(theta, theta') + G(theta)``.
    """
    D = d_terms(arm, theta)
    V = np.einsum('...ij,...j->...i', coriolis_matrix(D, velocity), velocity)
    free1, free2 = _parts('torque', torque - V - D.D_i)
    D11, D12, D22 = D.D_ij[..., 0, 0], D.D_ij[..., 0, 1], D.D_ij[..., 1, 1]
    determinant = D11 * D22 - D12**2
    return _pair(
        (D22 * free1 - D12 * free2) / determinant, (D11 * free2 - D12 * free1) / determinant
    )


def kinetic_energy(arm: TwoLinkArm, theta: Array, velocity: Array) -> Array:
    """Return ``K_1 + K_2`` of 004 [J], shape ``(...)``; ``v_2`` is that of the centre of mass."""
    theta1, theta2 = _parts('theta', theta)
    v1, v2 = _parts('velocity', velocity)
    both = v1 + v2
    x = arm.l1 * np.sin(theta1) * v1 + arm.c2 * np.sin(theta1 + theta2) * both
    y = arm.l1 * np.cos(theta1) * v1 + arm.c2 * np.cos(theta1 + theta2) * both
    K_1 = 0.5 * (arm.m1 * arm.c1**2 + arm.I1) * v1**2
    return K_1 + 0.5 * arm.m2 * (x**2 + y**2) + 0.5 * arm.I2 * both**2


def potential_energy(arm: TwoLinkArm, theta: Array) -> Array:
    """Return ``P_1 + P_2`` of 004 [J], shape ``(...)``; zero at the height of joint 1."""
    theta1, theta2 = _parts('theta', theta)
    elbow = np.sin(theta1)
    P_1 = arm.m1 * arm.g * arm.c1 * elbow
    return P_1 + arm.m2 * arm.g * (arm.l1 * elbow + arm.c2 * np.sin(theta1 + theta2))


def _parts(name: str, values: Array) -> tuple[Array, Array]:
    """Return both columns of an array of shape ``(..., 2)``."""
    values = np.asarray(values, float)
    if values.ndim == 0 or values.shape[-1] != 2:
        raise ConfigError(
            f'{name} has the shape {values.shape}; a two-link arm needs (2,), or (..., 2) for many'
        )
    return values[..., 0], values[..., 1]


def _pair(first: Array, second: Array) -> Array:
    return np.stack([first, second], axis=-1)


def _direction(angle: Array) -> Array:
    return _pair(np.cos(angle), np.sin(angle))


def _turning(r: Array, omega: Array, omega_rate: Array) -> Array:
    """Return the second derivative of a vector that turns: ``omega' x r - omega^2 r``."""
    across = _pair(-r[..., 1], r[..., 0])
    return omega_rate[..., None] * across - (omega**2)[..., None] * r


def _cross(r: Array, force: Array) -> Array:
    return r[..., 0] * force[..., 1] - r[..., 1] * force[..., 0]
