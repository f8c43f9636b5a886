"""The one builder of answers."""

from pydantic import TypeAdapter

from scharten.contract.news_models import Answer
from scharten.errors import Problem
from scharten.match.answers import VERSION, answer


def test_every_answer_has_the_published_shape_and_version() -> None:
    """Accepted, pending, refused and unreadable commands get the same seven keys, which fit the published model."""
    model = TypeAdapter(Answer)
    bodies = [
        answer("a"),
        answer("b", pending=True, throw=True),
        answer(
            "c", Problem("illegal", "blocked", {"why": "blocked"}, "Move another piece."), args={"moves": []}
        ),
        answer(7, Problem("malformed", "")),
    ]
    for body in bodies:
        assert model.validate_python(body)["v"] == VERSION
        assert set(body) - {"throw"} == {"v", "id", "accepted", "pending", "code", "args", "words"}
    assert [body["accepted"] for body in bodies] == [True, True, False, False]
    assert (bodies[2]["args"], bodies[2]["words"]) == ({"why": "blocked"}, "blocked. Move another piece.")
    assert bodies[3]["id"] is None
