"""One thread beside a node, for what takes long."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from rclpy.executors import Executor
from rclpy.task import Future

from .scheduling import lower_thread_priority


class Background:
    """Calls functions in a thread of its own, one after the other."""

    def __init__(self) -> None:
        self._thread: ThreadPoolExecutor | None = None

    def run(self, call: Callable[[], Any], executor: Executor | None) -> Future[Any]:
        """Start a call; return what will have its result.

        :param executor: that wakes the coroutines which await the result.
        """
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, initializer=lower_thread_priority)
        future: Future[Any] = Future(executor=executor)

        def work() -> None:
            try:
                future.set_result(call())
            except Exception as error:
                future.set_exception(error)

        self._thread.submit(work)
        return future

    def close(self) -> None:
        """Start no more calls; one that has begun goes on."""
        if self._thread:
            self._thread.shutdown(wait=False, cancel_futures=True)
