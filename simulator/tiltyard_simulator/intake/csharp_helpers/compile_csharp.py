"""Compiles the C# files of a folder by the compiler of a .NET SDK itself, without MSBuild, NuGet and the network.

    python3 compile_csharp.py SOURCE PROGRAM.dll

Of several projects, the one that makes a program is compiled, with those that it refers to. The program runs on whichever .NET this
machine has, whatever its project asks for. The compiler's options are those of the SDK's own targets.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

GENERATED = {"bin", "obj"}
FRAMEWORK = "Microsoft.NETCore.App"
IMPLICIT = ("System", "System.Collections.Generic", "System.IO", "System.Linq", "System.Net.Http", "System.Threading")
"""What ``ImplicitUsings`` of a project stands for, with System.Threading.Tasks."""
HELPERS = re.compile("test|bench|example", re.IGNORECASE)


def main(source: Path, program: Path) -> int:
    """The exit code of the compiler."""
    dotnet = shutil.which("dotnet")
    root = Path(dotnet).resolve().parent if dotnet else Path()
    compiler = newest(root.glob("sdk/*/Roslyn/bincore/csc.dll"))
    runtime = newest(root.glob(f"shared/{FRAMEWORK}/*/System.Private.CoreLib.dll"))
    if dotnet is None or compiler is None or runtime is None:
        print("error: there is no .NET SDK with a compiler", file=sys.stderr)
        return 1
    project = project_of(source)
    files = list(files_of(project, source)) if project is not None else sorted(below(source))
    text = project.read_text(encoding="utf-8-sig", errors="replace") if project is not None else ""
    if re.search(r"<ImplicitUsings>\s*(enable|true)", text, re.IGNORECASE):
        usings = program.with_name("ImplicitUsings.cs")
        usings.write_text("".join(f"global using {name};\n" for name in (*IMPLICIT, "System.Threading.Tasks")))
        files.append(usings)
    version = runtime.parent.name
    options = [
        "-nologo",
        "-noconfig",
        "-nostdlib",
        "-target:exe",
        "-optimize+",
        "-deterministic",
        "-langversion:latest",
        "-utf8output",
    ]
    options += [f"-pathmap:{source}=.", f"-out:{program}", *(["-nullable:enable"] if "<Nullable>enable" in text else [])]
    options += ["-unsafe+", "-nowarn:1701,1702", "-warn:0", *(f"-r:{path}" for path in references(root, runtime.parent))]
    response = program.with_suffix(".rsp")
    response.write_text("".join(f'"{word}"\n' for word in [*options[2:], *(str(file) for file in files)]), encoding="utf-8")
    done = subprocess.run([dotnet, str(compiler), "-noconfig", "-nologo", f"@{response}"], cwd=source, check=False)
    response.unlink()
    settings = {
        "framework": {"name": FRAMEWORK, "version": version},
        "configProperties": {"System.Globalization.Invariant": True},
    }
    program.with_suffix(".runtimeconfig.json").write_text(json.dumps({"runtimeOptions": settings}, indent=2))
    return done.returncode


def newest(paths: Iterator[Path]) -> Path | None:
    """The path with the highest numbers in it."""
    return max(paths, key=lambda path: [int(number) for number in re.findall(r"\d+", str(path))], default=None)


def references(root: Path, runtime: Path) -> list[Path]:
    """What programs are compiled against: the SDK's pack for it, or else the runtime itself."""
    version = runtime.name.rpartition(".")[0]
    pack = newest(root.glob(f"packs/{FRAMEWORK}.Ref/{version}.*/ref/*/System.Runtime.dll"))
    if pack is not None:
        return sorted(pack.parent.glob("*.dll"))
    # Some files there are no assemblies.
    return sorted(path for path in runtime.glob("*.dll") if b"BSJB" in path.read_bytes())


def project_of(source: Path) -> Path | None:
    """The project that makes a program; None if there is none."""
    projects = [path for path in sorted(source.rglob("*.csproj")) if GENERATED.isdisjoint(path.relative_to(source).parts)]
    programs = [
        path for path in projects if re.search("<OutputType>\\s*(Win)?Exe", path.read_text(errors="replace"), re.IGNORECASE)
    ]
    return min(programs, key=lambda path: (bool(HELPERS.search(path.stem)), len(path.parts), path.name), default=None)


def files_of(project: Path, source: Path) -> Iterator[Path]:
    """The files of a project, and of those that it refers to."""
    waiting, done = [project], set()
    while waiting:
        project = waiting.pop()
        if project in done or not project.is_file() or not project.is_relative_to(source):
            continue
        done.add(project)
        yield from sorted(below(project.parent, project))
        named = re.findall(r'<ProjectReference\s+Include="([^"]+)"', project.read_text(errors="replace"))
        waiting += [Path(project.parent, *name.split("\\")).resolve() for name in named]


def below(folder: Path, project: Path | None = None) -> Iterator[Path]:
    """C# files in a folder, but for those that are generated, and those of other projects."""
    for child in folder.iterdir():
        if child.is_dir():
            if child.name not in GENERATED and (project is None or not any(child.glob("*.csproj"))):
                yield from below(child, project)
        elif child.suffix.lower() == ".cs":
            yield child


sys.exit(main(Path(sys.argv[1]).resolve(), Path(sys.argv[2])))
