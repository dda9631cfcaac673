"""How teachrun is installed: what hides its packages, who overwrote them, and advice that works here."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

import teachrun

ENTRY = Path(teachrun.__file__)
UNREADABLE = "raise SystemExit('imported')"


def started(*argv: str, cwd: Path | None = None, **variables: str) -> subprocess.CompletedProcess[str]:
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        [sys.executable, *argv], cwd=cwd, env=environ | variables, capture_output=True, text=True, timeout=120
    )


# --- folders of the user's with our plain names ---------------------------------------------------------


@pytest.mark.parametrize("package", teachrun.PACKAGES)
@pytest.mark.parametrize("spelt", [".", "", "{here}"])
def test_a_pythonpath_with_a_package_of_our_name_blocks_nothing(
    package: str, spelt: str, tmp_path: Path
) -> None:
    (tmp_path / package).mkdir()
    (tmp_path / package / "__init__.py").write_text(UNREADABLE)
    # An empty entry is the working directory, where it is one of several.
    path = os.pathsep.join((spelt.format(here=tmp_path), str(tmp_path / "elsewhere")))
    done = started("-P", str(ENTRY), "list", "--json", cwd=tmp_path, PYTHONPATH=path)
    assert done.returncode == 0, done.stderr
    assert '"ddp"' in done.stdout


def test_a_folder_without_code_blocks_nothing_either(tmp_path: Path) -> None:
    (tmp_path / "runtime").mkdir()  # a namespace package comes before what an editable install finds
    done = started("-P", str(ENTRY), "list", "--json", cwd=tmp_path, PYTHONPATH=str(tmp_path))
    assert done.returncode == 0, done.stderr


def test_it_runs_as_a_module(tmp_path: Path) -> None:
    (tmp_path / "slides").mkdir()
    (tmp_path / "slides" / "__init__.py").write_text(UNREADABLE)
    done = started("-m", "tui", "--version", cwd=tmp_path)
    assert (done.returncode, done.stdout.split()[0]) == (0, "teachrun"), done.stderr


def test_programs_of_the_user_get_their_pythonpath_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "quiz").mkdir()
    theirs = os.pathsep.join((str(tmp_path), str(tmp_path / "other")))
    monkeypatch.setenv("PYTHONPATH", theirs)
    monkeypatch.delenv(teachrun.USERS_PYTHONPATH, raising=False)
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    assert teachrun.as_user("echo") == ("echo",)
    teachrun.pass_by()
    assert os.environ["PYTHONPATH"] == str(tmp_path / "other")
    assert str(tmp_path) not in sys.path
    assert teachrun.users_pythonpath() == theirs
    shown = "import os; print(os.environ['PYTHONPATH'], 'TEACHRUN_PYTHONPATH' in os.environ)"
    done = subprocess.run(teachrun.as_user(sys.executable, "-c", shown), capture_output=True, text=True)
    assert done.stdout.split() == [theirs, "False"]


def test_what_is_found_first_and_is_not_ours_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not by a PYTHONPATH, but as a `.pth` file or a site of its own has it."""
    assert teachrun.hiding_package() == ""
    (tmp_path / "runtime.py").write_text(UNREADABLE)
    monkeypatch.syspath_prepend(tmp_path)
    assert teachrun.main() == 2
    said = capsys.readouterr().err
    assert str(tmp_path / "runtime.py") in said and "pipx" in said


# --- distributions that write into our packages ---------------------------------------------------------


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    """A site with teachrun in it as from a wheel, and another distribution that has a `slides` of its own."""
    site = tmp_path / "site"
    packages = [str(ENTRY.parent / name) for name in teachrun.PACKAGES]
    subprocess.run(["cp", "-r", *packages, str(ENTRY), str(site.mkdir() or site)], check=True)
    own = site / "teachrun-0.1.0.dist-info"
    own.mkdir()
    (own / "METADATA").write_text("Metadata-Version: 2.1\nName: teachrun\nVersion: 0.1.0\n")
    files = ["slides/deck.py", "slides/reading/parse.py"]
    (own / "RECORD").write_text("".join(f"{file},{digest(site / file)},1\n" for file in files))
    other = site / "deckmaker-1.0.dist-info"
    other.mkdir()
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: deckmaker\nVersion: 1.0\n")
    (other / "RECORD").write_text("slides/deck.py,,\nslides/theirs.py,,\n")
    return site


