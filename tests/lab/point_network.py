"""Train the network that finds a dart's point by one camera (`scharten/vision/detect/point.onnx`) on rendered throws.

Training needs PyTorch and onnx, which the project does not. Install them and the project into a virtual environment
of their own. Then, with `PYTHONPATH=tests`,

    python -m lab.point_network render build/strips --rooms 600 --seed 5002
    python -m lab.point_network train build/strips point.onnx --minutes 60

renders nine darts in each room and trains on them. Photographs are never used: they judge the result.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from lab.scenes.board import PALETTES
from lab.scenes.darts import DartShape, random_colour, some_dart
from lab.scenes.pictures import SceneRanges, make_rig, picture
from lab.scenes.rooms import KELVIN, cast, light_of, ranges_of
from lab.scenes.visits import BESIDE_MM, DARTS_PER_VISIT, place
from scharten.dartboard.locate import DOUBLE_OUTER_RADIUS
from scharten.vision.calibrate.fit import Calibration, calibrate
from scharten.vision.detect.camera import Novelty, calibrated_camera, find_novelty, take_in
from scharten.vision.detect.point import ACROSS, ALONG, SIDES, strip_along
from scharten.vision.model import Floats, Image, transform

SIZES = (
    (360, 320),
    (480, 360),
    (640, 360),
    (640, 480),
    (640, 480),
    (500, 500),
    (800, 600),
    (960, 720),
    (1280, 720),
)
VISITS = 3  # to each room
TILT_DEG = (15.0, 70.0)  # of the camera above the board's plane: lower than in the rooms of the benches
BESIDE, NEAR_MM, OUTSIDE, OUTSIDE_MM = (
    0.45,
    15.0,
    0.08,
    50.0,
)  # shares of darts beside another, and off the board
MARGIN_ALONG, MARGIN_ACROSS = 32, 6  # cells by which a stored strip is larger, to be cropped anywhere
BATCH, RATE, CHANNELS = 32, 2e-3, 56


def some_make(chance: np.random.Generator) -> DartShape:
    """Return a dart, of any colours and measures in most cases."""
    usual = some_dart(chance, 0.0, 0.0)
    if chance.uniform() < 0.4:
        return usual
    steel, point = chance.uniform(30, 200), float(chance.uniform(10, 190))
    brass = (chance.uniform() < 0.4) * chance.uniform(-1, 1) * np.array([25.0, 5.0, -25.0])
    blue, green, red = (float(v) for v in np.clip(steel + brass, 5, 250))
    return replace(
        usual,
        point_mm=float(chance.uniform(22, 40)),
        barrel_mm=float(chance.uniform(36, 58)),
        shaft_mm=float(chance.uniform(18, 54)),
        flight_mm=float(chance.uniform(28, 46)),
        barrel_radius=float(chance.uniform(2.6, 4.2)),
        wing_mm=float(chance.uniform(8, 22)),
        barrel=(blue, green, red),
        shaft=random_colour(chance),
        flight=random_colour(chance),
        point=(point, point + 1, point + 3),
        point_radius=float(chance.uniform(0.9, 1.5)),
        rings=int(chance.integers(3, 16)),
        ring_shade=float(chance.uniform(0.1, 1.2)),
        nose=float(chance.uniform(0.4, 1.0)),
    )


def some_room(number: int, chance: np.random.Generator) -> SceneRanges:
    """Return the ranges of a room, more varied than those of `make bench ARGS=one-camera` in most cases."""
    usual = ranges_of(SIZES[number % len(SIZES)], number, chance)
    if chance.uniform() < 0.25:
        return usual
    colours = np.array(PALETTES[int(chance.integers(len(PALETTES)))], np.float64)
    colours = colours * chance.uniform(0.7, 1.3, (4, 3)) + chance.uniform(-15, 15, (4, 3))
    a, b, c, d = ((int(blue), int(green), int(red)) for blue, green, red in np.clip(colours, 5, 240))
    width = float(chance.uniform(380, 700))
    tilt, far = math.radians(chance.uniform(*TILT_DEG)), float(chance.uniform(280, 700))
    away, height = far * math.cos(tilt), far * math.sin(tilt)
    return replace(
        usual,
        distance=(away, away),
        height=(height, height),
        aim=(-30.0, 30.0),
        palette=(a, b, c, d),
        lights=(1, 8),
        shadow=(0.1, 0.75),
        light_height=(120.0, 700.0),
        light_distance=(100.0, 500.0),
        blur_px=(0.4, 1.3),
        noise=(0.8, 4.0),
        jpeg=(55.0, 95.0),
        board_width_px=(width, width),
    )


@dataclass(frozen=True)
class Webcam:
    """A webcam that gives more contrast, with white clipped, sharp edges, and hard JPEG."""

    gain: float
    sharp: float  # share of the difference to a soft picture that is added
    soft_px: float
    vivid: float
    quality: int

    def retaken(self, seen: Image) -> Image:
        """Return a picture as the webcam gives it."""
        light = seen.astype(np.float32) * self.gain
        light += self.sharp * (light - cv2.GaussianBlur(light, (0, 0), self.soft_px))
        grey = light.mean(axis=2, keepdims=True)
        clipped = np.clip(grey + self.vivid * (light - grey), 0, 255).astype(np.uint8)
        ok, packed = cv2.imencode(".jpg", clipped, (cv2.IMWRITE_JPEG_QUALITY, self.quality))
        assert ok, "OpenCV writes JPEG"
        return np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8)


def some_webcam(chance: np.random.Generator) -> Webcam:
    """Return a webcam, in half of the cases one that changes nothing but its JPEG."""
    quality = int(chance.uniform(40, 95))
    if chance.uniform() < 0.5:
        return Webcam(1.0, 0.0, 1.0, 1.0, max(quality, 75))
    sharp = float(chance.uniform(0, 2.5))
    gain, vivid = math.exp(chance.uniform(-0.1, 0.7)), math.exp(chance.uniform(-0.5, 0.4))
    return Webcam(gain, sharp, float(chance.uniform(0.7, 1.8)), vivid, quality)


def some_place(chance: np.random.Generator, darts: list[DartShape]) -> tuple[float, float]:
    """Return a place on the board, often beside an earlier dart, sometimes off the board."""
    kind = chance.uniform()
    if kind < OUTSIDE:
        radius, turn = DOUBLE_OUTER_RADIUS + chance.uniform(1, OUTSIDE_MM), chance.uniform(0, math.tau)
        return float(radius * math.sin(turn)), float(radius * math.cos(turn))
    if darts and kind < OUTSIDE + BESIDE:
        x, y = (float(v) for v in np.array(darts[-1].tip[:2]) + chance.normal(0, NEAR_MM, 2))
        if all(math.dist((x, y), dart.tip[:2]) > BESIDE_MM for dart in darts):
            return x, y
    return place(chance, darts)


def throws(seed: int, number: int) -> Iterator[tuple[Novelty, tuple[float, float]]]:
    """Yield what one camera sees new of each dart in a room, and where the dart is; nothing without a calibration."""
    chance = np.random.default_rng([seed, 11, number])
    rig = make_rig(chance, some_room(number, chance), cameras=1)
    light = light_of(math.exp(chance.uniform(*np.log(KELVIN))))
    webcam = some_webcam(chance)
    empty = webcam.retaken(cast(picture(rig, 0, (), chance), light))
    found = calibrate(empty, rig.cameras[0].d20)
    if not isinstance(found, Calibration):
        return
    eye = calibrated_camera(found.model, empty)
    for _ in range(VISITS):
        darts, before, make = list[DartShape](), empty, some_make(chance)
        for _ in range(DARTS_PER_VISIT):
            at = some_place(chance, darts)
            darts.append(some_dart(chance, *at, make))
            later = webcam.retaken(cast(picture(rig, 0, darts, chance), light))
            yield find_novelty(eye, take_in(eye, before), take_in(eye, later)), at
            before = later


def render(folder: Path, rooms: int, seed: int) -> None:
    """Store the strips of the darts in these rooms, a file per room, with the point's place in each (mm)."""
    cv2.setNumThreads(1)
    folder.mkdir(parents=True, exist_ok=True)
    along = np.arange(ALONG[0] - MARGIN_ALONG, ALONG[-1] + MARGIN_ALONG + 1)
    across = 1.5 * (np.arange(len(ACROSS) + 2 * MARGIN_ACROSS) - (len(ACROSS) + 2 * MARGIN_ACROSS - 1) / 2)
    for number in range(rooms):
        cells, constants, targets = [], [], []
        for new, at in throws(seed, number):
            for line in new.lines() if new.enough() else ():
                shaft, projection = line.shaft, new.camera.projection
                strip = strip_along(shaft, projection, new.look, along, across)
                off = (transform(line.homography, np.array([at]))[0] - shaft.point) / shaft.px_per_mm
                direction = np.array(shaft.direction)
                normal = np.array([-direction[1], direction[0]])
                cells.append(strip.cells.astype(np.float16))
                constants.append(strip.constants)
                targets.append((off @ direction - shaft.tip_px / shaft.px_per_mm, off @ normal))
        if cells:
            np.savez(folder / f"{seed}-{number}.npz", cells=cells, constants=constants, targets=targets)


