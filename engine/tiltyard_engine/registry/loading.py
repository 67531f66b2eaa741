"""Loading one plugin: import it, register it alone, collect its records. What it does wrong becomes a problem in the list."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import inspect
import linecache
import re
import sys
import threading
import traceback
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import pluggy

from tiltyard_engine.data_classes import dataclass, field
from tiltyard_engine.errors import UserError, describe, kind_of
from tiltyard_engine.hooks import API_STATEMENT, PROJECT, Hooks
from tiltyard_engine.records import Command, Game, Record
from tiltyard_engine.registry import source_imports
from tiltyard_engine.registry.checks import ALGORITHM, HOOK_KINDS, KINDS, api_problem, game_of, problem_of
from tiltyard_engine.registry.checks import kind_of as record_kind
from tiltyard_engine.registry.file_loaders import get_loader
from tiltyard_engine.registry.manifests import read_manifest
from tiltyard_engine.registry.source_imports import OwnModules, import_from_sources, load_file, own_name
from tiltyard_engine.registry.sources import Origin, Source
from tiltyard_engine.texts.near_names import did_you_mean

LONGEST_MODULE = 200
_GIVEN: Final[dict[str, tuple[tuple[str, Any], ...]]] = {}
"""Records that a program gives instead of naming a plugin, such as a class in a notebook. They are known in this process alone."""
STATED_API: Final = re.compile(rf"^{API_STATEMENT}\b[^=\n]*=\s*(\d{{1,9}})\b", re.MULTILINE)
NOTHING: Final = (
    "contributes nothing: no function is marked @hookimpl and yields records"
    "; for a game, write 'games, algorithms, maps = game_hooks(...)' with these names"
)
RECORD_HOOKS: Final = tuple(hook for hook, kind in HOOK_KINDS.items() if kind in KINDS)


@dataclass(slots=True)
class Problem:
    """Something that a plugin did wrong; what else it contributes stays usable."""

    reason: str
    name: str = ""
    """The record's name, where it is one record's problem."""
    kind: str = "plugin"
    detail: str = ""
    """A traceback, for those who ask."""
    missing: str = ""
    """The module that was not found, where that is the reason."""


@dataclass(slots=True, kw_only=True)
class Plugin:
    """A loaded source with the records that passed the checks."""

    source: Source
    object: Any = None
    """The module or object that carries the hooks; None if it could not be imported."""
    file: str = ""
    records: list[Record] = field(default_factory=list)
    commands: list[Command] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    _index: dict[tuple[str, str, str], Record] = field(default_factory=dict)

    def find(self, kind: str, name: str, game: str) -> Record | None:
        """The first record of this kind, name and game. All are looked at once: every match asks for its own."""
        if not self._index:
            for record in self.records:
                self._index.setdefault((record_kind(record), record.name, game_of(record)), record)
        return self._index.get((kind, name, game))


def load_source(source: Source, hooks: tuple[str, ...] = RECORD_HOOKS) -> Plugin:
    """Import ``source`` and collect the records of ``hooks``; once a process. Never raises for what the plugin does wrong."""
    return _plugin_of_program(source) if source.origin is Origin.GIVEN else _load_source(source, hooks)


def _plugin_of_program(source: Source) -> Plugin:
    """Not remembered: the records go when their program has no more use for them."""
    plugin = Plugin(source=source)
    records = given_records(source)
    if records is None:
        plugin.problems.append(Problem("was given by a program, and is known only there"))
    for hook, record in records or ():
        reason = problem_of(hook, record)
        if reason:
            plugin.problems.append(Problem(reason, str(getattr(record, "name", ""))[:64], HOOK_KINDS[hook]))
        else:
            plugin.records.append(record)
    _add_derived(plugin)
    return plugin


@cache
def _load_source(source: Source, hooks: tuple[str, ...]) -> Plugin:
    plugin = Plugin(source=source, file=expected_file(source))
    if source.error:
        plugin.problems.append(Problem(source.error))
        return plugin
    try:
        if source.origin is Origin.PROGRAM:
            _read_program(plugin)
        else:
            with contextlib.redirect_stdout(sys.stderr):
                _load_code(plugin, hooks)
    except UserError as error:
        plugin.problems.append(Problem(str(error)))
    return plugin


def _read_program(plugin: Plugin) -> None:
    """A program's record is read from its manifest; there is no code of the team's in it."""
    plugin.file = plugin.source.value
    record = read_manifest(Path(plugin.source.value))
    reason = problem_of("algorithms", record)
    if reason:
        plugin.problems.append(Problem(reason, record.name[:64], ALGORITHM))
    else:
        plugin.records.append(record)


def _load_code(plugin: Plugin, hooks: tuple[str, ...]) -> None:
    try:
        plugin.object = _import(plugin.source)
        wrong_api = api_problem(getattr(plugin.object, API_STATEMENT, None))
    except (KeyboardInterrupt, UserError):
        raise
    except BaseException as error:
        missing = error.name or "" if isinstance(error, ModuleNotFoundError) else ""
        reasons = (api_problem(_api_in_source(error)), _import_reason(error, plugin.source))
        plugin.problems.append(Problem("; ".join(filter(None, reasons)), detail=_own_traceback(error), missing=missing))
        return
    if plugin.source.origin is not Origin.LIBRARY:
        plugin.file = _file_of(plugin.object) or plugin.file
    if wrong_api:
        raise UserError(wrong_api)
    implementations = _implementations(plugin)
    if implementations is not None:
        for hook in hooks:
            _collect(plugin, hook, implementations.get(hook, ()))
        if hooks == RECORD_HOOKS:
            # Of one hook's records alone, nobody can tell whether the plugin has a GameManager itself.
            _add_derived(plugin)
        if not (plugin.records or plugin.commands or plugin.problems):
            plugin.problems.append(Problem(NOTHING))


def _import(source: Source) -> Any:
    module_name, _, attribute = source.value.partition(":")
    if source.origin in (Origin.FILE, Origin.PACKAGE):
        return _import_path(Path(source.value), source.home)
    if source.origin is Origin.LIBRARY:
        return get_loader(source.loader).plugin_of(Path(source.value), source.needs)
    from_folder = source.origin is Origin.PROJECT
    value: Any = _import_from(source.folder, module_name) if from_folder else importlib.import_module(module_name)
    for part in filter(None, attribute.split(".")):
        value = getattr(value, part)
    return value


def _import_path(path: Path, home: str) -> ModuleType:
    """Import a file or a package with the modules of its home; a file without one has none beside itself."""
    if not home:
        return load_file(path, own_name(path))
    folder = Path(home)
    # A package has the name that its file has given it since before packages had homes.
    name = own_name(folder / "__init__.py")
    return OwnModules(folder, name, [path.parent.relative_to(folder), Path()] if path != folder else [Path()]).load(path)


def _import_from(folder: str, module_name: str) -> ModuleType:
    """Import a project's module from its folder; by itself if a module of the process has the name of one of the folder's."""
    if _is_taken(Path(folder)):
        return OwnModules(Path(folder), own_name(folder)).load_module(module_name)
    import_from_sources(folder)
    sys.path.insert(0, folder)
    try:
        module = importlib.import_module(module_name)
    finally:
        sys.path.remove(folder)
    file = _file_of(module)
    if file and not Path(file).resolve().is_relative_to(folder):
        raise ImportError(f"the module {module_name} is already loaded from {file}; rename one of the two packages")
    return module


def _is_taken(folder: Path) -> bool:
    """Whether this process has loaded another module under the name of one that lies in a folder."""
    for path in folder.iterdir():
        module = sys.modules.get(path.stem) if path.suffix == ".py" or path.is_dir() else None
        file = _file_of(module) if module is not None else ""
        if file and not Path(file).resolve().is_relative_to(folder):
            return True
    return False


_OF_THREAD: Final = threading.local()


def _manager() -> pluggy.PluginManager:
    """One for all plugins, which come and go: to tell it the hooks takes as long as to import a small plugin."""
    manager: pluggy.PluginManager | None = getattr(_OF_THREAD, "manager", None)
    # An object that isn't equal to itself could have stayed.
    if manager is None or manager.list_name_plugin():
        manager = _OF_THREAD.manager = pluggy.PluginManager(PROJECT)
        manager.add_hookspecs(Hooks)
    return manager


def _implementations(plugin: Plugin) -> Mapping[str, Sequence[pluggy.HookImpl]] | None:
    """The plugin's hooks by their names, once pluggy has checked them; None if one has a wrong signature."""
    manager, name = _manager(), plugin.source.name
    try:
        manager.register(plugin.object, name)
        callers = manager.get_hookcallers(plugin.object) or []
        hooks = {caller.name: caller.get_hookimpls() for caller in callers}
        unknown = [caller.name for caller in callers if not caller.has_spec()]
    except pluggy.PluginValidationError as error:
        plugin.problems.append(Problem(f"wrong hook signature: {' '.join(str(error).split())}"))
        return None
    finally:
        manager.unregister(name=name)
    for hook in unknown:
        if not all(implementation.optionalhook for implementation in hooks[hook]):
            hint = did_you_mean(hook, [each for each in vars(Hooks) if not each.startswith("_")])
            plugin.problems.append(Problem("; ".join(filter(None, (f"unknown hook '{hook}'", hint)))))
    return hooks


