"""Parameters are the configuration: its names, defaults and limits; nothing is lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
import math
from pathlib import Path
import subprocess
import sys
from typing import Annotated, Any, Literal

from hypothesis import given
from hypothesis import strategies as st
import msgspec
import pytest
from rcl_interfaces.msg import SetParametersResult
import rclpy
from rclpy.context import Context
from rclpy.node import Node
from rclpy.parameter import Parameter
import yaml

from simloop_ros.control.config import ControlConfig
from simloop_ros.core.config_types import Positive, variants
from simloop_ros.core.errors import ConfigError, UnknownNameError
from simloop_ros.planning.config import (
    BimanualMotionConfig,
    CartesianConfig,
    CustomPlannerConfig,
    GuidingConfig,
    HoldConfig,
    OfflineConfig,
    OnlineConfig,
    PlannerConfig,
)
from simloop_ros.plants.config import Friction, Obstacle, PlantConfig, Push
from simloop_ros.robot.config import RobotConfig
from simloop_ros.ros.node.parameter_values import config_parameters, parameter_values, parse_config
from simloop_ros.ros.node.parameters import changed_config, declare_config, read_config
from simloop_ros.scenario.loading import load_scenario, scenario_names
from simloop_ros.scenario.scenario import Scenario

BLOCKS: dict[str, type[msgspec.Struct]] = {
    'robot': RobotConfig,
    'planner': PlannerConfig,
    'control': ControlConfig,
    'plant': PlantConfig,
}
PLANNERS = variants(PlannerConfig)
SCENARIOS = [name for name in scenario_names() if name != 'step']  # which has no robot of its own
MakeNode = Callable[..., Node]


class Inner(msgspec.Struct, frozen=True):
    """A section.

    :ivar level: a number.
    """

    level: Positive = 1.0


class Rare(msgspec.Struct, frozen=True, kw_only=True):
    """Types that the blocks may come to use.

    :ivar count: needed.
    :ivar limit: whole, or left out.
    :ivar label: left out where empty.
    :ivar graphs: some of a few words.
    :ivar share: below one.
    :ivar rank: above zero.
    :ivar on: yes or no.
    :ivar free: any number.
    :ivar section: may be absent.
    """

    count: int
    limit: Annotated[int, msgspec.Meta(ge=0)] | None = None
    label: str | None = None
    graphs: tuple[Literal['force', 'path'], ...] = ('force', 'path')
    share: Annotated[float, msgspec.Meta(ge=0.0, lt=1.0)] = 0.5
    rank: Annotated[int, msgspec.Meta(gt=0, lt=9)] = 1
    on: bool = True
    free: float = 0.0
    inner: Inner = Inner(level=7.0)
    section: Inner | None = None


@pytest.fixture
def make_node(monkeypatch: pytest.MonkeyPatch) -> Iterator[MakeNode]:
    """Make nodes called ``block``, each in a context of its own."""
    monkeypatch.setenv('ROS_DOMAIN_ID', '101')
    monkeypatch.setenv('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    monkeypatch.setenv('FASTDDS_BUILTIN_TRANSPORTS', 'UDPv4')
    made: list[tuple[Node, Context]] = []

    def make(arguments: tuple[str, ...] = (), overrides: dict[str, Any] | None = None) -> Node:
        context = Context()
        rclpy.init(args=list(arguments), context=context)
        given = [Parameter(name, value=value) for name, value in (overrides or {}).items()]
        node = Node('block', context=context, parameter_overrides=given)
        made.append((node, context))
        return node

    yield make
    for node, context in made:
        node.destroy_node()
        context.shutdown()


def parameter_file(folder: Path, values: dict[str, Any]) -> tuple[str, ...]:
    """Write a parameter file and return the arguments that name it."""
    path = folder / 'parameters.yaml'
    path.write_text(yaml.safe_dump({'block': {'ros__parameters': values}}))
    return ('--ros-args', '--params-file', str(path))


def exactly(config: msgspec.Struct) -> str:
    """Return what tells any two configurations apart, also -0.0 and 0.0."""
    return repr(config)


def prefix_of(kind: type[msgspec.Struct]) -> str:
    return kind.__name__.removesuffix('Config').lower()


def blocks_of(scenario: Scenario) -> dict[str, Any]:
    return {prefix: getattr(scenario, prefix) for prefix in BLOCKS}


finite = st.floats(allow_nan=False, allow_infinity=False)
positive = st.floats(min_value=0.0, exclude_min=True, allow_infinity=False)
non_negative = st.floats(min_value=0.0, allow_infinity=False)
vector = st.tuples(finite, finite, finite)
names = st.lists(st.text(min_size=1), max_size=3).map(tuple)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | finite | st.text(),
    lambda values: st.lists(values, max_size=3) | st.dictionaries(st.text(), values, max_size=3),
    max_leaves=5,
)
mappings = st.dictionaries(st.text(), json_values, max_size=3)
angle = st.floats(-6.0, 6.0)
planners = st.one_of(
    st.builds(OnlineConfig, move=st.lists(vector).map(tuple), leash=non_negative),
    st.builds(
        OfflineConfig,
        jerk=positive,
        profile=st.sampled_from(['jerk_limited', 'constant_acceleration']),
    ),
    st.builds(
        CartesianConfig,
        corners=st.lists(vector).map(tuple),
        closed=st.booleans(),
        tip=st.none() | st.text(min_size=1),
        orientation=st.none() | st.tuples(angle, angle, angle),
        profile=st.sampled_from(['quintic', 'trapezoidal', 'time_optimal']),
        duration=positive,
    ),
    st.builds(BimanualMotionConfig),
    st.builds(HoldConfig),
    st.builds(GuidingConfig, threshold=non_negative, tare_time=positive),
    st.builds(CustomPlannerConfig, kind=st.just('a.b:C'), parameters=mappings),
)
configs = st.one_of(
    planners,
    st.builds(
        ControlConfig,
        law=st.sampled_from(['deadbeat', 'computed_torque', 'pd_gravity', 'pid']),
        rollback=st.sampled_from([None, 'measured', 'observer']),
        regularisation=non_negative,
        bandwidth=positive,
    ),
    st.builds(ControlConfig, law=st.just('my.module:Law'), parameters=mappings),
    st.builds(
        RobotConfig,
        urdf=st.text(),
        tips=names,
        home=st.dictionaries(st.text(), finite),
        gravity=vector,
    ),
    st.builds(
        PlantConfig,
        step=st.none() | positive,
        mass_bias=st.floats(min_value=-1.0, exclude_min=True, allow_infinity=False),
        friction=st.builds(Friction, coulomb=non_negative, viscous=non_negative),
        delay=st.integers(0, 10_000),
        pushes=st.lists(
            st.builds(Push, link=st.text(), start=non_negative, duration=positive, force=vector)
        ).map(tuple),
        obstacles=st.lists(
            st.builds(Obstacle, kind=st.sampled_from(['plane', 'box']), name=st.text())
        ).map(tuple),
    ),
    st.builds(
        Rare,
        count=st.integers(-(2**63), 2**63 - 1),
        limit=st.none() | st.integers(0, 2**53),
        label=st.none() | st.text(min_size=1),
        graphs=st.lists(st.sampled_from(['force', 'path'])).map(tuple),
        on=st.booleans(),
        free=finite,
        section=st.none() | st.builds(Inner, level=positive),
    ),
)


@given(configs, st.sampled_from(['', 'block', 'a.b']))
def test_a_configuration_survives_as_values(config: msgspec.Struct, prefix: str) -> None:
    values = parameter_values(config, prefix)
    assert exactly(parse_config(type(config), prefix, values)) == exactly(config)


@given(configs)
def test_values_are_of_the_types_that_ros_has(config: msgspec.Struct) -> None:
    values = parameter_values(config, 'block')
    for parameter in config_parameters(type(config), 'block'):
        found = Parameter.Type.from_parameter_value(values[parameter.name])
        assert found is Parameter.Type[parameter.form]


@pytest.mark.parametrize('name', SCENARIOS)
def test_a_shipped_scenario_survives_as_values(name: str) -> None:
    scenario = load_scenario(name)
    values = parameter_values(scenario, '')
    assert parse_config(Scenario, '', values) == scenario
    for prefix, config in blocks_of(scenario).items():
        own = parameter_values(config, prefix)
        assert repr(own) == repr({name: values[name] for name in own})
        assert parse_config(type(config), prefix, own) == config


def test_names_and_values_are_plain() -> None:
    config = PlantConfig(noise=1e-5, pushes=(Push('arm', 0.5, 1.0),))
    values = parameter_values(config, 'plant')
    step, pushes = values.pop('plant.step'), values.pop('plant.pushes')
    assert isinstance(step, float)
    assert math.isnan(step)
    assert isinstance(pushes, str)
    assert yaml.safe_load(pushes) == [
        {'link': 'arm', 'start': 0.5, 'duration': 1.0, 'force': [0.0] * 3, 'torque': [0.0] * 3}
    ]
    assert values == {
        'plant.engine': 'pinocchio',
        'plant.parameters': '{}',
        'plant.takes': 'effort',
        'plant.servo.bandwidth': 100.0,
        'plant.servo.give': 0.01,
        'plant.mass_bias': 0.0,
        'plant.noise': 1e-5,
        'plant.resolution': 0.0,
        'plant.flexible_joints': False,
        'plant.torque_control.natural_frequency': 500.0,
        'plant.torque_control.damping_ratio': 0.8,
        'plant.friction.coulomb': 0.0,
        'plant.friction.viscous': 0.0,
        'plant.delay': 0,
        'plant.wrenches': '',
        'plant.payloads': '[]',
        'plant.hands': '[]',
        'plant.obstacles': '[]',
        'plant.object': 'null',
        'plant.sensors': 'null',
        'plant.torque_sensors': 'null',
        'plant.stops': '[]',
    }
    values = parameter_values(RobotConfig(urdf='a.urdf', home={'j': 1.0}), 'robot')
    ratio = values.pop('robot.flexible_joints.damping_ratio')
    assert isinstance(ratio, float)
    assert math.isnan(ratio)
    assert values == {
        'robot.urdf': 'a.urdf',
        'robot.tips': [''],
        'robot.sensors': [''],
        'robot.home': '{"j":1.0}',
        'robot.lock': [''],
        'robot.payloads': '[]',
        'robot.friction': '{}',
        'robot.packages': [''],
        'robot.gravity': [0.0, 0.0, -9.82],
        'robot.flexible_joints.motor_inertia': '{}',
        'robot.flexible_joints.stiffness': '{}',
    }
    assert parameter_values(ControlConfig(), 'control')['control.rollback'] == ''


def test_values_need_no_ros() -> None:
    code = 'import simloop_ros.ros.node.parameter_values, sys; sys.exit("rclpy" in sys.modules)'
    assert subprocess.run([sys.executable, '-c', code], check=False).returncode == 0


@pytest.mark.parametrize(
    ('given', 'expected'),
    [
        ({'plant.noise': 1}, PlantConfig(noise=1.0)),
        ({'plant.friction.viscous': 2}, PlantConfig(friction=Friction(viscous=2.0))),
        ({'plant.step': math.nan}, PlantConfig()),
        ({'plant.step': 1e-3, 'planner.kind': 5}, PlantConfig(step=1e-3)),
        (
            {'plant.pushes': '- {link: arm, start: 1e-3, duration: 2, force: [1, 0, 0]}'},
            PlantConfig(pushes=(Push('arm', 1e-3, 2.0, (1.0, 0.0, 0.0)),)),
        ),
        ({'robot.urdf': 'a', 'robot.tips': []}, RobotConfig(urdf='a')),
        ({'robot.urdf': 'a', 'robot.tips': ['']}, RobotConfig(urdf='a')),
        ({'robot.urdf': 'a', 'robot.tips': ['x', 'y']}, RobotConfig(urdf='a', tips=('x', 'y'))),
        ({'robot.urdf': 'a', 'robot.gravity': [0, 0, 0]}, RobotConfig(urdf='a', gravity=(0,) * 3)),
        ({'robot.urdf': 'a', 'robot.home': 'j: 1e-5'}, RobotConfig(urdf='a', home={'j': 1e-5})),
        ({'rare.count': 3, 'rare.graphs': ['']}, Rare(count=3, graphs=())),
    ],
)
def test_values_are_taken_as_a_person_writes_them(
    given: dict[str, Any], expected: msgspec.Struct
) -> None:
    parsed = parse_config(type(expected), prefix_of(type(expected)), given)
    assert parsed == expected
    assert all(type(found) is float for found in getattr(parsed, 'gravity', ()))


REFUSED = [
    (ControlConfig, {'control.bandwidth': 0.0}, r'control\.bandwidth: .*> 0\.0.*; 0\.0 was'),
    (ControlConfig, {'control.bandwidth': 'x'}, r"control\.bandwidth: a number.* 'x' was"),
    (ControlConfig, {'control.bandwidth': True}, r'control\.bandwidth: a number.* true was'),
    (ControlConfig, {'control.bandwidth': math.inf}, r'control\.bandwidth: inf .*finite'),
    (ControlConfig, {'control.regularisation': math.nan}, r'control\.regularisation: .*; nan was'),
    (ControlConfig, {'control.law': 'dead'}, "control.law: .*'dead': did you mean deadbeat"),
    (
        PlantConfig,
        {'plant.engine': ''},
        'plant.engine: .*valid: module:Class, mujoco, pinocchio, pybullet',
    ),
    (ControlConfig, {'control.rollback': 'x'}, 'control.rollback: .*valid: measured, observer'),
    (ControlConfig, {'control.bandwith': 1.0}, 'did you mean control.bandwidth'),
    (PlantConfig, {'plant.step': -1.0}, r'plant\.step: .*> 0\.0.*; -1\.0 was'),
    (PlantConfig, {'plant.delay': 10_001}, r'plant\.delay: .*<= 10000.*; 10001 was'),
    (PlantConfig, {'plant.delay': 0.5}, r'plant\.delay: a whole number.*; 0\.5 was'),
    (
        PlantConfig,
        {'plant.friction.coulomb': -1.0},
        r'plant\.friction\.coulomb: .*>= 0\.0',
    ),
    (PlantConfig, {'plant.friction': 1.0}, 'did you mean plant.friction.'),
    (PlantConfig, {'plant.pushes': '[{'}, r"plant\.pushes: '\[\{': not valid"),
    (PlantConfig, {'plant.pushes': '[' * 100_000}, r'plant\.pushes: .*nested too deep'),
    (
        PlantConfig,
        {'plant.pushes': '[{link: a}]'},
        r'plant\.pushes\[0\]: the key start',
    ),
    (PlantConfig, {'plant.pushes': '[{lnk: a}]'}, r'plant\.pushes\[0\]: the key lnk is not known'),
    (RobotConfig, {}, r'robot\.urdf: not given'),
    (RobotConfig, {'robot.urdf': 'a', 'robot.home': 'j: .nan'}, r'robot\.home: .*not finite'),
    (RobotConfig, {'robot.urdf': 'a', 'robot.tips': 'x'}, r'robot\.tips: a list'),
    (RobotConfig, {'robot.urdf': 'a', 'robot.tips': 5}, r'robot\.tips: a list'),
    (RobotConfig, {'robot.urdf': 'a', 'robot.gravity': [0.0]}, r'robot\.gravity: .*length 3'),
    (RobotConfig, {'robot.urdf': 'a', 'robot.gravity': [math.nan] * 3}, r'robot\.gravity: .*fini'),
    (Rare, {'rare.count': 1, 'rare.limit': 0.5}, r'rare\.limit: a whole number.*; 0\.5 was'),
    (Rare, {'rare.count': 1, 'rare.graphs': ['pth']}, r'rare\.graphs: .*did you mean path'),
]


@pytest.mark.parametrize(('kind', 'values', 'reason'), REFUSED)
def test_a_refusal_names_the_parameter_and_what_is_allowed(
    kind: type[msgspec.Struct], values: dict[str, Any], reason: str
) -> None:
    with pytest.raises(ConfigError, match=reason) as caught:
        parse_config(kind, prefix_of(kind), values)
    assert '\n' not in str(caught.value)


def test_an_unknown_parameter_gives_the_valid_ones() -> None:
    with pytest.raises(UnknownNameError) as caught:
        parse_config(ControlConfig, 'control', {'control.x': 1})
    assert set(caught.value.valid) == set(parameter_values(ControlConfig(), 'control'))


@pytest.mark.parametrize('prefix', BLOCKS)
def test_a_node_has_every_field_with_default_and_description(
    make_node: MakeNode, prefix: str
) -> None:
    node, kind = make_node(), BLOCKS[prefix]
    declare_config(node, kind, prefix)
    declared = node.get_parameters_by_prefix(prefix)
    given = {'urdf': 'a.urdf'} if kind is RobotConfig else {}
    config = OnlineConfig() if kind is PlannerConfig else kind(**given)
    node.set_parameters([Parameter(f'{prefix}.{name}', value=given[name]) for name in given])
    assert read_config(node, kind, prefix) == config
    names = [set(parameter_values(config, prefix))]
    if kind is PlannerConfig:
        names = [{p.name for p in config_parameters(each, prefix)} for each in PLANNERS.values()]
    assert {f'{prefix}.{name}' for name in declared} == set().union(*names)
    for name in declared:
        descriptor = node.describe_parameter(f'{prefix}.{name}')
        assert len(descriptor.description.split()) >= 2
        assert '\n' not in descriptor.description
        assert descriptor.dynamic_typing is False


def test_limits_and_choices_are_described(make_node: MakeNode) -> None:
    node = make_node()
    declare_config(node, PlantConfig, 'plant')
    declare_config(node, ControlConfig, 'control')
    declare_config(node, Rare, 'rare')

    def constraints(name: str) -> str:
        return node.describe_parameter(name).additional_constraints

    assert constraints('plant.engine') == 'one of module:Class, mujoco, pinocchio, pybullet'
    assert (
        constraints('control.rollback') == 'one of measured, observer; empty where none is given'
    )
    assert constraints('plant.step') == '> 0.0; .nan where none is given'
    assert constraints('rare.graphs') == 'each one of force, path'
    assert node.describe_parameter('plant.pushes').description.endswith('(as YAML)')

    largest = sys.float_info.max
    smallest = math.ulp(0.0)
    ranges = {
        'control.bandwidth': [(smallest, largest)],
        'control.regularisation': [(0.0, largest)],
        'plant.step': [],
        'rare.share': [(0.0, 1.0 - sys.float_info.epsilon / 2)],
        'rare.free': [],
    }
    for name, expected in ranges.items():
        found = node.describe_parameter(name).floating_point_range
        assert [(end.from_value, end.to_value) for end in found] == expected
    for name, low, high in (('plant.delay', 0, 10_000), ('rare.rank', 1, 8)):
        (found,) = node.describe_parameter(name).integer_range
        assert (found.from_value, found.to_value) == (low, high)


def test_the_default_of_a_section_is_the_one_its_owner_gives(make_node: MakeNode) -> None:
    node = make_node()
    declare_config(node, Rare, 'rare')
    assert node.get_parameter('rare.inner.level').value == Rare(count=0).inner.level
    assert Inner().level != Rare(count=0).inner.level


@pytest.mark.parametrize('name', SCENARIOS)
@pytest.mark.parametrize('way', ['file', 'overrides'])
def test_a_node_started_with_a_scenario_reads_it_back(
    make_node: MakeNode, tmp_path: Path, name: str, way: str
) -> None:
    blocks = blocks_of(load_scenario(name))
    values: dict[str, Any] = {}
    for prefix, config in blocks.items():
        values |= parameter_values(config, prefix)
    node = make_node(parameter_file(tmp_path, values)) if way == 'file' else make_node((), values)
    for prefix, config in blocks.items():
        declare_config(node, type(config), prefix)
        assert exactly(read_config(node, type(config), prefix)) == exactly(config)


def test_numbers_go_through_a_file_bit_for_bit(make_node: MakeNode, tmp_path: Path) -> None:
    config = PlantConfig(
        step=0.1 + 0.2,
        noise=1e-5,
        resolution=sys.float_info.min,
        mass_bias=-0.0,
        friction=Friction(coulomb=1 / 3, viscous=sys.float_info.max),
        pushes=(Push('arm "1"', 1e-7, math.ulp(0.0), (1 / 3, -0.0, 1e300)),),
    )
    node = make_node(parameter_file(tmp_path, dict(parameter_values(config, 'plant'))))
    declare_config(node, PlantConfig, 'plant')
    assert exactly(read_config(node, PlantConfig, 'plant')) == exactly(config)


def test_an_empty_list_in_a_file_is_empty(make_node: MakeNode, tmp_path: Path) -> None:
    values = {'rare': {'count': 1, 'graphs': []}}
    node = make_node(parameter_file(tmp_path, values))
    declare_config(node, Rare, 'rare')
    assert read_config(node, Rare, 'rare').graphs == ()
    assert node.get_parameter('rare.graphs').type_ is Parameter.Type.STRING_ARRAY


def test_an_empty_list_is_no_vector(make_node: MakeNode, tmp_path: Path) -> None:
    node = make_node(parameter_file(tmp_path, {'robot.urdf': 'a', 'robot.gravity': []}))
    with pytest.raises(ConfigError, match=r'robot\.gravity: given without a value.*DOUBLE_ARRAY'):
        declare_config(node, RobotConfig, 'robot')


@pytest.mark.parametrize('empty', [[], ['']])
def test_a_list_can_be_emptied_while_running(make_node: MakeNode, empty: list[str]) -> None:
    node = make_node((), {'robot.urdf': 'a', 'robot.tips': ['tool']})
    declare_config(node, RobotConfig, 'robot')
    assert read_config(node, RobotConfig, 'robot').tips == ('tool',)
    (result,) = node.set_parameters([Parameter('robot.tips', Parameter.Type.STRING_ARRAY, empty)])
    assert result.successful
    assert read_config(node, RobotConfig, 'robot').tips == ()


@pytest.mark.parametrize(
    ('given', 'reason'),
    [
        ({'plant.noise': -1.0}, r'plant\.noise out of range Min: 0\.0'),
        ({'plant.noise': math.nan}, r'plant\.noise out of range'),
        ({'plant.noise': 1}, r"'plant\.noise' to '1' .*'DOUBLE'.*as 1\.0"),
        ({'plant.engine': 3}, r"'plant\.engine' to '3' .*'STRING'"),
        ({'plant.delay': -1}, r'plant\.delay out of range\. Min: 0, Max: 10000'),
    ],
)
def test_a_node_is_not_started_with_a_wrong_value(
    make_node: MakeNode, given: dict[str, Any], reason: str
) -> None:
    with pytest.raises(ConfigError, match=reason):
        declare_config(make_node((), given), PlantConfig, 'plant')


def test_a_word_that_ros_lets_pass_is_refused_when_read(make_node: MakeNode) -> None:
    node = make_node((), {'plant.engine': 'bulet'})
    declare_config(node, PlantConfig, 'plant')
    with pytest.raises(ConfigError, match=r'plant\.engine: .*did you mean pybullet'):
        read_config(node, PlantConfig, 'plant')


def test_a_missing_value_is_asked_for_by_name(make_node: MakeNode) -> None:
    node = make_node()
    declare_config(node, RobotConfig, 'robot')
    with pytest.raises(ConfigError, match=r'robot\.urdf: not given'):
        read_config(node, RobotConfig, 'robot')
    assert check_change(node, RobotConfig, 'robot', [Parameter('robot.urdf', value='a')]) == ''


def check_change(
    node: Node, kind: type[msgspec.Struct], prefix: str, changed: list[Parameter]
) -> str:
    """Return why a change is refused; empty if it is not."""
    try:
        changed_config(node, kind, prefix, changed)
    except ConfigError as error:
        return str(error)
    return ''


def checked_node(make_node: MakeNode) -> Node:
    """Return a node that asks ``check_change`` at every change, as those of the package do."""
    node = make_node()
    declare_config(node, PlantConfig, 'plant')

    def on_set(changed: list[Parameter]) -> SetParametersResult:
        reason = check_change(node, PlantConfig, 'plant', changed)
        return SetParametersResult(successful=not reason, reason=reason)

    node.add_on_set_parameters_callback(on_set)
    return node


@pytest.mark.parametrize(
    ('name', 'value', 'reason'),
    [
        ('plant.noise', -1.0, 'Parameter plant.noise out of range Min: 0.0'),
        ('plant.noise', math.inf, 'Parameter plant.noise out of range'),
        ('plant.noise', 1, 'Wrong parameter type'),
        ('plant.step', 0.0, 'plant.step: a number > 0.0 is needed; 0.0 was given'),
        ('plant.step', math.inf, 'plant.step: inf is not finite'),
        ('plant.engine', 'bullet', "plant.engine: unknown value 'bullet': did you mean pybullet"),
        (
            'plant.pushes',
            '[1]',
            'plant.pushes[0]: a section of keys and values is needed',
        ),
        # Within rclpy's tolerance at the end of a range, but not within the range.
        ('plant.mass_bias', -1.0, 'plant.mass_bias: a number > -1.0 is needed; -1.0 was given'),
    ],
)
def test_a_change_out_of_range_is_refused_with_the_reason(
    make_node: MakeNode, name: str, value: Any, reason: str
) -> None:
    node = checked_node(make_node)
    (result,) = node.set_parameters([Parameter(name, value=value)])
    assert not result.successful
    assert result.reason.startswith(reason)
    assert '\n' not in result.reason
    assert read_config(node, PlantConfig, 'plant') == PlantConfig()


def test_a_change_in_range_is_taken(make_node: MakeNode) -> None:
    node = checked_node(make_node)
    wanted = PlantConfig(engine='mujoco', step=1e-3, delay=2, friction=Friction(coulomb=0.1))
    values = parameter_values(wanted, 'plant')
    result = node.set_parameters_atomically(
        [Parameter(name, value=value) for name, value in values.items()]
    )
    assert result.successful, result.reason
    assert read_config(node, PlantConfig, 'plant') == wanted
    (result,) = node.set_parameters([Parameter('plant.step', value=math.nan)])
    assert result.successful, result.reason
    assert read_config(node, PlantConfig, 'plant').step is None


def test_a_check_changes_nothing_and_leaves_others_alone(make_node: MakeNode) -> None:
    node = checked_node(make_node)
    other = Parameter('use_sim_time', value=True)
    assert check_change(node, PlantConfig, 'plant', [other]) == ''
    assert check_change(node, PlantConfig, 'plant', [Parameter('plant.noise', value=0.1)]) == ''
    assert read_config(node, PlantConfig, 'plant') == PlantConfig()


@given(planners, st.sampled_from(['', 'planner', 'a.b']))
def test_the_kind_of_a_planner_survives_as_values(config: PlannerConfig, prefix: str) -> None:
    values = parameter_values(config, prefix)
    assert values[f'{prefix}.kind' if prefix else 'kind'] == config.kind
    assert exactly(parse_config(PlannerConfig, prefix, values)) == exactly(config)


def test_the_kind_decides_which_parameters_are_read() -> None:
    values: dict[str, Any] = {}
    for word, kind in PLANNERS.items():
        own = {'kind': 'a:B', 'parameters': {'x': [1]}} if kind is CustomPlannerConfig else {}
        values = {**parameter_values(kind(**own), 'planner'), **values, 'planner.kind': word}
    values |= {'planner.tare_time': 3.0, 'planner.leash': 7.0, 'planner.profile': ''}
    expected = {
        'online': OnlineConfig(leash=7.0),
        'offline': OfflineConfig(),
        'cartesian': CartesianConfig(),
        'bimanual': BimanualMotionConfig(),
        'hold': HoldConfig(),
        'guiding': GuidingConfig(tare_time=3.0),
        'my:Own': CustomPlannerConfig(kind='my:Own', parameters={'x': [1]}),
    }
    for word, config in expected.items():
        assert parse_config(PlannerConfig, 'planner', {**values, 'planner.kind': word}) == config
    values.pop('planner.kind')
    assert parse_config(PlannerConfig, 'planner', values) == OnlineConfig(leash=7.0)


@pytest.mark.parametrize(
    ('values', 'reason'),
    [
        ({'planner.kind': 'onlin'}, r"planner\.kind: unknown value 'onlin': did you mean online"),
        ({'planner.kind': 'a:b c'}, r'planner\.kind: .*valid: .*module:Class'),
        ({'planner.kind': 5}, r'planner\.kind: a text is needed; 5 was given'),
        ({'planner.moves': '[]'}, r'did you mean planner\.move'),
        (
            {'planner.kind': 'cartesian', 'planner.profile': 'jerk_limited'},
            r'planner\.profile: .*valid: quintic, time_optimal, trapezoidal',
        ),
        (
            {'planner.kind': 'a:B', 'planner.parameters': '[1]'},
            r'planner\.parameters: a section of keys and values is needed',
        ),
    ],
)
def test_a_planner_that_is_none_is_refused(values: dict[str, Any], reason: str) -> None:
    with pytest.raises(ConfigError, match=reason):
        parse_config(PlannerConfig, 'planner', values)


@pytest.mark.parametrize(
    'config',
    [
        OnlineConfig(leash=3.0),
        OfflineConfig(move=((0.0, 0.1, 0.2),), profile='jerk_limited'),
        CartesianConfig(corners=((0.0, 0.1, 0.2),), tip='a', orientation=(0.0, 1.0, 0.0)),
        BimanualMotionConfig(),
        HoldConfig(),
        GuidingConfig(threshold=2.0),
        CustomPlannerConfig(kind='my_module:Mine', parameters={'a': {'b': [1, 1e-5]}, 'c': None}),
    ],
    ids=lambda config: config.kind,
)
@pytest.mark.parametrize('way', ['file', 'overrides'])
def test_a_node_reads_back_a_planner_of_each_kind(
    make_node: MakeNode, tmp_path: Path, config: PlannerConfig, way: str
) -> None:
    values = dict(parameter_values(config, 'planner'))
    node = make_node(parameter_file(tmp_path, values)) if way == 'file' else make_node((), values)
    declare_config(node, PlannerConfig, 'planner')
    assert exactly(read_config(node, PlannerConfig, 'planner')) == exactly(config)


def test_parameters_say_which_kind_they_are_for(make_node: MakeNode) -> None:
    node = make_node((), {'planner.kind': 'cartesian'})
    declare_config(node, PlannerConfig, 'planner')
    assert read_config(node, PlannerConfig, 'planner') == CartesianConfig()
    kind, move, profile = (
        node.describe_parameter(f'planner.{name}') for name in ('kind', 'move', 'profile')
    )
    assert kind.additional_constraints == f'one of {", ".join(sorted(PLANNERS))}'
    assert move.description.startswith('online, offline, free: displacement of each tip')
    assert profile.description.startswith('online, offline: of the speed')
    assert '; cartesian: of the speed along a side' in profile.description
    assert profile.additional_constraints == (
        'one of constant_acceleration, jerk_limited, quintic, time_optimal, trapezoidal; '
        'empty where none is given'
    )
    assert node.get_parameter('planner.profile').value == ''
