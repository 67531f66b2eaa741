"""Compiles the C# files of a folder by the compiler of a .NET SDK itself, without MSBuild, NuGet and the network.

    python3 compile_csharp.py SOURCE PROGRAM.dll

Of several projects, the one that makes a program is compiled, with those that it refers to, but without their tests. The program
runs on whichever .NET this machine has, whatever its project asks for. The compiler's options are those of the SDK's own targets.
If the SDK is older than what the project is for, and refuses it, the last line says what the machine lacks.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

GENERATED = {"bin", "obj"}
FRAMEWORK = "Microsoft.NETCore.App"
IMPLICIT = (
    *("System", "System.Collections.Generic", "System.IO", "System.Linq", "System.Net.Http", "System.Threading"),
    "System.Threading.Tasks",
)
"""What ``ImplicitUsings`` of a project stands for. The template of .NET 6 has it, so whoever hands in bare files means it too."""
FIRST_WITH_GLOBAL_USINGS = 6
"""The SDK whose C# has ``global using``."""
HELPERS = re.compile("test|bench|example", re.IGNORECASE)
TESTS = re.compile(r"\b(?:Xunit|NUnit\.Framework|Microsoft\.VisualStudio\.TestTools\.UnitTesting|FluentAssertions|Moq)\b")
TEST_PACKAGES = re.compile(r"^(?:Microsoft\.NET\.Test\.Sdk|xunit|nunit|MSTest|coverlet|FluentAssertions|Moq)\b", re.IGNORECASE)
TEXT = "utf-8-sig"


def main(source: Path, program: Path) -> int:
    """The exit code of the compiler."""
    dotnet = shutil.which("dotnet")
    root = Path(dotnet).resolve().parent if dotnet else Path()
    compiler = newest(root.glob("sdk/*/Roslyn/bincore/csc.dll"))
    runtime = newest(root.glob(f"shared/{FRAMEWORK}/*/System.Private.CoreLib.dll"))
    if dotnet is None or compiler is None or runtime is None:
        print("error: there is no .NET SDK with a compiler", file=sys.stderr)
        return 1
    sdk = compiler.parents[2].name
    project = project_of(source)
    text = settings_of(project, source) if project is not None else "<ImplicitUsings>enable"
    files = list(files_of(project, source)) if project is not None else sorted(below(source))
    files = [file for file in files if not is_test(file)]
    usings = list(usings_of(text))
    if usings and number_of(sdk) >= FIRST_WITH_GLOBAL_USINGS:
        implicit = program.with_name("ImplicitUsings.cs")
        implicit.write_text("".join(f"global {using}\n" for using in usings))
        files.append(implicit)
    elif usings:
        files = [with_usings(file, usings, source, program.with_name("with_usings")) for file in files]
    options = ["-nostdlib", "-target:exe", "-optimize+", "-deterministic", "-langversion:latest", "-utf8output"]
    options += [f"-pathmap:{source}=.", f"-out:{program}", *(["-nullable:enable"] if "<Nullable>enable" in text else [])]
    options += [f"-main:{name}" for name in re.findall(r"<StartupObject>\s*([\w.]+)\s*<", text)[:1]]
    options += ["-unsafe+", "-nowarn:1701,1702", "-warn:0", *(f"-r:{path}" for path in references(root, runtime.parent))]
    response = program.with_suffix(".rsp")
    response.write_text("".join(f'"{word}"\n' for word in [*options, *(str(file) for file in files)]), encoding="utf-8")
    command = [dotnet, str(compiler), "-noconfig", "-nologo", f"@{response}"]
    output, merged = subprocess.PIPE, subprocess.STDOUT
    process = subprocess.run(command, cwd=source, check=False, stdout=output, stderr=merged, encoding="utf-8", errors="replace")
    response.unlink()
    if process.returncode:
        tell(process.stdout, text, needed(text, is_project=project is not None), sdk)
        return process.returncode
    settings = {
        # Any later one will do, on whichever machine plays.
        "framework": {"name": FRAMEWORK, "version": f"{'.'.join(runtime.parent.name.split('.')[:2])}.0"},
        "rollForward": "Major",
        "configProperties": {
            # Machines without ICU run it too; cultures that it names are then there, with the rules of none.
            "System.Globalization.Invariant": True,
            "System.Globalization.PredefinedCulturesOnly": False,
            # It may be started anew for each move, and never live long enough to gain from being watched.
            "System.Runtime.TieredPGO": False,
        },
    }
    program.with_suffix(".runtimeconfig.json").write_text(json.dumps({"runtimeOptions": settings}, indent=2))
    return 0


def tell(output: str, text: str, needs: int, sdk: str) -> None:
    """Print why there is no program: packages and an old SDK come before what follows from them."""
    packages = [name for name in re.findall(r'<PackageReference\s+Include="([^"]+)"', text) if not TEST_PACKAGES.match(name)]
    if packages and re.search(r"\bCS0(?:246|234|400)\b", output):
        print(f"error NU1101: the package {', '.join(packages)} is not here, and builds have no network")
    print(output)
    if needs > number_of(sdk):
        print(f"this machine lacks the SDK of .NET {needs} or newer (it has {sdk})")


def needed(text: str, *, is_project: bool) -> int:
    """The .NET that a project is for, such as 6; 0 for .NET Framework and .NET Core. Today's bare files are for 6 or newer."""
    targets = [int(number) for number in re.findall(r"<TargetFrameworks?>[^<]*?\bnet(\d{1,2})\.\d", text)]
    return min(targets, default=0 if is_project else FIRST_WITH_GLOBAL_USINGS)