def digest(file: Path) -> str:
    import base64
    import hashlib

    raw = hashlib.sha256(file.read_bytes()).digest()
    return "sha256=" + base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def test_an_overwritten_package_is_told_in_a_line(shared: Path) -> None:
    (shared / "slides" / "deck.py").write_text("class Presentation: ...\n")
    code = f"import sys; sys.path.insert(0, {str(shared)!r}); sys.argv[1:] = ['check', 'x.md']; "
    code += "import teachrun; sys.exit(teachrun.main())"
    (shared / "x.md").write_text("# One\n")
    done = started("-P", "-c", code, cwd=shared)
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert "deckmaker" in done.stderr and "slides/deck.py" in done.stderr and "pipx" in done.stderr


def test_the_doctor_sees_who_shares_a_folder_with_us(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tui.health import machine

    def packages() -> tuple[str, str]:
        found = next(f for f in machine.python() if f.name == "packages")
        return found.state, found.said

    assert packages()[0] == "good"
    monkeypatch.syspath_prepend(shared)
    state, said = packages()
    assert state == "warning" and "deckmaker has files in a folder of ours (slides/deck.py)" in said
    (shared / "slides" / "deck.py").write_text("class Presentation: ...\n")
    state, said = packages()
    assert state == "bad" and "slides/deck.py" in said and "deckmaker" in said


# --- advice that works where one is ---------------------------------------------------------------------


def test_what_an_extra_asks_for_is_named_by_its_packages() -> None:
    """Nobody's package on an index has the name of this project."""
    assert teachrun.packages_of("torch") == ["torch<2.14,>=2.11"]
    assert teachrun.packages_of("film") == ["pyte<1,>=0.8.2"]
    assert {"genanki", "fpdf2", "pyte", "torch"} <= {
        package.partition("<")[0].partition(">")[0] for package in teachrun.packages_of("all")
    }
    for extra in ("torch", "film", "pdf", "anki", "gpu", "all", "terminal"):
        assert "teachrun[" not in teachrun.install_extra(extra)


@pytest.mark.parametrize(
    ("marker", "begins"),
    [
        ("pipx_metadata.json", "pipx inject teachrun-env "),
        ("uv-receipt.toml", "uv pip install --python "),
        ("", f"{sys.executable} -m pip install "),
    ],
)
def test_the_command_goes_into_the_environment_that_runs(
    marker: str, begins: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prefix = tmp_path / "teachrun-env"
    prefix.mkdir()
    if marker:
        (prefix / marker).write_text("")
    monkeypatch.setattr(sys, "prefix", str(prefix))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: object())
    said = teachrun.install("pillow>=11")
    assert said.startswith(begins) and said.endswith(" 'pillow>=11'")


def test_the_systems_python_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "EXTERNALLY-MANAGED").write_text("")
    monkeypatch.setattr(sys, "prefix", sys.base_prefix)
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path))
    assert "pip install" not in teachrun.install("pillow")


def test_in_an_environment_without_pip_uv_is_named(tmp_path: Path) -> None:
    venv.create(tmp_path / "env", with_pip=False)
    python = tmp_path / "env" / "bin" / "python"
    code = (
        f"import sys; sys.path.append({str(ENTRY.parent)!r}); import teachrun; print(teachrun.install('x'))"
    )
    said = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.split() == ["uv", "pip", "install", "--python", str(python), "x"]


def test_authors_import_the_probe_from_the_public_name() -> None:
    from runtime.ranks import probe

    assert teachrun.probe is probe.probe
    with pytest.raises(AttributeError):
        _ = teachrun.prob  # type: ignore[attr-defined]


def test_where_there_is_no_probe_the_import_of_it_fails_as_imports_do(tmp_path: Path) -> None:
    """As `try: from teachrun import probe` expects where teachrun is not installed."""
    code = "try:\n    from teachrun import probe\nexcept ImportError as error:\n    print(error.name)"
    absent = started("-I", "-S", "-c", code, cwd=tmp_path)
    assert absent.stdout.strip() == "teachrun", absent.stderr


def test_the_public_name_imports_nothing_of_ours_by_itself() -> None:
    code = f"import sys, teachrun; print(sorted({set(teachrun.PACKAGES)!r} & sys.modules.keys()))"
    done = started("-P", "-c", code)
    assert done.stdout.strip() == "[]", done.stderr