def _crops(
    stored: tuple[Any, Floats, Floats], chosen: list[int], chance: np.random.Generator
) -> tuple[Any, Any, Any]:
    """Return crops of stored strips (n, rows, columns, 6), some mirrored, their constants, and the point's places."""
    import torch  # noqa: PLC0415

    cells, constants, targets = stored
    crops, places, constant = [], [], []
    for k in chosen:
        far = MARGIN_ALONG if chance.uniform() < 0.15 else 10
        down, beside = int(chance.integers(-far, far + 1)), int(chance.integers(-2, 3))
        top, left = MARGIN_ALONG + down, MARGIN_ACROSS + beside
        crop, side = cells[k, top : top + len(ALONG), left : left + len(ACROSS)], 1
        if chance.uniform() < 0.5:
            crop, side = crop.flip(1), -1
        crops.append(crop)
        places.append((targets[k] - [down, 1.5 * beside]) * [1, side])
        constant.append(constants[k] * np.exp(0.02 * chance.normal(size=4)) * [1, side, 1, 1])
    tensors = (torch.from_numpy(np.array(values, np.float32)) for values in (constant, places))
    return torch.stack(crops).float(), *tensors


def _retaken(cells: Any, chance: np.random.Generator) -> Any:
    """Change light, contrast, colours, sharpness and noise of strips, as if other cameras had taken them."""
    import torch  # noqa: PLC0415

    count, rows = cells.shape[:2]

    def some(sigma: float, *shape: int) -> Any:
        return torch.from_numpy((sigma * chance.standard_normal((count, 1, 1, *shape))).astype(np.float32))

    seen = 255 * (torch.clip(torch.exp(cells) - 8, 1, 255) / 255) ** torch.exp(some(0.2, 1))
    seen *= torch.exp(0.1 + some(0.4, 1)) * torch.exp(some(0.1, 3)).repeat(1, 1, 1, 2)
    middle = seen.mean((1, 2, 3), keepdim=True)
    seen = middle + (seen - middle) * torch.exp(some(0.25, 1))
    slope = torch.linspace(-1, 1, rows)[None, :, None, None]
    seen[..., 3:] *= torch.exp(some(0.03, 1)) + some(0.04, 1) * slope
    vivid = torch.exp(some(0.25, 1)).clip(max=1.8) * torch.from_numpy(
        chance.uniform(size=(count, 1, 1, 1)) > 0.08
    )
    for three in (seen[..., :3], seen[..., 3:]):
        grey = three.mean(3, keepdim=True)
        three[:] = grey + (three - grey) * vivid
    for strip in seen.numpy():
        sharp = float(chance.uniform(-2.5, 2.5))
        if abs(sharp) > 0.625:
            sigma = float(chance.uniform(0.6, 2.2))
            soft = cv2.GaussianBlur(strip, (0, 0), sigmaX=sigma / 1.5, sigmaY=sigma)
            strip[:] = soft if sharp < 0 else strip + sharp * (strip - soft)
    noise = torch.from_numpy(9 * chance.uniform(size=(count, 1, 1, 1)).astype(np.float32) ** 2)
    return torch.log(torch.clip(seen + noise * torch.randn(seen.shape), 0, 255) + 8)


