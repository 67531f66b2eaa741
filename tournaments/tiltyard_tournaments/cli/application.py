"""Typer applications with plain help: it pipes and prints the same everywhere, and groups options under titles."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any, Final, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup
from typer.models import OptionInfo, ParameterInfo

from tiltyard_engine.data_classes import dataclass, fields
from tiltyard_engine.host.completion import FIND
from tiltyard_engine.texts.near_names import near_names
from tiltyard_tournaments.cli.completion import WORDS, completer_of, find_names

ISOLATION_PANEL: Final = "Isolation and limits"
PLUGINS_PANEL: Final = "Plugins"
"""Titles under which the help shows the options that few people need."""
MOST_DIGITS: Final = 10


KEYS: Final = {"withdraw": "{TEAM: now}", "disqualify": "{TEAM: REASON}", "late": "{TEAM: {from: ROUND}}"}
"""Keys of a tournament's file that people look for among the commands."""


@dataclass(frozen=True, slots=True)
class Groups:
    """Metadata of a parameter whose type is a tuple: it stands for the fields of several dataclasses, which others bring."""

    load: Callable[[], Sequence[type[Any]]]
    """Returns these dataclasses."""


class NearGroup(TyperGroup):
    """Offers the commands that are alike for one that there isn't."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**{**attributes, "suggest_commands": False})

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that is named first."""
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            near = ", ".join(map(repr, near_names(args[0], self.list_commands(ctx))))
            if near:
                ctx.fail(f"No such command {args[0]!r}. Did you mean {near}?")
            if args[0] in KEYS:
                ctx.fail(f"No such command {args[0]!r}. It is a key of tournament files: '{args[0]}: {KEYS[args[0]]}'.")
        return super().resolve_command(ctx, args)


class PlainCommand(TyperCommand):
    """Shows the options that have a panel below the others, under its title."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Keep the words for completion, which is often asked about a command that lacks a value and can't be parsed."""
        if ctx.resilient_parsing:
            ctx.meta[WORDS] = tuple(args)
            ctx.meta[FIND] = find_names
        try:
            return super().parse_args(ctx, args)
        except Exception as error:
            hint = ""
            # Of an option that there isn't; its class has several places in several versions of typer.
            if hasattr(error, "possibilities"):
                names = [name for parameter in self.get_params(ctx) for name in parameter.opts if name.startswith("--")]
                error.possibilities = near_names(name := getattr(error, "option_name", ""), names)
                if any(each.name == "file" for each in self.get_params(ctx)) and not error.possibilities:
                    from tiltyard_tournaments.tournament_file.parts import known_keys  # with pydantic

                    hint = f". It is a key of tournament files: '{key}:'" if (key := name.lstrip("-")) in known_keys()[""] else ""
            if hasattr(error, "message"):
                # Typer checks values with pydantic, which begins so with what typer says.
                error.message = error.message.replace("Value error, ", "") + hint
            raise

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments, options, and then each panel."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for param in self.get_params(ctx):
            line = param.get_help_record(ctx)
            if line is not None:
                is_argument = param.param_type_name == "argument"
                title = "Arguments" if is_argument else getattr(param, "rich_help_panel", None) or "Options"
                sections.setdefault(title, []).append(line)
        for title, lines in sections.items():
            if lines:
                with formatter.section(title):
                    formatter.write_dl(lines)


class QuickCommand(PlainCommand):
    """A command of our own, whose types are checked: its defaults are taken as they are written, and text as it is typed in."""

    def get_params(self, ctx: Any) -> Any:
        """All parameters, ``--help`` too."""
        return without_needless_conversion(super().get_params(ctx))


def without_needless_conversion(parameters: list[Any]) -> list[Any]:
    """The same parameters, of whose values typer converts only those that this may change.

    It does that with pydantic, and importing that is a quarter of the time that a command takes to start.
    """
    for parameter in parameters:
        # A typer without pydantic converts all values at once, and has a value of its own that stands for none.
        if hasattr(parameter, "get_runtime_param") and "process_value" not in vars(parameter):
            parameter.process_value = functools.partial(_process_value, parameter, parameter.process_value)
    return parameters


