"""The end of a run: its figures are drawn, its results are put in place and printed."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from ..record.run_folder import RunFolder
from .table import print_run


def finish_run(
    folder: RunFolder,
    summary: dict[str, Any],
    *,
    draw: bool = True,
    drawing: Callable[[], AbstractContextManager[object]] = nullcontext,
) -> None:
    """Draw the figures, put the results in place and print them.

    :param drawing: entered while figures are drawn; a ``KeyboardInterrupt`` leaves them out.
    """
    figures = []
    if draw and not folder.failure:
        from .page import draw_run  # with matplotlib, which nothing else here needs

        try:
            with drawing(), folder.storing():
                figures = draw_run(folder.path)
        except KeyboardInterrupt:
            draw = False
        if folder.failure or not draw:  # one of them may not be whole
            for path in folder.path.glob('*.png'):
                path.unlink()
    place = folder.publish()
    print_run(summary, place, [place / figure.name for figure in figures])
    if folder.earlier:
        print(f'earlier  {folder.earlier} has the results of the run before')
    if folder.link:
        print(f'newest   {folder.link} links there')
