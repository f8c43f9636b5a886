"""A game of an archive as a picture of its end, and as an animation of its positions."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from PIL import Image, ImageColor, ImageDraw

from scharten.display.pictures.board import COLOURS, BoardPicture, font, read_position, writable
from scharten.words import ENGLISH, text

MOST_BYTES: Final = 1_000_000
PICTURE_PX: Final = 720
ANIMATION_PX: Final = 480
STEP_MS, LAST_MS = 700, 4000
_COLOURS: Final = 63
"""Colours of a board; the next number is the transparent ground of a picture, and the edge of the last turn's fields
in an animation."""
MOST_TURNS: Final = 400
"""An animation of a longer game shows its last positions."""
PAPER, INK, SOFT = "#f4f1ea", "#1f1d1a", "#5d574d"
Shown = Mapping[str, Any]
"""A game as the archive shows it (`journal.archive.shown`)."""


def picture(game: Shown, language: str = ENGLISH) -> bytes:
    """Return the last position with names and result as PNG."""
    *_, last = _frames(game, PICTURE_PX, len(game["sheet"]["entries"]), language)
    buffer = io.BytesIO()
    last.save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


def animation(game: Shown, language: str = ENGLISH) -> bytes:
    """Return the game position by position as a GIF of at most 1 MB, as large as that allows."""
    size = ANIMATION_PX
    while len(packed := _packed(game, size, language)) > MOST_BYTES:
        size = int(size * min(0.95, (MOST_BYTES / len(packed)) ** 0.5 * 0.95))
    return packed


def after_turns(game: Shown, turns: Iterable[int]) -> dict[int, bytes]:
    """Return the board after each of these turns, counted from 1, as PNG; outside its rim it is transparent."""
    board = BoardPicture(game["game"]["layout"], PICTURE_PX, game["white_sits_at"])
    outside = Image.new("1", (PICTURE_PX, PICTURE_PX))
    if board.layout["form"] == "schartbord":
        outside = Image.new("1", outside.size, 1)
        ImageDraw.Draw(outside).ellipse((1, 1, PICTURE_PX - 2, PICTURE_PX - 2), fill=0)
    found = {}
    for turn in turns:
        buffer = io.BytesIO()
        picture = _board_after(board, game, turn).quantize(_COLOURS, dither=Image.Dither.NONE)
        picture.putpalette([*(picture.getpalette() or ())[: 3 * _COLOURS], 0, 0, 0])
        picture.paste(_COLOURS, mask=outside)
        picture.save(buffer, "PNG", transparency=_COLOURS)
        found[turn] = buffer.getvalue()
    return found


def _board_after(board: BoardPicture, game: Shown, turn: int) -> Image.Image:
    """Return the board after a turn counted from 1, or at the start for 0."""
    sheet = game["sheet"]
    entry = sheet["entries"][turn - 1] if turn else {"position": sheet["start"], "fields": ()}
    return board.with_men(read_position(entry["position"], board.layout), tuple(entry["fields"]))


def _packed(game: Shown, size: int, language: str) -> bytes:
    drawn = list(_frames(game, size, max(0, len(game["sheet"]["entries"]) - MOST_TURNS), language))
    palette = drawn[0].quantize(_COLOURS, dither=Image.Dither.NONE)
    golden = ImageColor.getrgb(COLOURS["last"])  # the start has no last turn, so not its colour either
    palette.putpalette([*(palette.getpalette() or ())[: 3 * _COLOURS], *golden])
    first, *rest = (frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in drawn)
    buffer = io.BytesIO()
    times = [STEP_MS] * len(rest) + [LAST_MS]
    first.save(buffer, "GIF", save_all=True, append_images=rest, duration=times, loop=0)
    return buffer.getvalue()


def _frames(game: Shown, size: int, since: int, language: str) -> Iterator[Image.Image]:
    """Yield the positions from turn `since` on, each between the two names."""
    board = BoardPicture(game["game"]["layout"], size, game["white_sits_at"])
    for turn in range(since, len(game["sheet"]["entries"]) + 1):
        yield _captioned(_board_after(board, game, turn), game, turn, language)


def _captioned(board: Image.Image, game: Shown, turn: int, language: str) -> Image.Image:
    """Return the board with Black's name above, White's below, the turn and the result."""
    sheet, size = game["sheet"], board.width
    line = round(size * 0.07)
    whole = Image.new("RGB", (size, size + 2 * line), PAPER)
    whole.paste(board, (0, line))
    draw = ImageDraw.Draw(whole)
    entries, (low, high), edge = sheet["entries"], (size + line * 1.5, line * 0.5), line * 0.4
    ended = turn == len(entries)
    moved = writable(f"{entries[turn - 1]['n']}. {entries[turn - 1]['text']}") if turn else ""
    right = sheet["result"] or "*" if ended else moved
    for y, side, tag in ((high, "black", "Scharten"), (low, "white", right)):
        tag_font = font(line * 0.55)
        draw.text((size - edge, y), tag, fill=INK if tag == right else SOFT, font=tag_font, anchor="rm")
        room = size - 3 * edge - draw.textlength(tag, font=tag_font)
        draw.text((edge, y), _fitting(draw, _name(game, side, language), line * 0.62, room), fill=INK,
                  font=font(line * 0.62), anchor="lm")  # fmt: skip
    return whole


def _name(game: Shown, side: str, language: str) -> str:
    """Return a player's name, else the side's."""
    return writable(game["names"].get(side) or text(language, f"side.{side}"))


def _fitting(draw: ImageDraw.ImageDraw, name: str, size: float, room: float) -> str:
    """Return the name, shortened to fit into this many pixels."""
    while len(name) > 1 and draw.textlength(name, font=font(size)) > room:
        name = f"{name[:-2].rstrip()}…"
    return name