def _process_value(parameter: Any, convert: Callable[[Any, Any], Any], context: Any, value: Any) -> Any:
    """A parameter's value: a default or text as it is, anything else converted by ``convert``."""
    if context.resilient_parsing:
        return value  # for completion, which uses no values
    source = context.get_parameter_source(parameter.name)
    kind = parameter.type_descriptor.annotation
    is_default = source is not None and source.name == "DEFAULT" and not parameter.required
    simple = _simple_value(parameter.type_descriptor.parameter_info, kind, value)
    are_texts = kind == list[str] and isinstance(value, tuple | list) and all(map(_is_text, value)) and len(value) > 0
    if not (is_default or simple is not None or are_texts):
        return convert(context, value)
    if simple is not None:
        value = simple
    elif are_texts:
        value = list(value)
    elif value is None and (parameter.multiple or parameter.nargs == -1):
        value = ()
    return value if parameter.callback is None else parameter.callback(context, parameter, value)


def _simple_value(settings: ParameterInfo, kind: Any, text: object) -> str | int | Path | None:
    """What typer makes of a text, a number or a path that is no mistake; None: it may be one."""
    if not isinstance(text, str) or not _is_text(text):
        return None
    if kind is int and text.isascii() and text.isdecimal() and len(text) < MOST_DIGITS:
        number = int(text)
        is_within = (settings.min is None or number >= settings.min) and (settings.max is None or number <= settings.max)
        return number if is_within and not settings.clamp else None
    if kind is Path:
        return Path(text) if os.access(text, os.R_OK) else None
    return text if kind is str else None


def _is_text(value: object) -> bool:
    """Whether it is text that can be written, unlike an argument with bytes that are no UTF-8."""
    try:
        str(value).encode()
    except UnicodeEncodeError:
        return False
    return isinstance(value, str)


class Application(typer.Typer):
    """An application whose commands show plain help and may share groups of options.

    A parameter whose type is a dataclass stands for the dataclass's fields, each an argument or option of the command. One with
    ``Groups`` stands for those of several.
    """

    def command(self, name: str | None = None, **settings: Any) -> Callable[[Any], Any]:
        """Register a command; see ``typer.Typer.command``."""
        register = super().command(name, **{"cls": QuickCommand, **settings})
        return lambda function: register(_without_groups(function))


def application(group: type[NearGroup] = NearGroup) -> Application:
    """A new application; with several commands it is a group of that class."""
    return Application(cls=group, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)


def _without_groups(function: Callable[..., None]) -> Callable[..., None]:
    """The function with all options as parameters of its own, which is what typer looks at."""
    parameters: list[inspect.Parameter] = []
    single: dict[str, Any] = {}
    several: dict[str, Sequence[Any]] = {}
    for parameter in _parameters(function):
        loaders = [each for each in getattr(parameter.annotation, "__metadata__", ()) if isinstance(each, Groups)]
        if is_dataclass(parameter.annotation):
            single[parameter.name] = parameter.annotation
            parameters += _parameters(parameter.annotation)
        elif loaders:
            several[parameter.name] = loaders[0].load()
            parameters += [inner for group in several[parameter.name] for inner in _parameters(group)]
        else:
            parameters.append(parameter)

    @functools.wraps(function)
    def command(**values: Any) -> None:
        def filled(group: Any) -> Any:
            return group(**{field.name: values.pop(field.name) for field in fields(group)})

        arguments = {name: filled(group) for name, group in single.items()}
        arguments |= {name: tuple(map(filled, groups)) for name, groups in several.items()}
        function(**values, **arguments)

    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return command


def _names(parameter: str, settings: ParameterInfo) -> list[str]:
    """The long names of an option, such as ``--game``, or the name of an argument."""
    if not isinstance(settings, OptionInfo):
        return [parameter]
    # Typer moves the first name, which stands where others have the default, only later.
    words = (settings.default, *(settings.param_decls or ()))
    return [word for word in words if isinstance(word, str) and word.startswith("--")] or [f"--{parameter}"]


def _parameters(target: Any) -> Iterator[inspect.Parameter]:
    hints = get_type_hints(target, include_extras=True)
    for parameter in inspect.signature(target).parameters.values():
        annotation = hints[parameter.name]
        for settings in getattr(annotation, "__metadata__", ()):
            if isinstance(settings, ParameterInfo) and settings.autocompletion is None:
                settings.autocompletion = completer_of(*_names(parameter.name, settings))
        yield parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=annotation)
