"""Is a driver as its file says, and as the model is? From what was heard to findings."""

from __future__ import annotations

from collections.abc import Iterator

from ..core.errors import ConfigError
from ..robot.model import RobotModel
from .config import DriverContract
from .effort_check import check_effort
from .finding import Finding
from .heard import Endpoint, HeardDriver, HeardStates
from .joint_order import command_joints
from .timing_check import check_timing

FOLLOWER = 'robot_follower'
STATES = 'sensor_msgs/msg/JointState'
COMMANDS = {
    'float64_multi_array': 'std_msgs/msg/Float64MultiArray',
    'joint_state': STATES,
}
"""Type of the command by ``DriverContract.message``."""


def examine(
    contract: DriverContract, model: RobotModel | None, observed: HeardDriver
) -> tuple[Finding, ...]:
    """Return what is found about a driver, in the order in which one would correct it.

    :param model: the robot; what needs it is not looked at where there is none.
    """
    return tuple(_findings(contract, model, observed))


def _findings(
    contract: DriverContract, model: RobotModel | None, observed: HeardDriver
) -> Iterator[Finding]:
    yield from _publishers(contract, observed)
    states = observed.states
    if states is not None:
        named = list(_joints(contract, model, states))
        yield from named
        yield from check_timing(contract, states)
        if model is not None and set(model.joint_names) <= set(states.joints):
            index = [states.joints.index(name) for name in model.joint_names]
            efforts = states.efforts[:, index] if states.efforts.shape[1] else states.efforts
            yield from check_effort(contract, model, states.positions[:, index], efforts)
            yield from _limits(contract, model)
    yield from _commands(contract, observed)
    yield from _controller(contract, model, observed)
    yield _silence(contract)


def _publishers(contract: DriverContract, observed: HeardDriver) -> Iterator[Finding]:
    ends, topic = observed.publishers, contract.state_topic
    if observed.states is None:
        others = f'; joint states are on {", ".join(observed.elsewhere)}'
        yield Finding(
            'wrong',
            'states',
            f'no message on {topic} within {observed.patience:g} s'
            f'{others if observed.elsewhere else ""}',
            'start the driver; compare ROS_DOMAIN_ID, namespace and state_topic',
        )
        return
    wrong = [end for end in ends if end.kind != STATES]
    if wrong:
        yield Finding('wrong', 'states', f'{wrong[0].node} publishes {wrong[0].kind}', 'rename it')
    if len(ends) > 1:
        yield Finding(
            'hint', 'states', f'{len(ends)} nodes publish them: {_nodes(ends)}', 'one is enough'
        )
    if observed.states.waited > 1.0:
        yield Finding('hint', 'states', f'the first one came after {observed.states.waited:.1f} s')
    if ends:
        found = 'reliable' if all(end.reliable for end in ends) else 'best_effort'
        if found != contract.reliability:
            remedy = f'set reliability={found}'
            yield Finding('hint', 'quality of service', f'the states are {found}', remedy)
        else:
            yield Finding('fit', 'quality of service', found)


def _joints(
    contract: DriverContract, model: RobotModel | None, states: HeardStates
) -> Iterator[Finding]:
    wanted = contract.full_joints if model is None else model.joint_names
    missing = [name for name in wanted if name not in states.joints]
    if missing:
        prefixes = _prefixes(wanted, states.joints)
        yield Finding(
            'wrong',
            'joints',
            f'the driver does not publish {", ".join(missing)}, but {", ".join(states.joints)}',
            f'their prefix is {prefixes!r}: set prefix, and take a URDF with it'
            if prefixes
            else "take the URDF of the driver's own description",
        )
    elif wanted:
        further = len(states.joints) - len(wanted)
        more = f', and {further} that are not of the model' if further else ''
        yield Finding('fit', 'joints', f'all {len(wanted)} are published{more}')
    if model is None:
        yield Finding('hint', 'model', 'none given', 'give --robot to compare joints and efforts')
        return
    try:
        command_joints(contract.full_joints, model)
    except ConfigError as error:
        yield Finding('wrong', 'joints', str(error).removeprefix('joints: '))


