"""The commands of ``simloop``, their modules, and where their help points to."""

from __future__ import annotations

from typing import NamedTuple

FURTHER = """\
first steps:
  simloop list                                        what there is to run
  simloop run yumi_step --set plant.mass_bias=0.1     a robot 10 % heavier than its model
  simloop view yumi_step                              a live robot in the browser
  simloop keys mass                                   what can be set, with units and defaults
  simloop check my_robot.urdf                         is your robot fit for control?
  eval "$(simloop completion bash)"                   the shell completes names and keys

"simloop COMMAND --help" has examples. Documentation: README.md and docs/ of the source tree.
"""


class CommandHelp(NamedTuple):
    """A command.

    :ivar module: of this folder; it is imported when the command is called.
    :ivar summary: its line in the help.
    :ivar epilog: examples, exit status, and the page about it.
    """

    module: str
    summary: str
    epilog: str


RUN = """\
examples:
  simloop run sphere_step
  simloop run yumi_step --set plant.mass_bias=0.1 --set period=0.0005
  simloop run yumi_collision --set monitor.reaction=retreat --out runs/retreat
  simloop run step --set robot=lwr --set 'planner.move=[[-0.1,0,0.1]]'
  simloop run my_scenario.yaml

Write lists in quotes: shells read brackets as patterns. "simloop keys" lists what can be set,
"simloop list" the scenarios.

Each run has a folder of its own, and the link runs/NAME leads to the newest. Results of an earlier
run in --out DIR are renamed to DIR-0001 or the next number. Exit status: 0 the goal was reached,
or there is none; 1 it was not; 2 invalid input; 3 the results could not be written (disk full);
130 stopped by a signal. Documentation: docs/tutorials/first_run.md.
"""
VIEW = """\
examples:
  simloop view yumi_step
  simloop view lwr_full_body --set robot=iiwa
  simloop view yumi_collision --no-browser --port 8090
  simloop view yumi_step --host 0.0.0.0       for other machines: the address has a token
  simloop view runs/yumi_step                 a recorded run, with a time slider
  simloop view runs/yumi_step --html run.html     as one page that opens without a server
  simloop view --graph --namespace left       what runs in ROS, by its topics

Drag a link to push the robot. It runs until Ctrl-C. viser draws the page:
pip install 'simloop_ros[view]', or make view. Documentation: docs/view.md.
"""
LAUNCH = """\
examples:
  simloop launch yumi_step
  simloop launch yumi_step --composed --realtime
  simloop launch yumi_step --plant none --realtime      your robot's driver instead of the plant

ROS 2 comes with "pip install '.[ros]'", or from a sourced installation.
Documentation: docs/tutorials/ros.md, docs/graph.md.
"""
MOVE = """\
examples:
  simloop launch lwr_goals --realtime --endless     in another shell: the robot to move
  simloop move home
  simloop move --joints lwr_a1_joint=0.5 lwr_a3_joint=1.2
  simloop move --pose 0.45 0.1 0.5 --straight
  simloop move --jog 0 0 0.05 --seconds 2
  simloop move --pause
  simloop move --resume
  simloop move --cancel

It waits until the robot is there. Exit status: 0 the goal was reached, or the command was taken;
1 it was refused, replaced, cancelled or aborted; 2 invalid input. Documentation: docs/goals.md.
"""
CONNECT = """\
examples:
  simloop connect ur5e --robot my_ur5e.urdf
  simloop connect fr3 --robot my_fr3.yaml --seconds 10
  simloop connect generic --robot lwr --set rate=200 --set gravity=command --json

It listens to the driver's joint states and looks at who is on its topics; it sends no command. Let
the robot rest in a bent posture meanwhile. Exit status 1 if something is wrong.
Documentation: docs/drivers.md.
"""
STANDIN = """\
examples:
  simloop standin generic --robot lwr --set rate=200 --set gravity=command --set effort=torque
  simloop standin ur5e --robot my_ur5e.urdf --set effort=torque_without_gravity
  simloop standin generic --robot lwr --set rate=200 --set gravity=robot --set effort=torque \\
      --fault lost=0.2 --set plant.friction.coulomb=1

Faults: late_start=3 [s], lost=0.2 (share of the states), bunched=5 (states), rate=1.2 (factor),
order, freeze=1 [s], payload=2 [kg], current; after=20 [s] lets lost, bunched, freeze and payload
begin later. Publish external_wrench to push it. It runs until Ctrl-C.
Documentation: docs/drivers.md.
"""
PAYLOAD = """\
examples:
  simloop payload --mass 0.5                            the first tip carries 0.5 kg
  simloop payload --mass 0.5 --tip flange --centre 0 0 0.05
  simloop payload --mass 0                              it was put down

All nodes of the graph take it over from the same moment on, within 0.2 s. Exit status 1 if no node
listens. Documentation: docs/payload.md.
"""
TEACH = """\
examples:
  simloop run lwr_teach
  simloop teach runs/lwr_teach --out task.yaml            the path that was led
  simloop teach runs/lwr_teach --poses --out task.yaml    the poses at which the robot rested
  simloop run lwr_repeat --set planner.file=task.yaml
  simloop teach runs/lwr_repeat --correct task.yaml       poses to which a hand pushed the robot
  simloop teach --live                                    a graph that runs: keys keep poses

An earlier FILE is kept as FILE-0001 or the next number. --live reads keys from a terminal, and
lines from anything else: space, enter or k keeps the pose, r begins and ends a path, s saves, q
ends. Exit status 1 if there is nothing to correct. Documentation: docs/teach.md.
"""
CHECK = """\
examples:
  simloop check my_robot.urdf
  simloop check my_robot.urdf.xacro --tips tool0 --lock finger_joint
  simloop check yumi

Exit status 1 if the model is unfit. Documentation: docs/tutorials/your_robot.md.
"""
KEYS = """\
examples:
  simloop keys                  all
  simloop keys noise            those with noise in their names
  simloop keys 'planner.*'      those of a section

The same as a page: docs/scenarios.md. For editors: "simloop schema".
"""
CALIBRATE = """\
examples:
  simloop calibrate yumi_collision --out yumi.yaml
  simloop run yumi_collision --set monitor.calibration=yumi.yaml

Documentation: docs/collision.md.
"""
IDENTIFY = """\
examples:
  simloop identify my_bag --robot my_robot.urdf --out identified
  simloop identify log.csv --map map.yaml --robot panda --out identified --json figures.json
  simloop identify loaded_bag --robot identified/robot.yaml --payload-on tool0 --out loaded
  simloop replay other_bag --robot my_robot.urdf --identified identified

DIR gets identified.urdf, robot.yaml (for "robot:" of a scenario, and --robot), identified.yaml
(for simloop replay), summary.json and a figure per joint. Documentation: docs/identification.md.
"""
EXCITE = """\
examples:
  simloop excite --robot lwr --out excite.yaml
  simloop run excite.yaml --out runs/excite
  simloop identify runs/excite --robot lwr --out identified
  simloop launch excite.yaml --realtime --driver generic    on a robot, see docs/drivers.md

Documentation: docs/identification.md.
"""
REPLAY = """\
examples:
  simloop replay my_bag --robot my_robot.urdf
  simloop replay panda.csv --robot panda --map panda_map.yaml --out runs/panda
  simloop replay my_bag --robot my_robot.urdf --identified runs/identified --inject contacts.yaml

It needs no ROS. Thresholds come from the first half of the log and are judged on the second one;
--calibrate-on has other parts. Contacts of --inject are called INJECTED everywhere.
Documentation: docs/logs.md.
"""
ROBOTSTUDIO = """\
examples:
  simloop run irb120_rectangle
  simloop robotstudio runs/irb120_rectangle --dry-run
  simloop robotstudio runs/irb120_rectangle --host 192.168.125.1

Documentation: docs/robotstudio.md.
"""
SCHEMA = """\
examples:
  simloop schema scenario > scenario.json
  simloop schema robot > robot.json

The first line of a YAML file tells the YAML language server of an editor to use it:
  # yaml-language-server: $schema=scenario.json
"""
COMPLETION = """\
Put the line of your shell into its start-up file:
  bash   eval "$(simloop completion bash)"
  zsh    eval "$(simloop completion zsh)"        after autoload -U compinit && compinit
  fish   simloop completion fish | source
"""
PLOT = """\
examples:
  simloop plot runs/yumi_step
  simloop plot runs/yumi_step --all
"""
BENCH = """\
examples:
  simloop bench loop --quick
  simloop bench collision --json collision.json

Documentation: benchmarks/README.md.
"""
LIST = 'Run one with "simloop run NAME".'
COMMANDS = {
    'list': CommandHelp('list_scenarios', 'scenarios, one line each', LIST),
    'run': CommandHelp('run', 'run a scenario in process', RUN),
    'view': CommandHelp(
        'view', 'a robot in the browser: live, to be pushed with the mouse, or recorded', VIEW
    ),
    'launch': CommandHelp('launch', 'run a scenario as a ROS 2 graph', LAUNCH),
    'move': CommandHelp('move', 'give a goal to a robot whose graph is up', MOVE),
    'connect': CommandHelp(
        'connect', "is a robot's driver fit for the suite? listens, and sends no command", CONNECT
    ),
    'standin': CommandHelp(
        'standin', "a simulated robot behind the topics of a real robot's driver", STANDIN
    ),
    'payload': CommandHelp('payload', 'tell a running graph what the robot carries now', PAYLOAD),
    'teach': CommandHelp(
        'teach', 'a task from what a hand showed the robot, in a run or live', TEACH
    ),
    'plot': CommandHelp('plot', 'figures again from a log', PLOT),
    'check': CommandHelp('check', 'is this model fit for control?', CHECK),
    'keys': CommandHelp('keys', 'what can be set in a scenario: type, unit, default', KEYS),
    'calibrate': CommandHelp(
        'calibrate', 'learn thresholds of the collision monitors from free motion', CALIBRATE
    ),
    'identify': CommandHelp(
        'identify', 'inertia, friction and payload of a robot, from logs of its motion', IDENTIFY
    ),
    'excite': CommandHelp(
        'excite', 'a motion from which a robot can be identified, within its limits', EXCITE
    ),
    'replay': CommandHelp('replay', 'a log of any robot through the blocks that run live', REPLAY),
    'robotstudio': CommandHelp(
        'robotstudio', 'send the motion of a run to RobotStudio, or an ABB controller', ROBOTSTUDIO
    ),
    'schema': CommandHelp(
        'schema', 'JSON schema of scenario, robot, driver and task files', SCHEMA
    ),
    'completion': CommandHelp(
        'completion', 'script with which a shell completes simloop', COMPLETION
    ),
    'bench': CommandHelp('bench', 'benchmarks, ratios side by side', BENCH),
}
