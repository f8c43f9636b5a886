"""The codes that `Problem` can have, read from the program itself: from its calls, constants and enumerations."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from enum import Enum
from functools import cached_property
from importlib import import_module

from words import program

PASSED_ON = ("self.code", "found.code", "reached.code", "why.code", "error['type']", "answered['code']")
"""Expressions that hand on the code of another problem, or of a `PydanticCustomError`."""
FEATURES_REFUSAL = "refused"
"""The name of a topic's refusal of a page's message: the server makes a `Problem` of it."""
MAKERS = {"Problem", "PydanticCustomError", "reasoned"}
FOLDERS_WITHOUT_READERS = ("broker",)
"""The broker's codec: its problems go to the log and to the other end of the line, never to a person."""


def _has_readers(module: str) -> bool:
    return module.split(".")[1] not in FOLDERS_WITHOUT_READERS


class Sources:
    """The program's modules; `codes()` finds every code, and raises where it cannot tell one."""

    @cached_property
    def functions(self) -> dict[ast.AST, ast.FunctionDef]:
        """The function around each call."""
        return {
            inner: function
            for module, tree in program.modules().items()
            if _has_readers(module)
            for function in ast.walk(tree)
            if isinstance(function, ast.FunctionDef)
            for inner in ast.walk(function)
            if isinstance(inner, ast.Call)
        }

    def calls(self, names: set[str]) -> Iterator[tuple[str, ast.Call]]:
        """Yield each call of a function of these names, with its module."""
        for name in names:
            for module, call in program.calls().get(name, ()):
                if _has_readers(module):
                    yield module, call

    def codes(self) -> set[str]:
        """Return every code; a `SchartenError` gets one as a refusal, by `problem(code)`."""
        errors = {
            str(call.args[0].value)
            for _, call in self.calls({"problem"})
            if call.args and isinstance(call.args[0], ast.Constant)
        }
        return errors | {
            code
            for module, call in self.calls(MAKERS)
            if call.args
            for code in self.resolve(module, call, call.args[0])
        }

    def resolve(self, module: str, call: ast.Call, given: ast.expr) -> Iterator[str]:
        """Yield the values of an argument: its constants, or what the callers of its function give."""
        if isinstance(given, ast.Constant):
            yield str(given.value)
        elif isinstance(given, ast.IfExp):
            yield from self.resolve(module, call, given.body)
            yield from self.resolve(module, call, given.orelse)
        elif isinstance(given, ast.BoolOp):
            for value in given.values:
                yield from self.resolve(module, call, value)
        elif ast.unparse(given) == FEATURES_REFUSAL:
            yield from self._of_topics()
        elif ast.unparse(given) not in PASSED_ON:
            yield from self._named(module, call, given)

    def _of_topics(self) -> Iterator[str]:
        """Yield each literal that a handler of a page's message, a function with a `page`, returns as its refusal."""
        for function in set(self.functions.values()):
            parameters = [parameter.arg for parameter in function.args.args]
            if "page" in parameters and "str" in ast.unparse(function.returns or ast.Constant(None)):
                for node in ast.walk(function):
                    if (
                        isinstance(node, ast.Return)
                        and isinstance(node.value, ast.Constant)
                        and node.value.value
                    ):
                        yield str(node.value.value)

    def _named(self, module: str, call: ast.Call, given: ast.expr) -> Iterator[str]:
        function = self.functions.get(call)
        every = [*function.args.posonlyargs, *function.args.args] if function else []
        parameters = [parameter.arg for parameter in every if parameter.arg not in ("self", "cls")]
        if function and isinstance(given, ast.Name) and given.id in parameters:
            own = parameters.index(given.id)
            defaults = dict(zip(reversed(parameters), reversed(function.args.defaults), strict=False))
            for caller, use in self.calls({function.name}):
                if self._is_same(function.name, module, caller):
                    named = {word.arg: word.value for word in use.keywords}
                    taken = (
                        use.args[own] if own < len(use.args) else named.get(given.id) or defaults[given.id]
                    )
                    yield from self.resolve(caller, use, taken)
            return
        if ast.unparse(given) == "name.lower()":
            yield from (
                part.lower() for part in import_module(module)._PARTS[3:6]
            )  # a position's three pairs
            return
        value = eval(ast.unparse(given), dict(vars(import_module(module))))  # a constant or an enum's member
        assert isinstance(value, str), (module, ast.unparse(call))
        yield str(value.value if isinstance(value, Enum) else value)

    @staticmethod
    def _is_same(name: str, module: str, caller: str) -> bool:
        """Return whether the caller's module means the same function by this name."""
        if module == caller:
            return True
        own, theirs = (vars(import_module(which)).get(name) for which in (module, caller))
        return own is not None and own is theirs
