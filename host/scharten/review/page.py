"""A review as HTML without scripts: a page to save, and the cards of the board's own page."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from scharten.dartboard.locate import WIRE_RADII
from scharten.games.sheet_words import result_words
from scharten.words import text

Turn = Mapping[str, Any]
WIDE, HIGH = 900, 200
NOTABLE: Final = 0.05
"""The least lead that the headline names: as much as a turn with the sign ?! costs."""
_PARTS: Final = ("head", "hand", "luck")
_RULES: Final = Path(__file__).parents[1] / "display" / "static" / "css" / "review.css"
_STYLE: Final = """
:root{color-scheme:light dark;--line:#8888;--soft:GrayText;--ink:CanvasText;--warn:#dc2626;--accent-soft:#8883}
body{font:16px/1.5 system-ui,sans-serif;max-width:70rem;margin:auto;padding:1rem}a{color:inherit}
table{border-collapse:collapse;width:100%}td,th{text-align:left;border-bottom:1px solid var(--line);padding:.3rem .5rem}
td{font-variant-numeric:tabular-nums}
.review{gap:0 2rem}.card{min-width:0}.wide{grid-column:1/-1}.scroll{overflow-x:auto}img{display:block}
"""
"""The rules that a saved page needs in place of the components."""


def page(review: Mapping[str, Any], language: str, boards: Mapping[int, str]) -> str:
    """Return the review as a page of HTML in a language, with its style inside.

    `boards` has the address of a picture of the board after a turn, by the turn's place in the game.
    """
    title = escape(text(language, "reviewed.title"))
    style = f"{_STYLE}{_RULES.read_text(encoding='utf-8')}"
    return (
        f"<!doctype html><html lang='{escape(language)}'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width,initial-scale=1'>"
        f"<title>{title}: {escape(_title(review, language))}</title><style>{style}</style></head>"
        f"<body><h1>{title}</h1><main class='review'>{cards(review, language, boards)}</main></body></html>\n"
    )


def cards(review: Mapping[str, Any], language: str, boards: Mapping[int, str] = MappingProxyType({})) -> str:
    """Return the review as the cards that the board's page shows; that page draws its boards itself."""

    def t(key: str, **args: object) -> str:
        return escape(text(language, f"reviewed.{key}", **args))

    names = {side: _name(review, side, language) for side in ("white", "black")}
    how = ""
    if review["result"] and review["reason"]:
        how = f"{review['result']} {result_words(review['result'], review['reason'], language)}"
    alike = {side: round(100 * review["alike"][side]) for side in names}
    best = max(names, key=lambda side: (alike[side], side == "white"))
    turns: Sequence[Turn] = review["turns"]
    expected = t("alike", name=names[best], percent=alike[best])
    luck = f"<p>{expected}</p>" if any("aim" in turn for turn in turns) else ""
    verdict = f"<p class='verdict'>{_verdict(review, names, t)}</p>"
    if review.get("engine"):
        luck += f"<p class='help'>{t('engine', engine=review['engine'])}</p>"
    parts = (
        ("wide", escape(_title(review, language)), f"{verdict}<p>{escape(how)}</p>{luck}"),
        ("wide", t("graph"), _graph(turns, review["decided"], t("graph"), t("turn"))),
        ("wide", t("decided"), f"<ul class='decided'>{_decided(review, names, boards, t)}</ul>"),
        ("wide", t("sums"), f"{_bars(review, names, t)}<p class='help'>{t('legend')}</p>"),
        ("wide", t("turns"), f"<div class='scroll'>{_table(turns, t)}</div>"),
    )
    return "".join(
        f"<section class='card {width}'><h2>{heading}</h2>{content}</section>"
        for width, heading, content in parts
    )


def _verdict(review: Mapping[str, Any], names: Mapping[str, str], t: Any) -> str:
    """Return what won the game, head, hand or luck, and whom luck helped where that is something else."""
    ahead = {part: review["white"][part] - review["black"][part] for part in _PARTS}
    lucky = "" if abs(ahead["luck"]) < NOTABLE else names["white" if ahead["luck"] > 0 else "black"]
    luck = t("verdict.lucky", name=lucky) if lucky else ""
    winner = {"1-0": "white", "0-1": "black"}.get(review["result"])
    if winner is None:
        return f"{t('verdict.draw')} {luck}".strip()
    sign = 1 if winner == "white" else -1
    part = max(_PARTS, key=lambda part: sign * ahead[part])
    won = t(f"verdict.{part if sign * ahead[part] >= NOTABLE else 'won'}", name=names[winner])
    return won if part == "luck" else f"{won} {luck}".strip()


def _title(review: Mapping[str, Any], language: str) -> str:
    return " – ".join(_name(review, side, language) for side in ("white", "black"))


def _name(review: Mapping[str, Any], side: str, language: str) -> str:
    return str(review[side]["name"] or text(language, f"side.{side}"))


def _graph(turns: Sequence[Turn], decided: Sequence[int], title: str, turn_word: str) -> str:
    """Return White's chances after each turn with scales; each dot leads to its turn, large at those that decided."""
    step = WIDE / max(1, len(turns) - 1)
    places = [
        (round(number * step, 1), round(HIGH * (1 - _white_after(turn)), 1))
        for number, turn in enumerate(turns)
    ]
    line = " ".join(f"{x},{y}" for x, y in places)
    dots = "".join(
        f"<a href='#t{turn['turn']}'><title>{escape(turn['text'])} {_white_after(turn):.0%}</title>"
        f"<path class='dot{' sign' if turn['sign'] else ''}{' turning' if turn['turn'] in decided else ''}'"
        f" d='M{x} {y}h0'/></a>"
        for (x, y), turn in zip(places, turns, strict=True)
    )
    ends = "".join(f"<li>{turn_word} {at}</li>" for at in sorted({turns[0]["turn"], turns[-1]["turn"]}))
    return (
        "<div class='review-graph'><ol><li>100 %</li><li>50 %</li><li>0 %</li></ol>"
        f"<svg viewBox='0 0 {WIDE} {HIGH}' preserveAspectRatio='none' role='img' aria-label='{title}'>"
        f"<polygon class='share' points='0,{HIGH} {line} {places[-1][0]},{HIGH}'/>"
        f"<path class='grid' d='M0 0H{WIDE}M0 {HIGH / 2}H{WIDE}M0 {HIGH}H{WIDE}'/>"
        f"<polyline class='graph' points='{line}'/>{dots}</svg>"
        f"<ol class='review-turns'>{ends}</ol></div>"
    )


def _white_after(turn: Turn) -> float:
    """Return White's chances after a turn, so that a mistake shows where it was made."""
    return float(turn["after"] if turn["side"] == "white" else 1.0 - turn["after"])


def _bars(review: Mapping[str, Any], names: Mapping[str, str], t: Any) -> str:
    """Return head, hand and luck of both players as bars around nothing."""
    most = max(0.01, *(abs(review[side][part]) for side in names for part in _PARTS))
    rows = []
    for side, name in names.items():
        who = t("thrower", name=name, mm=f"{review[side]['scatter_mm']:g}")
        rows.append(f"<tr><th colspan='3' scope='colgroup'>{who}</th></tr>")
        for part in _PARTS:
            value = review[side][part]
            wide = abs(value) / most * 100
            left = 0 if value >= 0 else -wide
            rows.append(
                f"<tr><td>{t(part)}</td><td>{_signed(value, 2)}</td>"
                "<td><svg viewBox='-100 0 200 10' preserveAspectRatio='none' aria-hidden='true'>"
                f"<rect class='{part}' x='{left:.1f}' width='{wide:.1f}' height='10'/>"
                "<path class='axis' d='M0 0V10'/></svg></td></tr>"
            )
    return f"<table class='bars'><tbody>{''.join(rows)}</tbody></table>"


def _signed(value: float, digits: int) -> str:
    """Return a figure with its sign; one that rounds to nothing has none."""
    shown = f"{value:+.{digits}f}"
    return shown.replace("-", "−") if float(shown) else shown[1:]


def _decided(review: Mapping[str, Any], names: Mapping[str, str], boards: Mapping[int, str], t: Any) -> str:
    """Return the items of the turns that decided: the turn, what it did to the chances, and its board if given."""
    found = []
    for number in review["decided"]:
        turn = review["turns"][number - 1]
        part = max(("head", "luck"), key=lambda part: abs(turn[part]))
        sentence = t(
            f"decided.{part}",
            name=names[turn["side"]],
            turn=turn["text"],
            points=_signed(100 * turn[part], 0),
        )
        name = f"{turn['n']}. {escape(turn['text'])}"
        board = f"<img class='board' src='{boards[number]}' alt='{name}'>" if number in boards else ""
        found.append(f"<li data-turn='{number}'><a href='#t{number}'>{name}</a>: {sentence}{board}</li>")
    return "".join(found)


def _table(turns: Sequence[Turn], t: Any) -> str:
    head = "".join(f"<th scope='col'>{t(key)}</th>" for key in ("turn", "played", "white", *_PARTS, "best"))
    rows = []
    for turn in turns:
        cells = "".join(f"<td>{_signed(turn[part], 2)}</td>" for part in _PARTS)
        rows.append(
            f"<tr id='t{turn['turn']}'><td>{turn['n']}</td><td>{escape(turn['text'])} {turn['sign']}{_what_if(turn, t)}"
            f"</td><td>{_white_after(turn):.0%}</td>{cells}<td>{escape(turn['best'])}</td></tr>"
        )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _what_if(turn: Turn, t: Any) -> str:
    """Return twenty darts that might as well have fallen, on a small board."""
    if "ghosts" not in turn:
        return ""
    rings = "".join(f"<circle class='grid' r='{radius}'/>" for radius in WIRE_RADII)
    sines = [(math.sin(angle), -math.cos(angle)) for angle in (math.radians(18 * n + 9) for n in range(20))]
    wires = "".join(f"M{16 * x:.1f} {16 * y:.1f}L{170 * x:.1f} {170 * y:.1f}" for x, y in sines)
    darts = "".join(
        f"<circle class='luck' cx='{x}' cy='{-y}' r='5'><title>{bed}</title></circle>"
        for x, y, bed in turn["ghosts"]
    )
    x, y = turn["aim"]
    low, high = turn["luck_interval"]
    sentence = (
        t("aim_said") if turn["aim_said"] else t("aim_likely", low=_signed(low, 2), high=_signed(high, 2))
    )
    return (
        f"<details><summary>{t('what_if')}</summary><p>{sentence}</p>"
        f"<svg viewBox='-230 -230 460 460' width='230' role='img' aria-label='{t('what_if')}'>{rings}"
        f"<path class='grid' d='{wires}'/><path class='cross' d='M{x - 9:.1f} {-y:.1f}h18m-9 -9v18'/>"
        f"{darts}</svg></details>"
    )