def newest(paths: Iterable[Path]) -> Path | None:
    """The path with the highest numbers in it."""
    return max(paths, key=lambda path: [int(number) for number in re.findall(r"\d+", str(path))], default=None)


def number_of(sdk: str) -> int:
    """The first number of a version."""
    return int((re.findall(r"\d+", sdk) or ["0"])[0])


def references(root: Path, runtime: Path) -> list[Path]:
    """What programs are compiled against: the SDK's pack for it, or else the runtime itself."""
    version = runtime.name.rpartition(".")[0]
    pack = newest(root.glob(f"packs/{FRAMEWORK}.Ref/{version}.*/ref/*/System.Runtime.dll"))
    if pack is not None:
        return sorted(pack.parent.glob("*.dll"))
    # Some files there are no assemblies.
    return sorted(path for path in runtime.glob("*.dll") if b"BSJB" in path.read_bytes())


# Projects


def project_of(source: Path) -> Path | None:
    """The project that makes a program; None if there is none."""
    projects = [path for path in sorted(source.rglob("*.csproj")) if GENERATED.isdisjoint(path.relative_to(source).parts)]
    programs = [path for path in projects if re.search("<OutputType>\\s*(Win)?Exe", read(path), re.IGNORECASE)]

    def rank(path: Path) -> tuple[bool, bool, bool, int, str]:
        text = read(path)
        packages = re.findall(r'<PackageReference\s+Include="([^"]+)"', text)
        is_for_windows = re.search(r"<OutputType>\s*WinExe|-windows|<UseW(?:PF|indowsForms)>", text, re.IGNORECASE) is not None
        is_tests = any(map(TEST_PACKAGES.match, packages)) and HELPERS.search(path.stem) is not None
        return is_tests, is_for_windows, bool(HELPERS.search(path.stem)), len(path.parts), path.name

    return min(programs, key=rank, default=None)


def settings_of(project: Path, source: Path) -> str:
    """What a project says, with what is said for all projects in the folders above it."""
    above = [folder for folder in (project.parent, *project.parent.parents) if folder.is_relative_to(source)]
    shared = [folder / "Directory.Build.props" for folder in above]
    text = "\n".join(read(path) for path in (project, *shared) if path.is_file())
    return re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)


def files_of(project: Path, source: Path) -> Iterator[Path]:
    """The files of a project, and of those that it refers to."""
    waiting, projects = [project], set()
    while waiting:
        project = waiting.pop()
        if project in projects or not project.is_file() or not project.is_relative_to(source):
            continue
        projects.add(project)
        text = read(project)
        removed = [
            pattern.replace("\\", "/") for each in re.findall(r'<Compile\s+Remove="([^"]+)"', text) for pattern in each.split(";")
        ]
        for file in sorted(below(project.parent, project)):
            if not any(fits(pattern, file.relative_to(project.parent).as_posix()) for pattern in removed):
                yield file
        names = re.findall(r'<ProjectReference\s+Include="([^"]+)"', text)
        waiting += [Path(project.parent, *name.split("\\")).resolve() for name in names]


def fits(pattern: str, name: str) -> bool:
    """Whether a file is one of a pattern of MSBuild's, such as ``Tests/**/*.cs``."""
    words = re.split(r"(\*\*/?|\*|\?)", pattern)
    parts = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.fullmatch("".join(parts.get(word, re.escape(word)) for word in words), str(PurePosixPath(name))) is not None


def below(folder: Path, project: Path | None = None) -> Iterator[Path]:
    """C# files in a folder, but for those that are generated, and those of other projects."""
    for child in folder.iterdir():
        if child.is_dir():
            if child.name not in GENERATED and (project is None or not any(child.glob("*.csproj"))):
                yield from below(child, project)
        elif child.suffix.lower() == ".cs":
            yield child


def is_test(file: Path) -> bool:
    """Whether a file is a test, which needs a package that is not here and that the program can do without."""
    return any(
        TESTS.search(line) for line in read(file).splitlines() if line.lstrip("\ufeff \t").startswith(("using", "global using"))
    )


# Usings


def usings_of(text: str) -> Iterator[str]:
    """What is used in all files without being said there."""
    if re.search(r"<ImplicitUsings>\s*(enable|true)", text, re.IGNORECASE):
        yield from (f"using {name};" for name in IMPLICIT)
    for more in re.findall(r"<Using\s([^>]*)>", text):
        attributes = dict(re.findall(r'(\w+)="([^"]*)"', more))
        if name := attributes.get("Include"):
            is_static = "static " if attributes.get("Static", "").lower() == "true" else ""
            yield f"using {is_static}{attributes['Alias'] + ' = ' if 'Alias' in attributes else ''}{name};"


def with_usings(file: Path, usings: Iterable[str], source: Path, folder: Path) -> Path:
    """A copy of a file that says them itself, for compilers that know nothing global; its lines keep their numbers."""
    text = read(file)
    if re.search(r"^\s*(?:#\s*define\b|extern\s+alias\b)", text, re.MULTILINE):
        # These must come first.
        return file
    copy = folder / file.relative_to(source)
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_text(f'{" ".join(usings)}\n#line 1 "{file}"\n{text}', encoding="utf-8")
    return copy


def read(path: Path) -> str:
    """A file's text, whatever its bytes."""
    return path.read_text(encoding=TEXT, errors="replace")


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), Path(sys.argv[2])))
