"""Home Assistant: the message fits its own published format, and its templates give what the board publishes."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jsonschema
import pytest
import yaml
from jinja2 import make_logging_undefined
from jinja2.sandbox import ImmutableSandboxedEnvironment

from broker.client import Client
from broker.conftest import running  # noqa: F401  (both brokers, in both versions)
from broker.running import TOPICS, Running
from contract.test_caller import Hearing
from homes.home_assistant_format import BLUEPRINT, PLATFORMS, SHARED, component_schema, discovery_schema
from lab.daemon_process import wait_for
from scharten.contract.light import parse_light
from scharten.contract.messages import parse_command
from scharten.contract.roles import HOME_STATUS, Account, discovery_topic
from scharten.contract.snapshot import snapshot
from scharten.contract.topics import Topic
from scharten.errors import Problem
from scharten.homes.happenings import SIGNS, HomeEvent, happenings
from scharten.homes.home_assistant import BUTTONS, announce_home_assistant, device
from scharten.homes.settings import HomesSection
from scharten.mqtt.address import BrokerAddress, Credentials
from scharten.mqtt.client import MqttClient

BLUEPRINTS = Path(__file__).parents[2] / "deploy" / "homeassistant" / "blueprints"
log = logging.getLogger("templates")
JINJA = ImmutableSandboxedEnvironment(undefined=make_logging_undefined(log))
JINJA.filters["to_json"] = json.dumps
JINJA.filters["as_datetime"] = lambda seconds: datetime.fromtimestamp(seconds, UTC)
JINJA.globals["now"] = lambda: datetime.now(UTC)


template_of = cache(JINJA.from_string)
FORMAT = jsonschema.Draft202012Validator(discovery_schema())


def rendered(template: object, message: object = None, **more: object) -> str:
    """A template as Home Assistant renders it, over a message as it crossed the broker."""
    return template_of(str(template)).render(value_json=json.loads(json.dumps(message)), **more)


@pytest.fixture(autouse=True)
def quiet(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """No template names anything that is not there: Home Assistant would log a warning each time."""
    yield
    assert not [record.message for record in caplog.records if record.name == "templates"]


def components(buttons: str = "") -> dict[str, Any]:
    """The components by their short names, with what they inherit."""
    result = device(TOPICS, "1.2", buttons)
    inherited = {key: result[key] for key in SHARED if key in result}
    parts = json.loads(json.dumps(result["components"]))
    return {key.removeprefix(f"{TOPICS.id}_"): {**inherited, **part} for key, part in parts.items()}


@pytest.mark.long
@pytest.mark.parametrize("buttons", ["", "seat1"])
def test_the_message_fits_home_assistants_format(buttons: str) -> None:
    """No unknown key, every needed one, inherited or its own; ids are unique; every kind of component is there."""
    data = json.loads(json.dumps(device(TOPICS, "1.2", buttons)))
    FORMAT.validate(data)
    whole = components(buttons)
    for key, part in whole.items():
        if buttons or part["platform"] != "button":
            jsonschema.validate(part, component_schema(part["platform"], inherited=True))
        assert part["platform"] == "device_automation" or part.get(
            "unique_id", f"{TOPICS.id}_{key}"
        ).endswith(key)
    ids = [part["unique_id"] for part in whole.values() if "unique_id" in part]
    assert len(set(ids)) == len(ids)
    assert {part["platform"] for part in whole.values()} == set(PLATFORMS)
    events = {key.removeprefix("event_") for key, part in whole.items() if part["platform"] == "event"}
    assert {"placed", "lost", "check", "fogling", "mate", "game_over"} <= events
    triggers = [
        (part["type"], part["subtype"]) for part in whole.values() if part["platform"] == "device_automation"
    ]
    assert len(set(triggers)) == len(triggers) == len(HomeEvent)


def test_the_format_refuses_what_home_assistant_refuses() -> None:
    """A missing origin, an unknown platform, a key of another platform: the check of this test can fail."""
    data = json.loads(json.dumps(device(TOPICS, "1.2")))
    assert FORMAT.is_valid(data)
    for harm in (
        lambda it: it.pop("origin"),
        lambda it: it["device"].pop("identifiers"),
        lambda it: it["components"].update(x={"platform": "bell"}),
        lambda it: it["components"].update(x={"platform": "sensor", "event_types": ["a"]}),
        lambda it: it.update(topic="x"),
    ):
        harmed = json.loads(json.dumps(data))
        harm(harmed)
        assert not FORMAT.is_valid(harmed)


def games() -> Iterator[Hearing]:
    """A loud game that ends by fogling; two of silent chess with a clock, a check and the fool's mate."""
    fogling = Hearing(begin=False)
    fogling.ok("new_game", names={"white": "Ella", "black": "Bas"})
    yield fogling
    for bed in ("F3", "BULL", "F3", "BULL", "F3", "BULL"):
        fogling.throw(bed)
        yield fogling
    clock = {"stages": [{"moves": None, "minutes": 15}], "increment_s": 0}
    for moves in (("e2e4", "f7f6", "d1h5"), ("f2f3", "e7e5", "g2g4", "d8h4")):
        chess = Hearing(begin=False)
        chess.ok("new_game", game="chess", kind="silent", clock=clock)
        for move in moves:
            chess.ok("move", move=move)
            yield chess


