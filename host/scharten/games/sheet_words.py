"""The words of a score sheet: results, and how they came about, in each language (rules 9)."""

from __future__ import annotations

from typing import Final

from scharten.game.basics import Language, Result, Side

UNFINISHED: Final = "*"
ARBITERS_RESULTS: Final = (Result.BOTH_LOSE, Result.WHITE_HALF, Result.BLACK_HALF)
"""Results that only an arbiter gives."""

_DUTCH_ENDS: Final = {
    "checkmate": "schaakmat",
    "stalemate": "pat",
    "dead_position": "dode stelling",
    "fogling": "{loser} verloor te veel darts op rij",
    "missed_in_check": "{loser} stond schaak en gooide mis",
    "resignation": "{loser} geeft op",
    "agreement": "remise overeengekomen",
    "repetition": "herhaling van stelling",
    "fifty_moves": "vijftigzettenregel",
    "seventy_five_moves": "vijfenzeventigzettenregel",
    "bare_king": "{loser} heeft alleen de koning nog",
    "both_bare": "alleen twee koningen over",
    "blocked": "niemand kan meer zetten",
    "seventy_moves": "zeventigzettenregel",
    "hundred_moves": "honderdzettenregel",
    "flag": "tijd van {loser} verstreken",
    "arbiter": "beslissing van de scheidsrechter",
}
_ENGLISH_ENDS: Final = {
    "checkmate": "checkmate",
    "stalemate": "stalemate",
    "dead_position": "dead position",
    "fogling": "{loser} lost too many darts in a row",
    "missed_in_check": "{loser} was in check and missed",
    "resignation": "{loser} resigns",
    "agreement": "draw agreed",
    "repetition": "repetition of the position",
    "fifty_moves": "fifty-move rule",
    "seventy_five_moves": "seventy-five-move rule",
    "bare_king": "{loser} has only the king left",
    "both_bare": "only two kings are left",
    "blocked": "neither side can move",
    "seventy_moves": "seventy-move rule",
    "hundred_moves": "hundred-move rule",
    "flag": "{loser}'s time ran out",
    "arbiter": "decision of the arbiter",
}
_GERMAN_ENDS: Final = {
    "checkmate": "schachmatt",
    "stalemate": "patt",
    "dead_position": "tote Stellung",
    "fogling": "{loser} verlor zu viele Darts hintereinander",
    "missed_in_check": "{loser} stand im Schach und warf daneben",
    "resignation": "{loser} gibt auf",
    "agreement": "Remis vereinbart",
    "repetition": "Stellungswiederholung",
    "fifty_moves": "50-Züge-Regel",
    "seventy_five_moves": "75-Züge-Regel",
    "bare_king": "{loser} hat nur noch den König",
    "both_bare": "nur zwei Könige übrig",
    "blocked": "niemand kann mehr ziehen",
    "seventy_moves": "70-Züge-Regel",
    "hundred_moves": "100-Züge-Regel",
    "flag": "Zeit von {loser} abgelaufen",
    "arbiter": "Entscheidung des Schiedsrichters",
}
# A draw where the other side could not have mated names no loser (rules 7).
_DUTCH_DRAWS: Final = {
    "fogling": "te veel darts verloren, maar mat was niet meer mogelijk",
    "resignation": "opgegeven, maar mat was niet meer mogelijk",
    "flag": "tijd verstreken, maar mat was niet meer mogelijk of beide vlaggen waren gevallen",
}
_ENGLISH_DRAWS: Final = {
    "fogling": "too many darts lost, but no mate was possible",
    "resignation": "resigned, but no mate was possible",
    "flag": "time ran out, but no mate was possible or both flags had fallen",
}
_GERMAN_DRAWS: Final = {
    "fogling": "zu viele Darts verloren, aber Matt war nicht mehr möglich",
    "resignation": "aufgegeben, aber Matt war nicht mehr möglich",
    "flag": "Zeit abgelaufen, aber Matt war nicht mehr möglich oder beide Blättchen waren gefallen",
}
_ENDS: Final = {
    Language.DUTCH: (_DUTCH_ENDS, _DUTCH_DRAWS, {Side.WHITE: "Wit", Side.BLACK: "Zwart"}),
    Language.ENGLISH: (_ENGLISH_ENDS, _ENGLISH_DRAWS, {Side.WHITE: "White", Side.BLACK: "Black"}),
    Language.GERMAN: (_GERMAN_ENDS, _GERMAN_DRAWS, {Side.WHITE: "Weiß", Side.BLACK: "Schwarz"}),
}
REASONS: Final = tuple(_ENGLISH_ENDS)
"""The reasons of the MQTT contract."""


def result_words(result: str, reason: str, language: Language) -> str:
    """The comment behind a result, `Wit geeft op`; figurine sheets have English words."""
    ends, draws, names = _ENDS.get(language, _ENDS[Language.ENGLISH])
    loser = {"1-0": Side.BLACK, "0-1": Side.WHITE}.get(result)
    if loser is None and reason in draws:
        return draws[reason]
    return ends[reason].format(loser=names[loser or Side.WHITE])


def reason_of(words: str, result: str) -> str | None:
    """The reason that such a comment behind this result names, in any language; None for any other comment."""
    for language in _ENDS:
        for reason in REASONS:
            if result_words(result, reason, language) == words:
                return reason
    return None


def read_result(text: str) -> str | None:
    """The result that this text is, `*` for a game unfinished; None for anything else."""
    plain = text.replace("1/2", "½").replace("–", "-")
    return plain if plain in (*Result, UNFINISHED) else None
