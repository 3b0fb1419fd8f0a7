"""The plugin class: which feature answers which question of mypy.

Modules that only a repeated check needs are imported when it starts: a run without changes takes almost no time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from mypy.nodes import MypyFile
from mypy.options import Options
from mypy.plugin import FunctionContext, MethodContext, MethodSigContext, Plugin, ReportConfigContext
from mypy.types import FunctionLike, Type

from tilecheck import __version__
from tilecheck.mypy_plugin import _consts as consts
from tilecheck.mypy_plugin import errorcodes as errorcodes  # before mypy reads which of them are disabled
from tilecheck.mypy_plugin.build import Build

__all__ = ["TilecheckPlugin"]

_FunctionHook: TypeAlias = Callable[[FunctionContext], Type]
_MethodHook: TypeAlias = Callable[[MethodContext], Type]
_SignatureHook: TypeAlias = Callable[[MethodSigContext], FunctionLike]


class TilecheckPlugin(Plugin):
    """Findings where markers stand, types of tiles where they are asked for, and host calls of kernels."""

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self.build = Build(options)
        self.functions: Final[Mapping[str, _FunctionHook]] = {
            **dict.fromkeys((*consts.KERNELS, *consts.LAUNCHES), self.report_at_object),
        }
        self.methods: Final[Mapping[str, _MethodHook]] = {
            consts.MARKER_FULLNAME: self.marker,
            consts.REVEAL_FULLNAME: self.reveal,
            **dict.fromkeys(consts.KERNEL_FACTORIES, self.report_at_object),
        }
        self.signatures: Final[Mapping[str, _SignatureHook]] = {
            consts.DIALECT_CALL: self.sign_call,
            consts.DIALECT_BIND: self.bound,
        }

    def get_additional_deps(self, file: MypyFile) -> list[tuple[int, str, int]]:
        """mypy has read a module."""
        if self.build.meet(file.fullname, file.path):
            from tilecheck.mypy_plugin.placing import place

            place(self.build, file)
        return []

    def set_modules(self, modules: dict[str, MypyFile]) -> None:
        """mypy has read everything; in a worker process, nothing yet."""
        super().set_modules(modules)
        self.build.read_everything(modules)

    def report_config_data(self, ctx: ReportConfigContext) -> Any:
        """A digest of the findings of a module. When it changes, mypy checks the module again."""
        kept: dict[str, Any] = {"version": [consts.VERSION, __version__]}
        if not self.build.meet(ctx.id, ctx.path):
            return kept
        if ctx.is_check:
            return {**kept, "findings": self.build.expected_digest(ctx.path)}
        if self.build.marks_late and self._modules is not None:
            from tilecheck.mypy_plugin.placing import place_in_function

            place_in_function(self.build, ctx.id, self._modules)
        return {**kept, "findings": self.build.actual_digest(ctx.path)}

    def get_function_hook(self, fullname: str) -> _FunctionHook | None:
        """By name."""
        return self.functions.get(fullname)

    def get_method_hook(self, fullname: str) -> _MethodHook | None:
        """By name."""
        return self.methods.get(fullname)

    def get_method_signature_hook(self, fullname: str) -> _SignatureHook | None:
        """By name."""
        return self.signatures.get(fullname)

    def marker(self, ctx: MethodContext) -> Type:
        """Report the findings of a module at its marker."""
        from tilecheck.mypy_plugin.reporting import report_at_marker

        report_at_marker(ctx, self.build)
        return ctx.default_return_type

    def report_at_object(self, ctx: FunctionContext | MethodContext) -> Type:
        """Report the findings of a module without a marker, at a kernel or a launch in it."""
        from tilecheck.mypy_plugin.reporting import report_unmarked

        report_unmarked(ctx.api, self.build)
        return ctx.default_return_type

    def reveal(self, ctx: MethodContext) -> Type:
        """The type that `reveal_type` shows."""
        from tilecheck.mypy_plugin.revealing import reveal

        return reveal(ctx, self.build, self)

    def sign_call(self, ctx: MethodSigContext) -> FunctionLike:
        """The signature of a call of a dialect kernel."""
        from tilecheck.mypy_plugin.launching import launch_signature

        return launch_signature(ctx, self.build, self)

    def bound(self, ctx: MethodSigContext) -> FunctionLike:
        """The signature of `bind`, which gives a dialect kernel with its arguments, for many launches."""
        from tilecheck.mypy_plugin.launching import bind_signature

        return bind_signature(ctx, self.build, self)
