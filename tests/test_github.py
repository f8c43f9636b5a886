"""The forms and the workflow of .github are valid YAML and run what the Makefile has."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
FORMS = sorted(path for path in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml") if path.stem != "config")


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_an_issue_form_is_complete(path: Path) -> None:
    """Each form has a name, a description and labelled fields with distinct ids."""
    form = yaml.safe_load(path.read_text())
    assert form["name"] and form["description"]
    assert all(field["attributes"]["label"] for field in form["body"])
    names = [field["id"] for field in form["body"]]
    assert len(set(names)) == len(names)


def test_the_workflow_runs_targets_of_the_makefile_on_every_supported_python() -> None:
    """`make check` and `make test` exist and run from the oldest supported Python to 3.14."""
    job = yaml.safe_load((ROOT / ".github" / "workflows" / "test.yml").read_text())["jobs"]["check-and-test"]
    goals = [goal for step in job["steps"] for goal in re.findall(r"^make (\S+)", step.get("run", ""))]
    assert goals == ["check", "test"]
    makefile = (ROOT / "Makefile").read_text()
    assert all(re.search(rf"^{goal}:", makefile, re.M) for goal in goals)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    pythons = job["strategy"]["matrix"]["python"]
    assert project["requires-python"] == f">={pythons[0]}" and pythons[-1] == "3.14"