def _inputs(cells: Any, constants: Any) -> Any:
    """Return strips as the network reads them, as `network_input` does one."""
    import torch  # noqa: PLC0415

    light = cells[..., :3].mean((1, 2), keepdim=True)
    along, across, row, px_per_mm = constants.T
    layers = torch.stack([2 * along, 4 * across, row - 1, torch.log(px_per_mm)], 1)[:, None, None]
    wide = layers.expand(-1, *cells.shape[1:3], -1)
    return torch.cat([cells - light.repeat(1, 1, 1, 2), wide], 3).permute(0, 3, 1, 2)


def train(folder: Path, result: Path, minutes: float, seed: int) -> None:
    """Train on the strips of a folder and write the network as ONNX; print the loss of every 100 batches."""
    import torch  # noqa: PLC0415

    stored = [np.load(path) for path in sorted(folder.glob("*.npz"))]
    cells, constants, targets = (
        np.concatenate([room[key] for room in stored]) for key in ("cells", "constants", "targets")
    )
    strips, count = (torch.from_numpy(cells), constants, targets), len(targets)
    chance = np.random.default_rng(seed)
    torch.manual_seed(seed)
    network = _network()
    optimizer = torch.optim.AdamW(network.parameters(), RATE, weight_decay=0.01)
    start, step, losses = time.monotonic(), 0, list[float]()
    while (share := (time.monotonic() - start) / 60 / minutes) < 1:
        rate = RATE * min(1.0, step / 100 + 0.01) * (1 + math.cos(math.pi * share)) / 2 + 1e-5
        for group in optimizer.param_groups:
            group["lr"] = rate
        crops, constant, at = _crops(strips, chance.integers(count, size=BATCH).tolist(), chance)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            score = network(_inputs(_retaken(crops, chance), constant))
        loss = _loss(score.float(), at)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        step, losses = step + 1, [*losses[-99:], loss.item()]
        if step % 100 == 0:
            print(f"{step} batches: loss {np.mean(losses):.3f}", flush=True)
    network.eval()
    strip = torch.zeros(1, 10, len(ALONG), len(ACROSS))
    torch.onnx.export(network, strip, str(result), dynamo=False, opset_version=13)


