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

WHOLE = "SCHARTEN_WHOLE_TEST_RUN"
"""The variable that tells the workers whether the run was given no file, folder or word."""
PHOTOGRAPHS = Path(__file__).parents[2] / "shared" / "darts"

# The duration of an example depends on the machine, not on the program.
hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.load_profile("untimed")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option of `make test-fast`, and the one that leaves nothing out."""
    parser.addoption(
        "--all", action="store_true", help="Run the long tests and those of photographs too, as CI does."
    )
    parser.addoption("--machine-code", action="store_true", help="Refuse compiled modules loaded as Python.")


def pytest_configure(config: pytest.Config) -> None:
    """Choose what runs, and refuse `--machine-code` when a compiled module loads as Python."""
    if not hasattr(config, "workerinput"):  # the workers of pytest-xdist are given every path
        found = config.args_source is pytest.Config.ArgsSource.TESTPATHS and not config.option.keyword
        os.environ[WHOLE] = "yes" if found else ""
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
    """Keep each folder's tests together, and leave out tests of photographs and, of a whole run, the long ones.

    Rendered scenes prove the same as photographs in half the time. A run of one folder or file has its long tests.
    pytest-randomly shuffles all modules. Fixtures of a folder (a browser, a broker, a daemon) would start again
    whenever the folder changes.
    """
    folders: dict[Path, int] = {}
    items.sort(key=lambda item: folders.setdefault(item.path.parent, len(folders)))
    everything = "CI" in os.environ or config.getoption("--all")
    marks = config.option.markexpr
    left_out = set()
    if not ((everything or "darts" in marks) and PHOTOGRAPHS.is_dir()):
        left_out.add("darts")
    if os.environ[WHOLE] and not (everything or "long" in marks):
        left_out.add("long")
    if gone := [item for item in items if left_out & {mark.name for mark in item.iter_markers()}]:
        config.hook.pytest_deselected(items=gone)
        items[:] = [item for item in items if item not in set(gone)]


@pytest.hookimpl(hookwrapper=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> Iterator[None]:
    """Print one block with what did not run, and why."""
    yield
    if os.environ[WHOLE] and not ("CI" in os.environ or terminalreporter.config.getoption("--all")):
        terminalreporter.write_line(
            "Long tests were left out: `make test ARGS=--all` runs them too, as CI does."
        )
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
