"""JSON schemas of all files of the user, those of drivers and tasks among them."""

from __future__ import annotations

from ..scenario.schema import FILES, Schema, class_schema, file_schema
from ..scenario.shipped import driver_names
from ..teaching.task import Task
from .config import DriverContract
from .loading import LIKE

DRIVER, TASK = 'driver', 'task'
KINDS = (*FILES, DRIVER, TASK)
"""Kinds of files that have a schema."""


def schema_of(kind: str) -> Schema:
    """Return the schema of one of ``KINDS``."""
    if kind == TASK:
        return class_schema(kind, Task)
    if kind != DRIVER:
        return file_schema(kind)
    schema = class_schema(kind, DriverContract)
    part = schema['$defs'][DriverContract.__name__]
    like = {
        'description': 'a driver whose values it has where it gives none',
        'examples': list(driver_names()),
        'type': 'string',
    }
    part['properties'] = {LIKE: like, **part['properties']}
    part['anyOf'] = [{'required': part.pop('required')}, {'required': [LIKE]}]
    return schema
