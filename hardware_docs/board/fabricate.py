"""Make a manufacturer's files with KiCad's `pcbnew` (Debian: kicad): pour, design rules, Gerbers, drills.

Run by `make -C hardware_docs board`, with the system's Python. Ends with status 1 when a design rule is broken or a
net is not joined; the report stays beside the Gerbers.
"""

import re
import sys
from pathlib import Path

import pcbnew

LAYERS = {
    "F_Cu": pcbnew.F_Cu, "B_Cu": pcbnew.B_Cu, "F_Mask": pcbnew.F_Mask, "B_Mask": pcbnew.B_Mask,
    "F_Paste": pcbnew.F_Paste, "F_Silkscreen": pcbnew.F_SilkS, "Edge_Cuts": pcbnew.Edge_Cuts,
}  # fmt: skip


def check(board: pcbnew.BOARD, report: Path) -> tuple[int, int]:
    """Return the broken rules and unconnected nets of KiCad's own check."""
    pcbnew.WriteDRCReport(board, str(report), pcbnew.EDA_UNITS_MILLIMETRES, True)
    words = report.read_text(encoding="utf-8")
    found = [
        int(number) for number in re.findall(r"\*\* Found (\d+) (?:DRC violations|unconnected pads)", words)
    ]
    return found[0], found[1]


def plot(board: pcbnew.BOARD, out: Path) -> None:
    """Write Gerbers of every layer and the drill files."""
    plotter = pcbnew.PLOT_CONTROLLER(board)
    options = plotter.GetPlotOptions()
    options.SetOutputDirectory(str(out))
    options.SetUseGerberProtelExtensions(True)
    for name, layer in LAYERS.items():
        plotter.SetLayer(layer)
        plotter.OpenPlotfile(name, pcbnew.PLOT_FORMAT_GERBER, name)
        plotter.PlotLayer()
    plotter.ClosePlot()
    drills = pcbnew.EXCELLON_WRITER(board)
    drills.SetOptions(False, False, pcbnew.wxPoint(0, 0), False)
    drills.CreateDrillandMapFilesSet(str(out), True, False)


def main() -> int:
    """Check and plot each named board: fabricate.py OUT BOARD..."""
    if not pcbnew.GetBuildVersion().startswith("6."):
        print(
            f"this needs KiCad 6, and here is {pcbnew.GetBuildVersion()}."
            " Later ones have a command of their own (not tried):\n"
            "kicad-cli pcb drc FILE.kicad_pcb; kicad-cli pcb export gerbers FILE.kicad_pcb"
        )
        return 2
    out, status = Path(sys.argv[1]).resolve(), 0
    for source in map(Path, sys.argv[2:]):
        board = pcbnew.LoadBoard(str(source))
        pcbnew.ZONE_FILLER(board).Fill(board.Zones())
        folder = out / source.stem
        folder.mkdir(parents=True, exist_ok=True)
        board.BuildConnectivity()
        broken, apart = check(board, folder / "design-rules.txt")
        print(f"{source.stem}: {broken} design rules broken (target 0), {apart} pads not joined (target 0)")
        status |= broken + apart > 0
        plot(board, folder)
    return status


if __name__ == "__main__":
    sys.exit(main())
