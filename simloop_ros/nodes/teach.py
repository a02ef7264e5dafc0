"""Teaching as a node: what a hand shows the robot becomes a task."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
import scipy.interpolate  # noqa: F401 - now, and not in the thread that plans while a robot moves
from std_srvs.srv import SetBool, Trigger

from ..core.errors import ConfigError, SimloopError
from ..record.folder import make_folder, write_keeping
from ..robot.config import RobotConfig
from ..robot.fit_robot import load_fit_robot
from ..ros.messages.joint_state import DecodedJointState
from ..ros.messages.stamps import NANO
from ..ros.node.block_node import BlockNode, Report
from ..ros.node.process import main_of
from ..teaching.config import TeachConfig
from ..teaching.smoothing import TaughtPath
from ..teaching.task_file import load_task, task_text
from ..teaching.teacher import Teacher


class TeachNode(BlockNode):
    """Keeps poses and records paths of ``control_state``, and writes the task.

    The services: ``keep`` keeps the present pose; while a task is played, it replaces the nearest
    of its poses. ``record`` begins and ends a path. ``save`` writes the file ``teach.out``; an
    earlier one is renamed. It sends no command.
    """

    SECTIONS = {'robot': RobotConfig, 'teach': TeachConfig}
    LIVE = frozenset({'teach.tolerance'})

    def build(self) -> None:
        """Load the robot, and the task that is played, if there is one."""
        self._model = model = load_fit_robot(self.config(RobotConfig, 'robot'))
        config = self.config(TeachConfig, 'teach')
        self._out = Path(config.out)
        make_folder(self._out.absolute().parent)
        self._teacher = Teacher(model, config, load_task(config.task) if config.task else None)
        self._unsaved = False
        self.topics.subscribe_joints('control_state', model.joint_names, ('position',), self._take)
        self.service(Trigger, 'keep', self._serve_keep)
        self.service(SetBool, 'record', self._serve_record)
        self.service(Trigger, 'save', self._serve_save)

    @property
    def awaited(self) -> bool:
        """Return that nobody waits for it."""
        return False

    def apply_live(self) -> None:
        """Take over the tolerance of paths."""
        self._teacher.tolerance = self.config(TeachConfig, 'teach').tolerance

    def end(self) -> None:
        """Save what would be lost; a path without motion is not."""
        try:
            if self._teacher.recording:
                with suppress(ConfigError):
                    self._end_path(self._teacher.recorded_path())
            if self._unsaved:
                self.get_logger().warning(f'saved at the end: {self._save()}')
        except SimloopError as error:
            self.get_logger().error(f'not saved: {error}')

    def _take(self, message: DecodedJointState) -> None:
        self._teacher.take(message.stamp / NANO, message.position)

    def _serve_keep(self, _: Any) -> str:
        done = self._teacher.keep()
        self._unsaved = True
        return done

    async def _serve_record(self, request: Any) -> str:
        if request.data:
            return self._teacher.begin_path()
        path: Any = await self.in_background(self._teacher.recorded_path)
        return self._end_path(path)

    def _end_path(self, path: TaughtPath) -> str:
        done = self._teacher.end_path(path)
        self._unsaved = True
        return done

    def _serve_save(self, _: Any) -> str:
        return self._save()

    def _save(self) -> str:
        task = self._teacher.task()
        earlier = write_keeping(self._out, task_text(task, self._model, self._out.parent))
        self._unsaved = False
        kept = f'; the earlier one is {earlier}' if earlier else ''
        return f'{len(task.points)} points written to {self._out}{kept}'

    def report(self) -> Report:
        """Return how much was taught."""
        teacher = self._teacher
        values = {'points': teacher.points, 'file': self._out, 'saved': not self._unsaved}
        state = 'recording a path' if teacher.recording else 'waiting for keep, record or save'
        return Report(DiagnosticStatus.OK, state, values)


main = main_of(TeachNode, 'teach')

if __name__ == '__main__':
    raise SystemExit(main())
