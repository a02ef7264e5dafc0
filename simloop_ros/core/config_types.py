"""Types of the values in configurations, and what their classes say about them."""

from __future__ import annotations

import inspect
import re
from typing import Annotated, Literal

import msgspec

Positive = Annotated[float, msgspec.Meta(gt=0.0)]
NonNegative = Annotated[float, msgspec.Meta(ge=0.0)]
Period = Annotated[float, msgspec.Meta(ge=1e-6, le=1.0)]
Seed = Annotated[int, msgspec.Meta(ge=0)]
Vector = tuple[float, float, float]
ReactionKind = Literal['none', 'stop', 'hold', 'retreat', 'float', 'comply']
"""What a robot can do once it has touched something."""


def field_docs(kind: type[msgspec.Struct]) -> dict[str, str]:
    """Return what the ``:ivar x:`` lines of a class's docstring say, by field, one line each."""
    found = re.findall(r':ivar (\w+): (.*?)(?=\n:|\Z)', inspect.getdoc(kind) or '', re.DOTALL)
    return {name: ' '.join(text.split()).replace('``', '`') for name, text in found}