def _collect(plugin: Plugin, hook: str, implementations: Sequence[pluggy.HookImpl]) -> None:
    for record in _yielded(plugin, hook, implementations):
        name = ""
        try:
            reason = problem_of(hook, record)
            name = str(getattr(record, "name", ""))[:64]
        except Exception as error:
            reason = f"{hook}() yielded a record that cannot be checked: {describe(error)}"
        if reason:
            plugin.problems.append(Problem(reason, name, HOOK_KINDS[hook]))
        elif isinstance(record, Command):
            plugin.commands.append(record)
        else:
            plugin.records.append(record)


def _add_derived(plugin: Plugin) -> None:
    """Add what follows from the rules of the plugin's games."""
    if any(isinstance(record, Game) and record.rules is not None for record in plugin.records):
        # Most processes load teams alone, and start sooner without it.
        from tiltyard_engine.rules.derived import with_derived

        plugin.records = with_derived(plugin.records)


def _yielded(plugin: Plugin, hook: str, implementations: Sequence[pluggy.HookImpl]) -> list[Any]:
    """Everything that the plugin's hook yields until it ends or raises.

    Called without pluggy, which drops an answer of None, such as that of a hook that forgot to yield.
    """
    kind = HOOK_KINDS[hook]
    yielded: list[Any] = []
    for implementation in implementations:
        if implementation.wrapper or implementation.hookwrapper:
            plugin.problems.append(Problem(f"{hook}() is a hook wrapper, expected a plain function", kind=kind))
            continue
        try:
            records = implementation.function()
            if isinstance(records, Iterable):
                for record in records:
                    yielded.append(record)  # noqa: PERF402 -- one by one, to keep what came before an exception
            else:
                reason = f"{hook}() returned {kind_of(records)}, expected records to iterate over"
                plugin.problems.append(Problem(reason, kind=kind))
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            plugin.problems.append(Problem(f"{hook}() raised {describe(error)}", kind=kind, detail=_own_traceback(error)))
    return yielded