def _prefixes(wanted: tuple[str, ...], found: tuple[str, ...]) -> str:
    """Return what the names of the driver's joints have before those of the model; or nothing."""
    ends = {name[: -len(wanted[0])] for name in found if name.endswith(wanted[0])}
    return next((p for p in ends if p and all(f'{p}{name}' in found for name in wanted)), '')


def _limits(contract: DriverContract, model: RobotModel) -> Iterator[Finding]:
    pairs = (
        ('effort_limit', model.effort_limit, 'N m'),
        ('velocity_limit', model.velocity_limit, 'rad/s'),
    )
    for key, limits, unit in pairs:
        for name, limit in zip(model.joint_names, limits, strict=True):
            stated = getattr(contract, key).get(contract.short_name(name))
            if stated is not None and limit > 1.01 * stated:
                yield Finding(
                    'hint',
                    'limits',
                    f'the URDF allows {name} {limit:g} {unit}, its maker {stated:g}',
                    f'lower its {"effort" if key == "effort_limit" else "velocity"} in the URDF',
                )


def _commands(contract: DriverContract, observed: HeardDriver) -> Iterator[Finding]:
    topic, kind = contract.command_topic, COMMANDS[contract.message]
    controller = topic.split('/')[-2:][0]
    if not observed.listeners:
        yield Finding(
            'wrong',
            'commands',
            f'nobody listens on {topic}',
            f'ros2 control switch_controllers --activate {controller}, or set command_topic',
        )
    other = [end for end in observed.listeners if end.kind != kind]
    if other:
        yield Finding(
            'wrong',
            'commands',
            f'{other[0].node} takes {other[0].kind} on {topic}, and not {kind}',
            'set message, or command_topic',
        )
    elif observed.listeners:
        yield Finding('fit', 'commands', f'{_nodes(observed.listeners)} listens on {topic}')
    if observed.speakers:
        mine = all(end.node.endswith(FOLLOWER) for end in observed.speakers)
        yield Finding(
            'wrong',
            'commands',
            f'{_nodes(observed.speakers)} publishes on {topic}',
            'the suite runs already' if mine else 'stop it: a robot obeys one at a time',
        )


def _controller(
    contract: DriverContract, model: RobotModel | None, observed: HeardDriver
) -> Iterator[Finding]:
    answer = observed.controller
    if answer is None:
        if observed.listeners and contract.message == 'float64_multi_array':
            yield Finding(
                'hint',
                'order',
                'the controller does not tell its joints',
                "compare them with the driver file's by hand",
            )
        return
    if answer.interface and answer.interface != contract.takes:
        yield Finding(
            'wrong',
            'commands',
            f'the controller takes {answer.interface}, and not {contract.takes}',
            f'choose another controller, or set takes={answer.interface}',
        )
    wanted = contract.full_joints
    if not wanted and model is not None:
        wanted = model.joint_names
    if contract.message == 'float64_multi_array' and wanted and answer.joints != wanted:
        short = ', '.join(contract.short_name(name) for name in answer.joints)
        yield Finding(
            'wrong',
            'order',
            f'the controller has its joints in the order {", ".join(answer.joints)}',
            f'set joints=[{short}]',
        )
    elif wanted:
        yield Finding('fit', 'order', "that of the controller's joints")


def _silence(contract: DriverContract) -> Finding:
    words = {
        'holds': 'the driver holds the last one for ever',
        'unknown': 'what the driver does is not known',
        'decays': 'the driver lets them fade',
        'faults': 'the driver faults',
    }
    what = f'when commands stop, {words[contract.when_silent]}'
    if contract.when_silent in ('holds', 'unknown'):
        remedy = f'simloop launch starts {FOLLOWER} beside it, which brings the robot to rest'
        return Finding('hint', 'silence', what, remedy)
    return Finding('fit', 'silence', what)


def _nodes(ends: tuple[Endpoint, ...]) -> str:
    return ', '.join(end.node for end in ends)
