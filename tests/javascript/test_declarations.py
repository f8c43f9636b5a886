"""The types that tsc holds the page's scripts to are those of the contract."""

from __future__ import annotations

from javascript.declare_contract import TARGET, declarations


def test_the_declarations_are_up_to_date() -> None:
    """After a change of the contract's models, `PYTHONPATH=tests python tests/javascript/declare_contract.py`."""
    assert TARGET.read_text(encoding="utf-8") == declarations()
