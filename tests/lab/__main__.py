"""`make bench`: every benchmark, each printing its figures beside their targets."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from lab import packaging, rivalry, seeing
from lab.kept import Extent, Kept, StopAfter
from scharten.errors import SchartenError

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # small products are slower with threads
ROOT = Path(__file__).parents[2]
app = typer.Typer(
    help="Measure, and print each figure beside its target.",
    epilog='Run one as `make bench ARGS="rules --times 5"`.',
    no_args_is_help=True,
    add_completion=False,
)
packaging.register(app)
rivalry.register(app)
seeing.register(app)


@app.command()
def rules(
    times: Annotated[int, typer.Option(min=1, help="Times each count; the median is reported.")] = 3,
    positions: Annotated[int, typer.Option(min=10, help="Positions of random games.")] = 1000,
) -> None:
    """Positions per second beside python-chess (aim 3, at least 1.9), a referee step, legal moves (p99 2 ms)."""
    from lab.rules import run

    raise typer.Exit(run(times, positions))


@app.command()
def mate(
    positions: Annotated[
        Path | None, typer.Argument(help="Rows `position<TAB>options`; by default the perft positions.")
    ] = None,
    budget: Annotated[int, typer.Option(min=1, help="Positions searched per answer.")] = 2500,
) -> None:
    """Share of True, False and None of `could_mate`, the time per answer, and the kept list."""
    from lab.mate import run

    raise typer.Exit(run(positions, budget))


@app.command()
def sheets(
    games: Annotated[int, typer.Option(min=1, help="Random games of every kind.")] = 2000,
    seed: Annotated[int, typer.Option(min=0, help="The first game's seed.")] = 0,
    commands: Annotated[
        bool, typer.Option("--commands", help="By the command line, between journals.")
    ] = False,
) -> None:
    """Games through their score sheets and PGN and back: all equal."""
    from lab.sheets import run

    raise typer.Exit(run(games, seed, commands=commands))


@app.command("players")
def players_(
    darts: Annotated[int, typer.Option(min=100, help="Darts in the tables.")] = 3600,
    times: Annotated[int, typer.Option(min=1, help="Questions after a further dart.")] = 20,
) -> None:
    """Milliseconds until a page has the players: names (50) and the list with figures (300), after each dart."""
    from lab.figures_of_players import run

    raise typer.Exit(run(darts, times))


@app.command()
def english(
    before: Annotated[str, typer.Option(help="A commit to count beside today's host/.")] = "",
) -> None:
    """Private words and names in host/ beside their aims, all 0 (english.py lists them)."""
    from lab.english import run

    raise typer.Exit(run(before))


@app.command()
def supervisor() -> None:
    """From a fault of each part of the daemon to the next turn of the game (5 s)."""
    from lab.restarts import run

    raise typer.Exit(run())


@app.command()
def start(
    times: Annotated[int, typer.Option(min=1, help="Number of starts.")] = 5,
    game: Annotated[bool, typer.Option("--game", help="From make run to the computer's first turn.")] = False,
) -> None:
    """From the command to the first state at an MQTT subscriber (2 s); with --game, to a game under way (5 s)."""
    from lab.start import first_game, run

    raise typer.Exit(first_game(times) if game else run(times))


@app.command()
def answers(times: Annotated[int, typer.Option(min=1, help="Daemons for each answer.")] = 5) -> None:
    """Seconds from a person's turn to the computer's first, and from the question where to aim to the answer (2 s)."""
    from lab.answers import run

    raise typer.Exit(run(times))


@app.command()
def latency(
    darts: Annotated[int, typer.Option(min=1, max=100_000, help="Darts with each broker.")] = 500,
    broker: Annotated[str, typer.Option(help="embedded, mosquitto, or both.")] = "both",
) -> None:
    """From a dart on the pty to the state at an MQTT subscriber and on the screen.

    Aims: p50 5 ms and p99 15 ms to the subscriber, 25 and 60 ms painted.
    """
    from lab.latency import run

    raise typer.Exit(run(darts, ("embedded", "mosquitto") if broker == "both" else (broker,)))


@app.command()
def remote(
    turns: Annotated[int, typer.Option(min=1, max=1000, help="Turns of each game on each line.")] = 12,
    delays: Annotated[str, typer.Option(help="Delays in ms, one way.")] = "10,80,300",
    cuts: Annotated[str, typer.Option(help="Cuts in s.")] = "1,6",
    games: Annotated[int, typer.Option(help="Only count darts, in this many games.")] = 0,
    results: Annotated[Path, typer.Option(help="Games that were played; the next run continues.")] = Path(
        "remote-games.jsonl"
    ),
) -> None:
    """Two boards, one game over a slow line: darts lost or duplicated (0), latency, the error of the clock (20 ms)."""
    from lab.remote import run, run_games

    if games:
        chosen = tuple(int(part) for part in delays.split(","))
        raise typer.Exit(0 if run_games(games, turns, chosen, results) else 1)
    wanted = (tuple(int(part) for part in text.split(",") if part) for text in (delays, cuts))
    raise typer.Exit(0 if run(turns, *wanted) else 1)


@app.command()
def broker(
    count: Annotated[int, typer.Option(min=10, help="Snapshots of each load.")] = 500,
    displays: Annotated[int, typer.Option(min=1, max=120, help="Displays in the hall.")] = 50,
) -> None:
    """A snapshot to one display, to a hall full of them, and to 200 subscribers on a Mosquitto.

    Aims: p50 0.9 ms and p99 2 ms to one display, p99 100 ms to the hall, p99 250 ms on Mosquitto.
    """
    from lab.broker import run

    raise typer.Exit(run(count, displays))


@app.command()
def display(
    states: Annotated[int, typer.Option(min=1, help="States sent in each part.")] = 100,
    resets: Annotated[int, typer.Option(min=1, help="How often all 36 pieces are set again at once.")] = 20,
    pages: Annotated[int, typer.Option(min=1, help="Pages that look on.")] = 200,
    presses: Annotated[int, typer.Option(min=1, help="Presses on the table's board.")] = 200,
    turns: Annotated[int, typer.Option(min=10, help="Turns over which memory is measured.")] = 1000,
) -> None:
    """States (50 ms), presses (40 ms), frames (16.8 ms), the first page (120 kB), the heap, and 200 pages (250 ms).

    Needs Mosquitto; painting needs Chromium.
    """
    from lab.display import run

    raise typer.Exit(run(states, resets, pages, presses, turns))


@app.command()
def soak(inputs: Annotated[int, typer.Option(min=100, max=10_000_000, help="Turns.")] = 2000) -> None:
    """Simulated games at speed: memory flat after the warm-up, journal per game, no drift of the time of a turn.

    Aims: memory at most 5 % up, a turn at most 1.5 times as long at the end. A long run: --inputs 50000.
    """
    from lab.soak import run

    raise typer.Exit(run(inputs))


@app.command()
def play(
    games: Annotated[int, typer.Option(min=2, help="Games of each match.")] = 100,
    divided_by: Annotated[float, typer.Option(min=1, help="Each level thinks by so much less.")] = 8.0,
    kinds: Annotated[str, typer.Option(help="silent, loud or both with a comma.")] = "silent,loud",
    levels: Annotated[str, typer.Option(help="Pairs of levels.")] = "3-1,4-2,5-3,6-4,7-5,8-6,9-7,10-8",
    others: Annotated[bool, typer.Option(help="Chance and greed too.")] = True,
    file: Kept = Path("build/play.jsonl"),
    stop_after: StopAfter = 1e9,
    processes: Annotated[int, typer.Option(min=1, help="Games played side by side.")] = 1,
) -> None:
    """The computer's levels: n+2 against n (65 of 100), 10 against chance (100) and greed (95)."""
    from lab.strength import matches, run
    from scharten.game.basics import Kind

    pairs = tuple((int(pair.split("-")[0]), int(pair.split("-")[1])) for pair in levels.split(",") if pair)
    listed = matches(tuple(Kind(kind) for kind in kinds.split(",")), pairs, others)
    raise typer.Exit(run(file, listed, divided_by, Extent(games, stop_after, processes)))


