"""Shared by every test: what is missing on this machine is said at the end, and in CI a skip is a failure."""

import os
import tomllib
from importlib import import_module

import hypothesis
import pytest

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # two workers and their programs share two cores

# How long an example takes says more of the machine than of the program.
hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.load_profile("untimed")


def pytest_addoption(parser: pytest.Parser) -> None:
    """What `make test-fast` asks for."""
    parser.addoption(
        "--machine-code", action="store_true", help="Refuse to test the Python of compiled modules."
    )


def pytest_configure(config: pytest.Config) -> None:
    """Refuses to begin when machine code was asked for and a module that is compiled would be tested as Python."""
    if config.getoption("--machine-code") and (
        python := [one for one in compiled(config) if not one.endswith(".so")]
    ):
        raise pytest.UsageError(f"not machine code: {', '.join(python)}")


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Which machine code is tested."""
    files = compiled(config) if config.getoption("--machine-code") else []
    return [f"machine code: {len(files)} modules, as {files[0]}"] if files else []


def compiled(config: pytest.Config) -> list[str]:
    """The files from which the modules come that are compiled."""
    project = tomllib.loads((config.rootpath / "pyproject.toml").read_text(encoding="utf-8"))
    named = project["tool"]["hatch"]["build"]["targets"]["wheel"]["hooks"]["custom"]["compiled"]
    return [str(import_module(name).__file__) for name in named]


@pytest.hookimpl(hookwrapper=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> object:
    """Prints which tests did not run and why, as the closing lines."""
    yield
    skipped = terminalreporter.stats.get("skipped", [])
    for report in skipped:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        terminalreporter.write_line(f"not run: {report.nodeid}: {reason.removeprefix('Skipped: ')}")


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Fails the run in CI when a test skipped: there, every tool is meant to be present."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("CI") and reporter is not None and reporter.stats.get("skipped") and exitstatus == 0:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
