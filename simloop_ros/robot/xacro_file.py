"""A xacro file as XML, with limits for macros without end and for numbers without measure."""

from __future__ import annotations

import ast
from functools import lru_cache, partial
from pathlib import Path
from types import CodeType
from typing import Any

from ..core.errors import ModelError
from .packages import package_folders

MOST_MACRO_CALLS = 20_000
"""Calls of xacro macros in one file; the largest robots in use have some hundred."""
MOST_SIZE = 1_000_000
"""Bits of an integer, letters of a text, elements of a list that an expression may make."""
COSTLY = ('range', 'factorial', 'comb', 'perm')
"""Functions whose work grows with the integers that they are given."""


def expand_xacro(path: Path) -> str:
    """Return the XML that a xacro file stands for.

    :raises ModelError: it is not valid, or has no end.
    """
    import xacro
    import xacro.substitution_args as substitution

    evaluate, evaluate_text = xacro.safe_eval, xacro.eval_text
    find = substitution._eval_find

    def limited_text(text: str, symbols: Any) -> Any:
        value = evaluate_text(text, symbols)
        _allow(_size(value) - len(text) if isinstance(value, str) else 0)
        return value

    xacro.safe_eval, xacro.eval_text = _evaluate, limited_text
    substitution._eval_find = substitution._eval_dict['find'] = partial(_package, path)
    try:
        xacro.init_stacks(str(path))
        xacro.macrostack = _MacroStack()
        document = xacro.parse(None, str(path))
        xacro.process_doc(document)
        return str(document.toxml())
    except RecursionError as error:
        raise ModelError(
            f'{path}: not a valid xacro file: a macro, a property or an include uses itself '
            'without end'
        ) from error
    except Exception as error:  # whatever the expressions of the file raise
        raise ModelError(f'{path}: not a valid xacro file: {_reason(error)}') from error
    finally:
        xacro.safe_eval, xacro.eval_text = evaluate, evaluate_text
        substitution._eval_find = substitution._eval_dict['find'] = find


def _package(path: Path, name: str) -> str:
    """Return the folder of a package, ``$(find NAME)`` in the xacro file at ``path``."""
    for folder in package_folders(path):
        if name and (folder / name).is_dir():
            return str(folder / name)
    raise ModelError(
        f'$(find {name}): there is no such package; name the folder above it in ROS_PACKAGE_PATH, '
        'or source its workspace'
    )


def _reason(error: Exception) -> str:
    """Return why a file is not valid; xacro repeats some errors, with the name of their class."""
    inner = getattr(error, 'exc', None)
    if isinstance(inner, Exception) and error.args and str(inner) in str(error.args[0]):
        return _reason(inner)
    return ' '.join(str(error).split()) or type(error).__name__


class _MacroStack(list[Any]):
    """The macros that xacro is in; it gives up when there were too many calls."""

    calls = 0

    def append(self, macro: Any) -> None:
        self.calls += 1
        if self.calls > MOST_MACRO_CALLS:
            raise RecursionError
        super().append(macro)


class _Limits(ast.NodeTransformer):
    """Has the operands checked of what can take hours, which nothing could interrupt."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        check = CHECKS.get(type(node.op))
        if check is None:
            return node
        return _call(check.__name__, [node.left, node.right])

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        function = node.func
        name = getattr(function, 'attr', getattr(function, 'id', ''))
        if name in COSTLY:
            node.args = [_call(_counted.__name__, [argument]) for argument in node.args]
        return node


def _call(name: str, arguments: list[ast.expr]) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), arguments, [])


def _evaluate(text: str, symbols: dict[str, Any], scope: Any = None) -> Any:
    """Return the value of an expression of a xacro file; there are no builtins but its symbols."""
    checks = {check.__name__: check for check in (*CHECKS.values(), _counted)}
    symbols.update(__builtins__=checks)
    return eval(_compiled(text), symbols, scope)


@lru_cache(maxsize=1024)
def _compiled(text: str) -> CodeType:
    """Return the limited code of an expression; the macros of a robot use one many times."""
    tree = ast.parse(text.strip(), '<expression>', 'eval')
    for node in ast.walk(tree):
        name = getattr(node, 'attr', getattr(node, 'id', ''))
        if isinstance(name, str) and name.startswith('__'):
            raise ValueError(f'invalid name {name}')
    limited = ast.fix_missing_locations(_Limits().visit(tree))
    return compile(limited, '<expression>', 'eval')


def _size(value: Any) -> int:
    if isinstance(value, int):
        return value.bit_length()
    return len(value) if hasattr(value, '__len__') else 0


def _allow(size: int) -> None:
    if size > MOST_SIZE:
        raise ValueError(f'at most {MOST_SIZE} bits, letters or elements are allowed')


def _power(base: Any, exponent: Any) -> Any:
    if isinstance(base, int) and isinstance(exponent, int):
        _allow(base.bit_length() * abs(exponent))
    return base**exponent


def _product(left: Any, right: Any) -> Any:
    for one, other in ((left, right), (right, left)):
        if isinstance(other, int):
            _allow(_size(one) + _size(other) if isinstance(one, int) else _size(one) * other)
    return left * right


def _shifted(value: Any, places: Any) -> Any:
    if isinstance(places, int):
        _allow(places)
    return value << places


def _sum(left: Any, right: Any) -> Any:
    _allow(_size(left) + _size(right))
    return left + right


def _counted(value: Any) -> Any:
    if isinstance(value, int):
        _allow(abs(value))
    return value


CHECKS = {ast.Pow: _power, ast.Mult: _product, ast.LShift: _shifted, ast.Add: _sum}
