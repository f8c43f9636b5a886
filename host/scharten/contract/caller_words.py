"""What the caller says in each language: beds, pieces, fouls, ends, and the sentences that hold them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

_ENGLISH_NUMBERS: Final = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
)
_DUTCH_NUMBERS: Final = (
    "één twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien "
    "achttien negentien twintig"
)
_GERMAN_NUMBERS: Final = (
    "eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn "
    "achtzehn neunzehn zwanzig"
)


@dataclass(frozen=True, slots=True)
class Words:
    """One language; `sentences` have {places}, `beds` are by letter or whole name, `numbers` are 1 to 20."""

    numbers: str
    sides: Mapping[str, str]
    beds: Mapping[str, str]
    pieces: Mapping[str, str]
    fouls: Mapping[str, str]
    ends: Mapping[str, str]
    sentences: Mapping[str, str]


ENGLISH: Final = Words(
    numbers=_ENGLISH_NUMBERS,
    sides={"white": "White", "black": "Black"},
    beds={"D": "Double {n}", "F": "Outer {n}", "T": "Treble {n}", "L": "Inner {n}", "S": "Single {n}",
          "25": "Outer bull", "BULL": "Bull", "MISS": "Off the board"},
    pieces={"K": "king", "Q": "queen", "R": "rook", "B": "bishop", "N": "knight", "P": "pawn", "E": "elephant",
            "G": "general", "W": "warrior"},
    fouls={"outside_zone": "outside the zone", "occupied": "the field is occupied", "bull": "a bull is lost",
           "wrong_colour": "the wrong colour", "off_board": "off the board", "bounce_out": "it bounced out",
           "declared": "a lost dart", "missed_in_check": "the check stands"},
    ends={"checkmate": "Checkmate", "stalemate": "Stalemate", "dead_position": "Nobody can mate any more",
          "fogling": "Fogling", "missed_in_check": "The check stands", "resignation": "{loser} resigns",
          "agreement": "A draw is agreed", "repetition": "The position was repeated",
          "fifty_moves": "Fifty moves without progress",
          "seventy_five_moves": "Seventy-five moves without progress", "bare_king": "A bare king",
          "both_bare": "Two bare kings", "blocked": "Nobody can move",
          "seventy_moves": "Seventy moves without progress", "hundred_moves": "A hundred moves without progress",
          "flag": "Time is up", "arbiter": "The arbiter decides"},
    sentences={
        "placed": "{piece} on {field}.", "lost": "{foul}.", "fouls": "{count} of {limit}.",
        "moved": "{piece} to {field}.",
        "takes": "{piece} takes on {field}.", "castles": "{side} castles.", "becomes": "It becomes a {piece}.",
        "passed": "{side} passes.", "check": "Check.", "wins": "{side} wins.", "draw": "A draw.",
        "result": "The result is {result}.", "next": "{side}.", "begins": "{side} begins.", "new_game": "New game.",
        "white_found": "{side} has White.", "corrected": "Correction.", "deleted": "That was no dart.",
        "added": "One more dart.", "taken_back": "Taken back.", "reopened": "The game is open again.",
        "draw_offered": "{side} offers a draw.", "draw_declined": "{side} declines the draw.", "paused": "Pause.",
        "resumed": "Play goes on.", "which_bed": "Which bed is the dart in?", "ask_lost_dart": "Was a dart lost?",
        "position_set": "A position was set up.",
    },
)  # fmt: skip
DUTCH: Final = Words(
    numbers=_DUTCH_NUMBERS,
    sides={"white": "Wit", "black": "Zwart"},
    beds={"D": "Dubbel {n}", "F": "Buitenste {n}", "T": "Trebel {n}", "L": "Binnenste {n}", "S": "Enkel {n}",
          "25": "Buitenste bull", "BULL": "Bull", "MISS": "Naast het bord"},
    pieces={"K": "koning", "Q": "dame", "R": "toren", "B": "loper", "N": "paard", "P": "pion", "E": "olifant",
            "G": "generaal", "W": "krijger"},
    fouls={"outside_zone": "buiten de zone", "occupied": "het veld is bezet", "bull": "een bull is verloren",
           "wrong_colour": "de verkeerde kleur", "off_board": "naast het bord", "bounce_out": "eruit gestuiterd",
           "declared": "een verloren dart", "missed_in_check": "het schaak blijft staan"},
    ends={"checkmate": "Schaakmat", "stalemate": "Pat", "dead_position": "Niemand kan nog matzetten",
          "fogling": "Fogling", "missed_in_check": "Het schaak blijft staan", "resignation": "{loser} geeft op",
          "agreement": "Remise overeengekomen", "repetition": "De stelling is herhaald",
          "fifty_moves": "Vijftig zetten zonder vooruitgang",
          "seventy_five_moves": "Vijfenzeventig zetten zonder vooruitgang", "bare_king": "Een kale koning",
          "both_bare": "Twee kale koningen", "blocked": "Niemand kan nog zetten",
          "seventy_moves": "Zeventig zetten zonder vooruitgang", "hundred_moves": "Honderd zetten zonder vooruitgang",
          "flag": "De tijd is op", "arbiter": "De arbiter beslist"},
    sentences={
        "placed": "{piece} op {field}.", "lost": "{foul}.", "fouls": "{count} van {limit}.",
        "moved": "{piece} naar {field}.", "takes": "{piece} slaat op {field}.", "castles": "{side} rokeert.",
        "becomes": "Het wordt een {piece}.", "passed": "{side} past.", "check": "Schaak.", "wins": "{side} wint.",
        "draw": "Remise.", "result": "De uitslag is {result}.", "next": "{side}.", "begins": "{side} begint.",
        "new_game": "Nieuwe partij.", "white_found": "{side} heeft Wit.", "corrected": "Verbetering.",
        "deleted": "Dat was geen dart.", "added": "Nog een dart.", "taken_back": "Teruggenomen.",
        "reopened": "De partij is weer open.", "draw_offered": "{side} biedt remise aan.",
        "draw_declined": "{side} slaat de remise af.", "paused": "Pauze.", "resumed": "Het spel gaat verder.",
        "which_bed": "In welk vak zit de dart?", "ask_lost_dart": "Was er een dart verloren?",
        "position_set": "Er is een stelling opgezet.",
    },
)  # fmt: skip
GERMAN: Final = Words(
    numbers=_GERMAN_NUMBERS,
    sides={"white": "Weiß", "black": "Schwarz"},
    beds={"D": "Doppel {n}", "F": "Äußere {n}", "T": "Tripel {n}", "L": "Innere {n}", "S": "Einfache {n}",
          "25": "Äußeres Bull", "BULL": "Bull", "MISS": "Neben der Scheibe"},
    pieces={"K": "König", "Q": "Dame", "R": "Turm", "B": "Läufer", "N": "Springer", "P": "Bauer", "E": "Elefant",
            "G": "General", "W": "Krieger"},
    fouls={"outside_zone": "außerhalb der Zone", "occupied": "das Feld ist besetzt", "bull": "ein Bull ist verloren",
           "wrong_colour": "die falsche Farbe", "off_board": "neben der Scheibe", "bounce_out": "herausgefallen",
           "declared": "ein verlorener Dart", "missed_in_check": "das Schach bleibt stehen"},
    ends={"checkmate": "Schachmatt", "stalemate": "Patt", "dead_position": "Niemand kann mehr mattsetzen",
          "fogling": "Fogling", "missed_in_check": "Das Schach bleibt stehen", "resignation": "{loser} gibt auf",
          "agreement": "Remis vereinbart", "repetition": "Die Stellung wurde wiederholt",
          "fifty_moves": "Fünfzig Züge ohne Fortschritt",
          "seventy_five_moves": "Fünfundsiebzig Züge ohne Fortschritt", "bare_king": "Ein nackter König",
          "both_bare": "Zwei nackte Könige", "blocked": "Niemand kann mehr ziehen",
          "seventy_moves": "Siebzig Züge ohne Fortschritt", "hundred_moves": "Hundert Züge ohne Fortschritt",
          "flag": "Die Zeit ist um", "arbiter": "Der Schiedsrichter entscheidet"},
    sentences={
        "placed": "{piece} auf {field}.", "lost": "{foul}.", "fouls": "{count} von {limit}.",
        "moved": "{piece} nach {field}.", "takes": "{piece} schlägt auf {field}.", "castles": "{side} rochiert.",
        "becomes": "Umgewandelt: {piece}.", "passed": "{side} setzt aus.", "check": "Schach.",
        "wins": "{side} gewinnt.", "draw": "Remis.", "result": "Das Ergebnis ist {result}.", "next": "{side}.",
        "begins": "{side} beginnt.", "new_game": "Neue Partie.", "white_found": "{side} hat Weiß.",
        "corrected": "Berichtigung.", "deleted": "Das war kein Dart.", "added": "Noch ein Dart.",
        "taken_back": "Zurückgenommen.", "reopened": "Die Partie ist wieder offen.",
        "draw_offered": "{side} bietet Remis an.", "draw_declined": "{side} lehnt das Remis ab.", "paused": "Pause.",
        "resumed": "Das Spiel geht weiter.", "which_bed": "In welchem Segment steckt der Dart?",
        "ask_lost_dart": "Ging ein Dart verloren?", "position_set": "Eine Stellung wurde aufgebaut.",
    },
)  # fmt: skip
LANGUAGES: Final[Mapping[str, Words]] = {"en": ENGLISH, "nl": DUTCH, "de": GERMAN}


def bed_words(words: Words, bed: str) -> str:
    """A bed as it is called, the outer and the inner single told apart: `F15` is `Outer fifteen`."""
    if bed in words.beds:
        return words.beds[bed]
    return words.beds[bed[0]].format(n=number_words(words, int(bed[1:])))


def number_words(words: Words, number: int) -> str:
    """A number in words from 1 to 20, else in digits."""
    known = words.numbers.split()
    return known[number - 1] if 1 <= number <= len(known) else str(number)


def sentence(words: Words, key: str, **args: str) -> str:
    """A sentence with its places filled in, beginning with a capital."""
    text = words.sentences[key].format(**args)
    return text[:1].upper() + text[1:]
