"""Every parser of what comes from outside, with mutated and hostile text: a value or its own refusal, never a crash."""

import pytest

from lab.trust.fuzz import PARSERS, PEAK_MB, STRANGERS, fuzz, peak_of_nonsense


@pytest.mark.parametrize("name", PARSERS)
def test_no_text_makes_a_parser_fall_over(name: str) -> None:
    """Mutations of a good text and text out of nothing: a value, or the refusal that the parser promises."""
    assert fuzz(name, 60) >= 60


def test_the_fuzzer_can_find_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """A parser that counts on a bracket being closed is found out."""
    monkeypatch.setitem(PARSERS, "careless", (lambda text: text[text.index("[") :].index("]"), "[a]"))
    with pytest.raises(ValueError, match="not found"):
        fuzz("careless", 200)


@pytest.mark.long
@pytest.mark.parametrize("name", STRANGERS)
def test_a_megabyte_of_nonsense_is_refused_in_bounded_memory(name: str) -> None:
    """Nesting, digits and separators by the million: no crash, and a peak of memory of a few times the text."""
    peak = peak_of_nonsense(name)
    print(f"{name}: at most {peak:.1f} MB")
    assert peak < PEAK_MB
