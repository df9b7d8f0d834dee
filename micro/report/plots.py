# SPDX-License-Identifier: Apache-2.0
"""What all plots of docs/ share. They are drawn with Matplotlib."""
import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402 (after the choice of Agg)

# What each side looks like, in every plot. Ways of one side share its colour and differ in line and marker.
JDK = "#6b6b6b"      # grey: the JDK's selector
POLLUX = "#0b62a4"   # blue: Pollux's selector
POLLER = "#59a14f"   # green: dev.pollux.Poller
FLOOR = "#111111"    # black: C on the system's own calls
OTHER = "#d9772b"    # orange: every other way, such as blocking channels
VIRTUAL = "#b07aa1"  # purple: a virtual thread for each connection
LIMIT = "#c1121f"    # red: a wanted limit, and what misses it

PLAIN = {
    "font.size": 9, "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True,
    "grid.color": "#e4e4e4", "axes.axisbelow": True, "legend.frameon": False,
    "figure.facecolor": "white", "svg.hashsalt": "pollux",      # the same figures give the same file
    "svg.fonttype": "none",         # text stays text, which is smaller
    "font.sans-serif": ["DejaVu Sans", "Verdana", "sans-serif"],
}


@dataclass(frozen=True)
class Spread:
    """The median, the smallest and the greatest of some numbers, one per round; None if nothing was measured."""

    middle: float
    low: float
    high: float

    @staticmethod
    def of(numbers):
        known = [number for number in numbers if number is not None]
        return Spread(median(known), min(known), max(known)) if known else None

    @staticmethod
    def of_ratios(above, below):
        """Divides round by round: what disturbed one round disturbed both sides of it."""
        return Spread.of([a / b for a, b in zip(above, below) if a is not None and b])


def thousands(number, _=None):
    return f"{number:,.0f}".replace(",", " ")


def save(figure, file):
    figure.savefig(file, metadata={"Date": None})
    plt.close(figure)
    print(f"plot: {file}")


def figures(file):
    """The figures of a file, with a title, a word for file names, and the file's name."""
    content = json.loads(Path(file).read_text(encoding="utf-8"))
    java, kernel = content["java"], re.match(r"\D+\d+\.\d+", content["os"]).group()
    content["title"] = f"JDK {java.split('+')[0]}, {kernel}, {content['processors']} processors"
    content["jdk"] = f"jdk{re.match(r'[0-9]+', java).group()}"
    content["file"] = Path(file).name
    return content


def draw_each(usage, draw, read=figures):
    """The main program of those that draw what they read of files: its arguments are the folder and the files."""
    arguments = sys.argv[1:]
    if len(arguments) < 2:
        sys.exit(usage)
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    with plt.rc_context(PLAIN):
        for file in arguments[1:]:
            draw(read(file), folder)


def error_bars(axes, places, spreads, **look):
    """Medians, the rounds' smallest and greatest as bars."""
    middles = [spread.middle for spread in spreads]
    around = [[spread.middle - spread.low for spread in spreads], [spread.high - spread.middle for spread in spreads]]
    axes.errorbar(places, middles, yerr=around, **{"capsize": 2, "linewidth": 1.3, "markersize": 4} | look)


def over(axes, places, label):
    """The horizontal axis: numbers that were measured, on a logarithmic scale."""
    axes.set_xscale("log")
    axes.set_xticks(places)
    axes.xaxis.set_major_formatter(thousands)
    axes.yaxis.set_major_formatter(thousands)
    axes.minorticks_off()
    axes.set_xlabel(label)


def legend(figure, axes, title):
    """One legend for all panels, and the title."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=5, fontsize=8)
    figure.suptitle(title, fontsize=9)