@app.command()
def late(
    turns: Annotated[int, typer.Option(min=2, help="Turns of each level in each game.")] = 20,
    slower: Annotated[str, typer.Option(help="How many times as slow as this machine.")] = "1,10,30",
) -> None:
    """The longest turn of the highest levels as a share of its time (1.1), here and as on slower machines."""
    from lab.late import run

    raise typer.Exit(run(turns, [float(word) for word in slower.split(",")]))


@app.command()
def tune(
    games: Annotated[int, typer.Option(min=20, help="Games that are learnt from.")] = 600,
    proof: Annotated[int, typer.Option(min=1, help="Pairs of games against the present weights.")] = 150,
    loud: Annotated[bool, typer.Option("--loud", help="The weights of darts, in loud games.")] = False,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same weights.")] = 14,
) -> None:
    """Tune the weights of the evaluation by self-play, and play the new ones against the present (minutes)."""
    from lab.tune import run
    from scharten.game.basics import Kind

    raise typer.Exit(run(Kind.LOUD if loud else Kind.SILENT, games, proof, seed))


@app.command()
def heads(
    games: Annotated[int, typer.Option(min=2, help="Games of each level against itself.")] = 4,
    seed: Annotated[int, typer.Option(min=0, help="The first game's seed.")] = 0,
    up_to: Annotated[int, typer.Option(min=1, max=10, help="The highest level.")] = 10,
) -> None:
    """Points that the levels give away, as the review counts them: each band less than the one below."""
    from lab.heads import run

    raise typer.Exit(run(games, seed, up_to))


