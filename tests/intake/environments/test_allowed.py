"""What of a team's requirements the organiser allows, and the way out where something isn't."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from tests.intake.wheels import make_wheel

from tiltyard_engine.errors import UserError
from tiltyard_intake.environments.allowed import Allowed, Judged, allowed_of, judge
from tiltyard_intake.environments.requirements import TeamRequirement

NUMPY = metadata.version("numpy")


def judged(allowed: Allowed, *texts: str) -> Judged:
    return judge(
        [TeamRequirement(Requirement(text), f"requirements.txt:{number}") for number, text in enumerate(texts, 1)], allowed
    )


def test_what_the_runner_has_needs_no_environment() -> None:
    found = judged(Allowed(), "numpy", "tiltyard-engine", "Tiltyard_Tanks>=0.1", "msgspec", "pluggy")
    assert (found.to_install, found.refusals, found.there) == ((), (), (f"numpy {NUMPY}",))


def test_another_version_is_refused_with_the_way_out() -> None:
    found = judged(Allowed(), "numpy", "numpy<1", "frobnicate")
    assert found.refusals == (
        (
            f"requirements.txt:2: numpy<1 is not on the allowed list ({NUMPY} is there, which doesn't fit):"
            " ask the organiser to add --allow numpy"
        ),
        "requirements.txt:3: frobnicate is not on the allowed list: ask the organiser to add --allow frobnicate",
    )


def test_what_is_allowed_is_installed_and_the_runners_in_its_version() -> None:
    found = judged(allowed_of(["Frob.Nicate<3", "frob-nicate>1", "unused<9"], None), "frob_nicate", "numpy")
    assert found.refusals == ()
    assert [str(each) for each in found.to_install] == ["frob_nicate", "numpy"]
    assert {"frob-nicate<3,>1", "unused<9", f"numpy=={NUMPY}", f"msgspec=={metadata.version('msgspec')}"} <= {*found.constraints}


def test_tiltyard_itself_is_not_installed_in_another_version() -> None:
    (refusal,) = judged(allowed_of(["tiltyard-engine"], None), "tiltyard-engine>=99").refusals
    assert "tiltyard-engine>=99: this machine plays with tiltyard-engine 0" in refusal


def test_a_folder_of_wheels_allows_what_lies_in_it(tmp_path: Path) -> None:
    make_wheel(tmp_path, "shared", "1.0")
    make_wheel(tmp_path, "secret", "1.0")
    all_of_it = allowed_of([], tmp_path)
    assert [str(each) for each in judged(all_of_it, "shared", "secret").to_install] == ["shared", "secret"]
    assert f"ask the organiser to put its wheel into {tmp_path}" in judged(all_of_it, "frobnicate").refusals[0]
    assert "add --allow secret" in judged(allowed_of(["shared"], tmp_path), "shared", "secret").refusals[0]


def test_a_folder_of_packages_has_wheels_in_its_folder_for_python(tmp_path: Path) -> None:
    make_wheel(tmp_path / "python", "shared", "1.0")
    allowed = allowed_of(["python:Shared", "cargo:my_grid", "nuget:A.B", "go:example.com/X/v2"], None, packages=tmp_path)
    assert [str(each) for each in judged(allowed, "shared").to_install] == ["shared"]
    assert allowed.others == {"cargo:my-grid", "nuget:a.b", "go:example.com/X/v2"}
    assert allowed.wheels == tmp_path / "python"
    with pytest.raises(UserError, match="has a folder python with wheels too; name one of the two"):
        allowed_of([], tmp_path / "python", packages=tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match="has none of the folders python, cargo, cmake, go, nuget; expected one for each"):
        allowed_of([], None, packages=tmp_path / "empty")
    with pytest.raises(UserError, match="cargo:rand is allowed, but no folder of packages is named: add --packages FOLDER"):
        allowed_of(["cargo:rand"], None).check_folder()


@pytest.mark.parametrize(
    "name", ["numpy scipy", "https://example.com/a", "a @ https://example.com/a", "a[b]", 'a; os_name == "x"', ""]
)
def test_a_wrong_name_is_an_error(name: str) -> None:
    with pytest.raises(UserError, match="expected a name such as numpy"):
        allowed_of([name], None)


def test_a_folder_without_wheels_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="holds no wheels"):
        allowed_of([], tmp_path)
    with pytest.raises(UserError, match="nowhere"):
        allowed_of([], tmp_path / "nowhere")
