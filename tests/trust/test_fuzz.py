"""Every parser of outside input gets mutated and hostile text: it returns a value or its refusal, and never crashes."""

import pytest

from lab.trust.fuzz import PARSERS, PEAK_MB, STRANGERS, fuzz, peak_of_nonsense


@pytest.mark.parametrize("name", PARSERS)
def test_no_text_crashes_a_parser(name: str) -> None:
    """Mutations of a valid text and random text give a value, or the refusal that the parser promises."""
    assert fuzz(name, 60) >= 60


def test_the_fuzzer_finds_a_faulty_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    """It crashes a parser that assumes a closing bracket."""
    monkeypatch.setitem(PARSERS, "careless", (lambda text: text[text.index("[") :].index("]"), "[a]"))
    with pytest.raises(ValueError, match="not found"):
        fuzz("careless", 200)


@pytest.mark.long
@pytest.mark.parametrize("name", STRANGERS)
def test_a_megabyte_of_nonsense_is_refused_in_bounded_memory(name: str) -> None:
    """Millions of brackets, digits and separators cause no crash, and a memory peak of a few times the text."""
    peak = peak_of_nonsense(name)
    print(f"{name}: at most {peak:.1f} MB")
    assert peak < PEAK_MB
