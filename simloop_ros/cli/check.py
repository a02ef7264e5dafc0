"""``simloop check``: is this model fit for control, and what is it like?"""

from __future__ import annotations

import argparse
from collections.abc import Mapping

import msgspec
import numpy as np

from ..core.config_messages import convert
from ..core.errors import ConfigError, GoalError, ModelError, UnknownNameError
from ..core.files import load_yaml
from ..core.resources import resource_folder
from ..core.values import Array
from ..planning.home import HomeSearch
from ..report.robot_table import home_setting, robot_lines
from ..robot.chain import chain_to
from ..robot.check import check_robot
from ..robot.model import RobotModel
from ..robot.problem import Problem
from ..robot.srdf import Semantics, find_srdf, read_semantics
from ..robot.urdf import find_description
from ..robot.weight import weight_notes, worst_weights
from ..scenario.robot_files import robot_config

FIXED = (
    'fit for control only with its base held fixed: by its SRDF file the base moves freely ({}); '
    'here it can neither fall, walk, drive nor fly'
)
"""Verdict on a robot whose base is free, with the name of the joint by which it is."""


def call(options: argparse.Namespace) -> int:
    """Print what a robot is like, and its problems; 1 if it is unfit."""
    given = {key: getattr(options, key) for key in ('tips', 'lock', 'packages')}
    changes = {key: tuple(value) for key, value in given.items() if value is not None}
    config = msgspec.structs.replace(robot_config(options.robot), **changes)
    urdf = find_description(config.urdf, resource_folder('urdf'))
    semantics = read_semantics(find_srdf(urdf) if options.srdf is None else [options.srdf], urdf)
    if options.home is not None:
        config = msgspec.structs.replace(config, home=_posture(options.home, semantics))
    checked = check_robot(config, resource_folder('urdf'))
    problems, model = checked.problems, checked.model
    lines: list[str] = []
    if model is not None:
        tips = model.tips or _end(model)
        worst = worst_weights(model)
        print('\n'.join(robot_lines(model, tips, worst)))
        problems += [*_weight_problem(model), *_worst_problem(model, worst)]
        problems += (broken := _mesh_problem(model))
        lines = [f'posture {name}, of the SRDF file: --home {name}' for name in semantics.postures]
        if not broken:
            lines += _home_lines(model, tips, semantics.postures)
        if options.home is not None:
            lines.append(f'home   for simloop run: {home_setting(model, model.home)}')
    for problem in sorted(problems, key=lambda problem: not problem.fatal):
        kind = 'unfit' if problem.fatal else 'hint '
        print(f'{kind}  {problem.where}: {problem.what}; {problem.remedy}')
    unfit = sum(problem.fatal for problem in problems)
    fit = 'fit for control' if not semantics.floating else FIXED.format(semantics.floating)
    verdict = f'{options.robot}: {f"unfit, {unfit} to correct" if unfit else fit}'
    print('\n'.join([*lines, verdict]))
    return 1 if unfit else 0


def _posture(given: str, semantics: Semantics) -> dict[str, float]:
    """Return a posture by its name in an SRDF file, or as it is given."""
    if given.startswith('{'):
        try:
            posture = load_yaml(given)
        except ConfigError as error:
            raise ConfigError(f'--home: {error}') from error
        return convert(posture, dict[str, float], '--home', '--home')
    if given in semantics.foreign:
        raise ConfigError(f'--home {given}: the SRDF file names no joint of this robot there')
    if given not in semantics.postures:
        valid = semantics.postures or ('{JOINT: VALUE, ...}, as no SRDF file with one was found',)
        raise UnknownNameError('posture', given, valid)
    return semantics.postures[given]


def _weight_problem(model: RobotModel) -> list[Problem]:
    try:
        notes = weight_notes(model, model.home[None], 'at home')
    except GoalError as error:
        what = str(error).partition('; ')[0]
        remedy = 'take another one, as below, a lighter load, or correct the limit in the URDF'
        return [Problem('robot.home', what, remedy)]
    return [Problem('robot.home', note, 'choose another one', fatal=False) for note in notes]


def _mesh_problem(model: RobotModel) -> list[Problem]:
    try:
        model.collision_geometry()
    except ModelError as error:
        what, _, remedy = str(error).rpartition('; ')
        return [Problem('mesh', what, remedy)]
    return []


def _worst_problem(model: RobotModel, worst: Array) -> list[Problem]:
    shares = worst / model.effort_limit
    weak = [i for i in np.argsort(-shares, kind='stable') if shares[i] > 1.0]
    if not weak:
        return []
    names = ', '.join(f'{model.joint_names[i]} ({100.0 * shares[i]:.0f} %)' for i in weak)
    what = f'its own weight is more than these joints can bear at their worst posture: {names}'
    remedy = 'keep away from there, take a lighter load, or correct the limits in the URDF'
    return [Problem('weight', what, remedy, fatal=False)]


def _home_lines(
    model: RobotModel, tips: tuple[str, ...], postures: Mapping[str, Mapping[str, float]]
) -> list[str]:
    """Return what is bad about the home, and a better one."""
    search = HomeSearch(model, tips)
    faults = search.faults(model.home)
    if not faults:
        return []
    lines = [f'home   {fault}' for fault in faults]
    for name, posture in postures.items():
        pairs = zip(model.joint_names, model.home, strict=True)
        q = np.array([posture.get(joint, value) for joint, value in pairs])
        if (q >= model.lower).all() and (q <= model.upper).all() and not search.faults(q):
            return [
                *lines,
                f'home   better, posture {name}; for simloop run: {home_setting(model, q)}',
            ]
    found = search.propose()
    better = (
        'no posture without such faults was found; choose one with robot.home'
        if found is None
        else f'better, found by a search; for simloop run: {home_setting(model, found)}'
    )
    return [*lines, f'home   {better}']


def _end(model: RobotModel) -> tuple[str, ...]:
    """Return the link with most joints before it, for a robot without tips."""
    frames = model.pin_model.frames
    moving = [link for link in model.links if frames[model.frame(link)].parentJoint != 0]
    return (max(reversed(moving), key=lambda link: len(chain_to(model, link).joints)),)