@app.command()
def review(
    games: Annotated[int, typer.Option(min=1, help="Loud games of self-play with known aims.")] = 20,
    seed: Annotated[int, typer.Option(min=0, help="Another seed gives other games.")] = 31,
) -> None:
    """CPU seconds of a review of 100 turns (120), mean luck (0 within its error), lateness of commands (5 ms)."""
    from lab.review import run
    from lab.review_latency import run as later

    missed = run(games, seed)
    raise typer.Exit(max(missed, later(400)))


@app.command("mean-luck")
def mean_luck(
    games: Annotated[int, typer.Option(min=1, help="Loud games of self-play with known aims.")] = 1000,
    stop_after: StopAfter = 3600,
    file: Kept = Path("build/luck.jsonl"),
    processes: Annotated[int, typer.Option(min=1, help="Processes.")] = os.cpu_count() or 1,
) -> None:
    """Mean luck of each side's darts over 1,000 games (0 within its error)."""
    from lab.review import mean_luck

    raise typer.Exit(mean_luck(file, Extent(games, stop_after, processes)))


@app.command()
def openings(
    games: Annotated[int, typer.Option(min=1000, help="Finished games of each kind.")] = 20_000,
) -> None:
    """Milliseconds of a question about a position over 20,000 games of chess and of loud Scharten (100)."""
    from lab.openings import run

    raise typer.Exit(run(games))


@app.command("win-chance")
def win_chance(
    games: Annotated[
        int, typer.Option(min=160, help="Games of levels against each other, all kinds together.")
    ] = 2000,
    minutes: Annotated[float, typer.Option(min=0, help="Play no longer than this; 0 only fits.")] = 1.0,
    file: Annotated[Path, typer.Option(help="Keeps each game.")] = Path("build/self-play.jsonl"),
    processes: Annotated[int, typer.Option(min=1, help="Processes, at low priority.")] = os.cpu_count() or 1,
) -> None:
    """The review's win chance fitted to self-play: log loss of unseen games beside a constant (never worse)."""
    from lab.win_chance import run

    raise typer.Exit(run(file, games, minutes * 60, processes))


@app.command()
def nodes(
    seconds: Annotated[float, typer.Option(min=0.5, help="CPU time of each measurement.")] = 3.0,
) -> None:
    """Positions per second of rules and search, and which of them run as machine code (`make dist-fast`)."""
    from lab.nodes import run

    raise typer.Exit(run(seconds))


@app.command()
def solve() -> None:
    """Forced mates: every first move of each kept position, within 5 s each."""
    from lab.nodes import solve as solve_all

    raise typer.Exit(solve_all())


@app.command()
def tables(
    count: Annotated[
        int, typer.Option(min=1, help="Placements of each table and side, judged by the rules.")
    ] = 1000,
    write: Annotated[bool, typer.Option("--write", help="Write the figures that ship.")] = False,
) -> None:
    """All endgame tables: built within 600 s of CPU, counts beside those counted elsewhere, cells beside the rules."""
    from lab.endgames import run

    raise typer.Exit(run(count, write))


@app.command()
def scatter(
    throwers: Annotated[int, typer.Option(min=10, max=100_000, help="Throwers of each family.")] = 300,
) -> None:
    """How often the interval of a thrower's scatter holds the truth (87 % in each family); published darts (28)."""
    from lab.scatter import run

    raise typer.Exit(run(throwers))


@app.command()
def handicap(
    games: Annotated[int, typer.Option(min=10, max=100_000, help="Games by the rules of each pair.")] = 400,
) -> None:
    """Reported risks of even foul limits beside those of games by the rules (6 % apart at most), answered in 5 s."""
    from lab.handicap import run

    raise typer.Exit(run(games))


@app.command()
def advice(
    positions: Annotated[int, typer.Option(min=5, help="Positions of loud games.")] = 60,
    answers: Annotated[int, typer.Option(min=1, help="Timed answers.")] = 20,
    seed: Annotated[int, typer.Option(min=0, help="Another seed gives other positions.")] = 29,
) -> None:
    """The adviser's chances beside darts thrown (0.6 points), *safe* beside a fine grid (0.6), an answer (p95 2 s)."""
    from lab.advice import run

    raise typer.Exit(run(positions, answers, seed))


