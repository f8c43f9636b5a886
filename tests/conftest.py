"""Shared by every test: order, selection, and the closing report of what did not run."""

import os
import tomllib
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import hypothesis
import pytest

# Workers and their programs share two cores.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OPENCV_FOR_THREADS_NUM", "1")

PHOTOGRAPHS = Path(__file__).parents[2] / "shared" / "darts"

# The duration of an example depends on the machine, not on the program.
hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.load_profile("untimed")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option of `make test-fast`."""
    parser.addoption("--machine-code", action="store_true", help="Refuse compiled modules loaded as Python.")


def pytest_configure(config: pytest.Config) -> None:
    """Refuse `--machine-code` when a compiled module loads as Python."""
    if not config.getoption("--machine-code"):
        return
    if python := [file for file in compiled(config) if not file.endswith(".so")]:
        raise pytest.UsageError(f"not machine code: {', '.join(python)}")


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Name the machine code under test."""
    files = compiled(config) if config.getoption("--machine-code") else []
    return [f"machine code: {len(files)} modules, as {files[0]}"] if files else []


def compiled(config: pytest.Config) -> list[str]:
    """Return the files of the modules that `make dist-fast` compiles."""
    project = tomllib.loads((config.rootpath / "pyproject.toml").read_text(encoding="utf-8"))
    names = project["tool"]["hatch"]["build"]["targets"]["wheel"]["hooks"]["custom"]["compiled"]
    return [str(import_module(name).__file__) for name in names]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep each folder's tests together, and leave out tests of photographs.

    Rendered scenes prove the same in half the time. `.ci/run` and `-m darts` use the photographs too, where they are.
    pytest-randomly shuffles all modules. Fixtures of a folder (a browser, a broker, a daemon) would start again
    whenever the folder changes.
    """
    folders: dict[Path, int] = {}
    items.sort(key=lambda item: folders.setdefault(item.path.parent, len(folders)))
    wanted = "CI" in os.environ or "darts" in config.option.markexpr
    if not (wanted and PHOTOGRAPHS.is_dir()) and (
        left_out := [item for item in items if item.get_closest_marker("darts")]
    ):
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


@pytest.hookimpl(hookwrapper=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> Iterator[None]:
    """Print one block with what did not run, and why."""
    yield
    skipped = terminalreporter.stats.get("skipped", [])
    if not skipped:
        return
    reasons = Counter(_reason(report) for report in skipped)
    terminalreporter.section(f"{len(skipped)} tests did not run", sep="-")
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"{count:5} {reason}")
    terminalreporter.write_line(
        "`make tools` installs what most of them need, `make tools ARGS=all` the rest."
    )
    if os.environ.get("CI"):
        for report in skipped:
            terminalreporter.write_line(f"not run: {report.nodeid}: {_reason(report)}")


def _reason(report: pytest.TestReport) -> str:
    text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return text.removeprefix("Skipped: ")


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Fail a run in CI when a test skipped: every tool is installed there."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("CI") and reporter is not None and reporter.stats.get("skipped") and exitstatus == 0:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
