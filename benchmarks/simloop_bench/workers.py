"""Jobs on every core, in an order that does not depend on how many there are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
import multiprocessing
import os
from typing import Any, TypeVar

Result = TypeVar('Result')


def cores() -> int:
    """Return the number of cores that this process may use (``taskset`` makes it fewer)."""
    return len(os.sched_getaffinity(0))


class Workers:
    """A pool of processes; use it as a context.

    :param count: of processes; with one, the jobs run in this process.
    """

    def __init__(self, count: int | None = None):
        self._count = cores() if count is None else count
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Workers:
        """Start the processes."""
        if self._count > 1:
            # A fresh interpreter each: threads of libraries do not survive a fork.
            context = multiprocessing.get_context('spawn')
            self._pool = ProcessPoolExecutor(self._count, mp_context=context)
        return self

    def __exit__(self, *_: object) -> None:
        """End the processes; what has not begun is left undone."""
        if self._pool:
            self._pool.shutdown(cancel_futures=True)

    def run(
        self,
        job: Callable[..., Result],
        arguments: Sequence[tuple[Any, ...]],
        progress: Callable[[float], None],
    ) -> list[Result]:
        """Return the results of a job for each set of arguments, in their order.

        :param progress: told the share that is done.
        """
        call = partial(_call, job)
        results = []
        done = self._pool.map(call, arguments) if self._pool else map(call, arguments)
        for i, result in enumerate(done, start=1):
            results.append(result)
            progress(i / len(arguments))
        return results


def _call(job: Callable[..., Result], arguments: tuple[Any, ...]) -> Result:
    return job(*arguments)