def _import_reason(error: BaseException, source: Source) -> str:
    if isinstance(error, SyntaxError):
        return f"cannot be imported: SyntaxError: {error.msg} ({error.filename}, line {error.lineno})"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if _is_team_code(frame.filename)]
    # A library that the plugin called may have raised it. Where that was called says more.
    place = own_frame(frames, own_folder(source)) or (frames[-1] if frames else None)
    if place is None:
        return f"cannot be imported: {describe(error)}"
    hint = sibling_hint(place.filename, error.name or "") if isinstance(error, ModuleNotFoundError) else ""
    return f"cannot be imported: {describe(error)} ({Path(place.filename).name}, line {place.lineno}){hint}"


def own_folder(source: Source) -> str:
    """The file or folder that a plugin's code is in; empty if that isn't known."""
    if source.origin is not Origin.INSTALLED:
        return source.folder or source.value
    try:
        spec = importlib.util.find_spec(source.value.partition(":")[0].partition(".")[0])
    except (ImportError, ValueError):
        return ""
    return "" if spec is None else next(iter(spec.submodule_search_locations or ()), spec.origin or "")


def own_frame(frames: Sequence[traceback.FrameSummary], folder: str) -> traceback.FrameSummary | None:
    """The last of the frames that is in ``folder``, if any is."""
    return next((frame for frame in reversed(frames) if folder and Path(frame.filename).is_relative_to(folder)), None)


def _api_in_source(error: BaseException) -> int | None:
    """The API version in the text of the plugin whose import raised ``error``: another version may be why it failed."""
    for frame in traceback.extract_tb(error.__traceback__):
        stated = STATED_API.search("".join(linecache.getlines(frame.filename))) if _is_team_code(frame.filename) else None
        if stated:
            return int(stated[1])
    return None


def sibling_hint(file: str, missing: str) -> str:
    """What to do if the missing module is beside the file that imports it, else an empty string."""
    sibling = Path(file).with_name(f"{missing.partition('.')[0] or 'no'}.py")
    # The name may be no file name, or no path that can be looked up.
    if not missing.isprintable() or "/" in missing or len(missing) > LONGEST_MODULE or not sibling.is_file():
        return ""
    return f"; {sibling.name} is in the same folder, but that may be many teams': put both files into a folder of their own"


def _is_team_code(filename: str) -> bool:
    return filename not in (
        __file__,
        source_imports.__file__,
        importlib.__file__,
    ) and not filename.startswith("<frozen importlib")


def _own_traceback(error: BaseException) -> str:
    return "".join(traceback.format_exception(error))


def _file_of(value: Any) -> str:
    if isinstance(value, ModuleType):
        return value.__file__ or ""
    try:
        return inspect.getsourcefile(value if isinstance(value, type) else type(value)) or ""
    except TypeError:
        return ""


def expected_file(source: Source) -> str:
    """Where a plugin that cannot be imported should be."""
    return "" if source.origin in (Origin.INSTALLED, Origin.GIVEN) else source.folder or source.value


def give_records(name: str, records: Sequence[tuple[str, Any]]) -> Source:
    """A source for these records, until ``take_back``.

    Args:
        name: what messages call it.
        records: each with the hook that would yield it, such as ``algorithms``. They are checked when the source is loaded.
    """
    # Imported late: only programs that bring their own teams need it.
    import secrets

    value = secrets.token_hex(16)
    _GIVEN[value] = tuple(records)
    return Source(name=name, origin=Origin.GIVEN, value=value)


def take_back(sources: Sequence[Source]) -> None:
    """Forget what was given."""
    for source in sources:
        _GIVEN.pop(source.value, None)


def given_records(source: Source) -> tuple[tuple[str, Any], ...] | None:
    """The records of a source, each with its hook; None in any other process than the one that was given them."""
    return _GIVEN.get(source.value)