@app.command("club-match")
def club_match(
    boards: Annotated[int, typer.Option(min=1, max=16, help="Boards of each club.")] = 8,
    turns: Annotated[int, typer.Option(min=1, help="Turns before a player resigns.")] = 8,
    kills: Annotated[int, typer.Option(min=0, help="Kills of a club's service.")] = 4,
    kind: Annotated[str, typer.Option(help="loud: darts in Scharten; silent: chess.")] = "loud",
    seed: Annotated[int, typer.Option(help="Another seed kills other services.")] = 2026,
) -> None:
    """A match of two clubs, each game at two real boards, services killed: both show what the journals have (0)."""
    from lab.club_match import run

    raise typer.Exit(run(boards, turns, kills, seed, kind))


@app.command()
def evening(
    members: Annotated[int, typer.Option(min=2, max=200, help="Members of the club.")] = 40,
    boards: Annotated[int, typer.Option(min=1, max=40, help="Boards in the hall.")] = 12,
    rounds: Annotated[int, typer.Option(min=1, max=50, help="Rounds.")] = 7,
    kills: Annotated[int, typer.Option(min=0, help="Parts killed in each round.")] = 3,
    system: Annotated[str, typer.Option(help="keizer, swiss, round_robin, knockout or free.")] = "keizer",
    kind: Annotated[str, typer.Option(help="silent chess, or loud with simulated darts.")] = "silent",
    seed: Annotated[int, typer.Option(help="Another seed gives another evening.")] = 2026,
    seeds: Annotated[int, typer.Option(min=1, help="This many evenings, one seed after the other.")] = 1,
) -> None:
    """A club's evening with real boards whose service, boards and broker are killed; the table is the journals'.

    Target: no result and no line of the table differs. Needs Mosquitto and 100 MB a board.
    """
    from lab.evening import Evening, run

    what = Evening(members, boards, rounds, kills, system=system, kind=kind)
    raise typer.Exit(run(what, range(seed, seed + seeds)))


@app.command()
def federation(
    boards: Annotated[str, typer.Option(help="Numbers of boards, one after the other.")] = "10,100,300,1000",
    seconds: Annotated[float, typer.Option(min=5, help="How long each is measured.")] = 20.0,
    servers: Annotated[int, typer.Option(min=0, help="Display servers of 500 pages each, at the end.")] = 4,
) -> None:
    """A thousand boards on one Mosquitto, two displays each; 2,000 pages on four display servers: p99, memory, CPU.

    Boards publish real snapshots every five seconds. Each number of boards is printed when it is measured.
    """
    from lab.federation import run

    raise typer.Exit(run([int(word) for word in boards.split(",")], seconds, servers))


@app.command()
def brokers(
    only: Annotated[str, typer.Option(help="mosquitto, rabbitmq, nats or ejabberd.")] = "",
) -> None:
    """Run `scharten doctor --broker` on real brokers, and a game on a cluster of which one node is killed.

    Brokers that are not installed are named with the package to install.
    """
    from lab.brokers.table import run

    raise typer.Exit(run(only))


@app.command()
def mutants(
    minutes: Annotated[float, typer.Option(min=0.1, help="Start no further mutant after this time.")] = 20.0,
    seed: Annotated[int, typer.Option(min=0, help="Another seed gives another sample.")] = 26,
) -> None:
    """Share of small changes to match/ and games/ that the nearest tests notice (aim 90 %), and the survivors."""
    from lab.mutants import run

    raise typer.Exit(run(minutes, seed))


@app.command()
def sizes() -> None:
    """Python of the product (aim 44,000 lines), lines by folder, the longest files (400) and functions (60)."""
    from lab.sizes import run

    raise typer.Exit(run())


@app.command("home-assistant")
def home_assistant(
    wheel: Annotated[
        Path,
        typer.Argument(help="pip download --no-deps --python-version 3.14 --only-binary :all: homeassistant"),
    ],
) -> None:
    """Whether the tests' schema of Home Assistant's discovery is that of this wheel of it."""
    from lab.home_assistant import run

    raise typer.Exit(run(wheel))


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def firmware(context: typer.Context) -> None:
    """Scan, misses, latency, noise, load and size of the compiled firmware (as `make -C firmware bench`)."""
    command = ["make", "-C", str(ROOT / "firmware"), "bench", f"ARGS={' '.join(context.args)}"]
    raise typer.Exit(subprocess.run(command, check=False).returncode)


if __name__ == "__main__":
    try:
        app(prog_name="make bench")
    except SchartenError as error:
        sys.exit(f"bench: {error}")