def test_sensors_and_events_tell_what_the_board_does() -> None:
    """Through whole games: phase, side, fouls, clocks, and each event exactly when its sign is there."""
    parts, seen = components(), set[str]()
    for game in games():
        state = json.loads(json.dumps(snapshot(game.match, game.t)))

        def shows(key: str, message: Mapping[str, Any] = state) -> str:
            return rendered(parts[key]["value_template"], message)

        for part in parts.values():
            if part["platform"] == "sensor" and part["state_topic"] == TOPICS.path(Topic.STATE):
                value = rendered(part["value_template"], state)
                assert value and value in (*part.get("options", [value]), "None")
        assert (shows("phase"), shows("side"), shows("turns")) == (
            state["phase"],
            state["side"],
            str(state["turns"]),
        )
        assert shows("check") == ("yes" if state["check"] else "no")
        fouls = state["shown"].get("fouls")
        assert shows("fouls_black") == (str(fouls["black"]) if fouls else "None")
        if state["clock"]:
            assert shows("clock_white") == str(state["clock"]["white_ms"] // 1000)
            assert (shows("flag_falls") == "None") == (state["clock"]["running"] is None)
        else:
            assert shows("clock_white") == shows("flag_falls") == "None"
        said, game.said = game.said, None
        assert said is not None
        happened = happenings(said)
        for event in HomeEvent:
            text = rendered(parts[f"event_{event}"]["value_template"], said)
            assert (rendered(parts[f"trigger_{event}"]["value_template"], said) == "yes") == (
                event in happened
            )
            assert bool(text) == (event in happened)
            if text:
                assert json.loads(text)["event_type"] == event
        spoken = json.loads(rendered(parts["event_said"]["value_template"], said))
        assert (
            spoken["nl"] == said["words"]["nl"] and spoken["event_type"] in parts["event_said"]["event_types"]
        )
        seen.update(happened)
    assert seen == set(HomeEvent)


@pytest.mark.parametrize("happened", HomeEvent)
def test_template_and_program_read_the_same_sign(happened: HomeEvent) -> None:
    """For every pair of signs and the absence of each."""
    sign = SIGNS[happened]
    for code in ("placed", "lost", "finished", sign.code):
        for args in ({}, {"reason": "fogling"}, {"reason": "checkmate", "result": "1-0"}, {"check": ["e1"]}):
            said = {"code": code, "args": args}
            assert (rendered(f"{{{{ {sign.template} }}}}", said) == "True") == sign.seen_in(said)


def test_a_button_is_a_command_of_its_seat() -> None:
    """Pressed, it renders to a command that the referee reads, with the match and seq that were shown; no id twice."""
    parts, ids = components("seat2"), set()
    for command in BUTTONS:
        part = parts[f"button_{command}"]
        assert part["command_topic"] == TOPICS.command("seat2")
        shown = json.loads(rendered(part["json_attributes_template"], {"match": "m1", "seq": 7}))
        for _ in range(20):
            pressed = rendered(
                part["command_template"], this=SimpleNamespace(attributes=SimpleNamespace(**shown))
            )
            order = parse_command(pressed.encode())
            assert not isinstance(order, Problem) and (order.type, order.seq) == (command, 7)
            ids.add(order.id)
    assert len(ids) == 20 * len(BUTTONS)


def host(running: Running, homes: HomesSection) -> MqttClient:  # noqa: F811
    """A board's host that announces the board to Home Assistant."""
    user, secret = running.logins[Account.HOST]
    address = BrokerAddress(
        "127.0.0.1", running.port_of(Account.HOST), account=Credentials(str(user), secret)
    )
    client = MqttClient(address, mqtt5=running.five)
    announce_home_assistant(client, TOPICS, "1.2", homes)
    client.start()
    return client


def test_it_stands_on_the_broker_until_it_is_turned_off(running: Running) -> None:  # noqa: F811
    """A reader finds it with Home Assistant's own filter; a start without the key removes it; then nothing follows."""
    topic = discovery_topic(TOPICS)

    def standing() -> bytes | None:
        with Client(running, Account.DISPLAY) as reader:
            reader.subscribe("homeassistant/+/+/config")
            message = reader.next(0.5)
            return message.payload if message and message.topic == topic else None

    on = host(running, HomesSection(home_assistant=True))
    found = wait_for(standing, 40, "the message")
    FORMAT.validate(json.loads(found))
    on.stop()
    assert standing() == found
    off = host(running, HomesSection())
    wait_for(lambda: standing() is None, 40, "its end")
    off.stop()
    assert standing() is None


COMPONENTS = ("binary_sensor", "button", "device_automation", "event", "light", "sensor", "switch", "tag")


def arrived(client: Client, topic: str) -> bytes:
    """The next message on this topic."""
    while message := client.next(30):
        if message.topic == topic:
            return message.payload
    raise AssertionError(f"nothing came on {topic}")


@pytest.mark.parametrize("account", [Account.LAMPS, Account.SEAT1])
def test_home_assistant_connects_as_it_does(running: Running, account: Account) -> None:  # noqa: F811
    """Its last will, its filters one by one, its birth message; then it has the message, and a state that follows."""
    board = host(running, HomesSection(home_assistant=True))
    with Client(running, account, will=HOME_STATUS) as home:
        assert home.code == 0
        for item in (
            *(f"homeassistant/{component}/+/config" for component in COMPONENTS),
            "homeassistant/device/+/config",
        ):
            home.subscribe(item)
        home.publish(HOME_STATUS, b"online")
        data = json.loads(arrived(home, discovery_topic(TOPICS)))
        home.subscribe(data["state_topic"])
        home.subscribe(data["availability_topic"])
        board.keep(TOPICS.path(Topic.STATE), b"{}")
        assert arrived(home, data["state_topic"]) == b"{}"
    board.stop()


class _Yaml(yaml.SafeLoader):
    """YAML with Home Assistant's `!input`."""


class Input(str):
    """A place that the blueprint's user fills in."""


_Yaml.add_constructor("!input", lambda loader, node: Input(loader.construct_scalar(node)))  # type: ignore[arg-type]


def inputs(node: object) -> set[str]:
    """The names of all inputs used."""
    if isinstance(node, Input):
        return {str(node)}
    inner = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    return set().union(*map(inputs, inner)) if inner else set()


def templates(node: object) -> Iterator[str]:
    """Every text with a template in it."""
    if isinstance(node, str) and "{{" in node:
        yield node
    for item in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from templates(item)


@pytest.mark.parametrize("name", ["fogling_light", "announce", "take_out_reminder"])
def test_a_blueprint_is_one(name: str) -> None:
    """Each fits the format of blueprints, uses every input that it declares and no other, and its templates parse."""
    data = yaml.load((BLUEPRINTS / f"{name}.yaml").read_text(), _Yaml)
    jsonschema.validate(data, BLUEPRINT)
    assert inputs({key: part for key, part in data.items() if key != "blueprint"}) == set(
        data["blueprint"]["input"]
    )
    for template in templates(data):
        JINJA.parse(template)


def test_the_blueprints_say_what_they_mean() -> None:
    """The speaker says the words in the language asked for; the lamp tells the cameras in the contract's own words."""
    speak = yaml.load((BLUEPRINTS / "announce.yaml").read_text(), _Yaml)
    state = SimpleNamespace(attributes={"event_type": "plain", "nl": "Zwart."})
    trigger = SimpleNamespace(to_state=state)
    message = speak["actions"][0]["data"]["message"]
    assert rendered(message, trigger=trigger, language="nl") == "Zwart."
    wanted = speak["conditions"][0]["value_template"]
    assert rendered(wanted, trigger=trigger, important_only=True) == "False"
    assert rendered(wanted, trigger=trigger, important_only=False) == "True"
    lamp = (BLUEPRINTS / "fogling_light.yaml").read_text()
    said = [template for template in templates(yaml.load(lamp, _Yaml)) if "back_ms" in template]
    assert len(said) == 2 and re.search(r"delay:\n\s+milliseconds: 100", lamp)
    assert not isinstance(parse_light(rendered(said[0]).encode()), Problem)