def _network() -> Any:
    """Return the network: three convolutions narrow the strip to a column; eight more along it see far."""
    import torch  # noqa: PLC0415
    from torch import nn  # noqa: PLC0415

    class Block(nn.Module):  # type: ignore[misc]
        """Add what a convolution along the column finds, with gaps between its cells."""

        def __init__(self, gap: int) -> None:
            super().__init__()
            self.seen = nn.Conv1d(CHANNELS, CHANNELS, 3, padding=gap, dilation=gap)
            self.normal = nn.BatchNorm1d(CHANNELS)

        def forward(self, column: Any) -> Any:
            """Return the column with what it adds."""
            return column + nn.functional.relu(self.normal(self.seen(column)))

    class Network(nn.Module):  # type: ignore[misc]
        """From strips (n, 10, rows, columns) to the scores of the places, and of none of them."""

        def __init__(self) -> None:
            super().__init__()
            layers = list[Any]()
            for read, made in ((10, 12), (12, 24), (24, 32)):
                layers += [
                    nn.Conv2d(read, made, 3, padding=1, stride=(1, 2), bias=False),
                    nn.BatchNorm2d(made),
                    nn.ReLU(),
                ]
            layers += [
                nn.Conv2d(32, CHANNELS, (1, len(ACROSS) // 8), bias=False),
                nn.BatchNorm2d(CHANNELS),
                nn.ReLU(),
            ]
            self.narrow = nn.Sequential(*layers)
            self.along = nn.Sequential(*(Block(gap) for gap in (1, 2, 4, 8, 16, 32, 1, 2)))
            self.places, self.none = nn.Conv1d(CHANNELS, len(SIDES), 1), nn.Linear(CHANNELS, 1)

        def forward(self, strips: Any) -> Any:
            """Return scores (n, places + 1)."""
            column = self.along(self.narrow(strips).squeeze(3))
            places = self.places(column).transpose(1, 2).flatten(1)
            return torch.cat([places, self.none(column.mean(2))], 1)

    return Network()


def _loss(score: Any, at: Any) -> Any:
    """Return the mean loss: the point belongs to the four places around it, or lies outside the grid."""
    import torch  # noqa: PLC0415

    row, column = at[:, 0] - ALONG[0], at[:, 1] - SIDES[0]
    inside = (row >= 0) & (row < len(ALONG) - 1) & (column >= 0) & (column < len(SIDES) - 1)
    row, column = torch.where(inside, row, 0.0), torch.where(inside, column, 0.0)
    top, left = row.floor(), column.floor()
    likely = torch.log_softmax(score, 1)
    found = torch.zeros(len(at))
    for down in (0, 1):
        for beside in (0, 1):
            weight = (1 - (row - top - down).abs()) * (1 - (column - left - beside).abs())
            place = ((top + down) * len(SIDES) + left + beside).long()
            found = found + weight * likely.gather(1, place[:, None])[:, 0]
    return -torch.where(inside, found, likely[:, -1]).mean()


def main() -> None:
    """Render strips, or train on them."""
    parser = argparse.ArgumentParser(description="Train the network that finds a dart's point by one camera.")
    commands = parser.add_subparsers(dest="command", required=True)
    rendering = commands.add_parser("render", help="render throws and store their strips")
    rendering.add_argument("folder", type=Path)
    rendering.add_argument("--rooms", type=int, default=600)
    rendering.add_argument("--seed", type=int, default=5002)
    training = commands.add_parser("train", help="train on stored strips")
    training.add_argument("folder", type=Path)
    training.add_argument("result", type=Path)
    training.add_argument("--minutes", type=float, default=60)
    training.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    if asked.command == "render":
        render(asked.folder, asked.rooms, asked.seed)
    else:
        train(asked.folder, asked.result, asked.minutes, asked.seed)


if __name__ == "__main__":
    main()
