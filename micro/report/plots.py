# SPDX-License-Identifier: Apache-2.0
"""Draws the plots of docs/ with Matplotlib.

usage: plots.py FOLDER FILE...    files that run.sh wrote; makes FOLDER/select-one-<jdk>.svg and FOLDER/ratios-<jdk>.svg
"""
import json
import re
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402 (after the choice of Agg)

from colours import FLOOR, JDK, LIMIT, POLLUX  # noqa: E402
from results import Spread, read  # noqa: E402

LONGEST = 4     # where a bar is cut, so that one outlier does not press the others together
PLAIN = {
    "font.size": 9, "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True,
    "grid.color": "#e4e4e4", "axes.axisbelow": True, "legend.frameon": False,
    "figure.facecolor": "white", "svg.hashsalt": "pollux",      # the same figures give the same file
    "svg.fonttype": "none",         # text stays text, which is smaller
    "font.sans-serif": ["DejaVu Sans", "Verdana", "sans-serif"],
}


def thousands(number, _=None):
    return f"{number:,.0f}".replace(",", " ")


def save(figure, file):
    figure.savefig(file, metadata={"Date": None})
    plt.close(figure)
    print(f"plot: {file}")


def draw_each(arguments, usage, draw):
    """The main program of those that draw one file after the other: arguments are the folder and the files.

    Calls draw with the content of each file, which has a title, a word for file names, and the file's name.
    """
    if len(arguments) < 2:
        sys.exit(usage)
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    with plt.rc_context(PLAIN):
        for file in arguments[1:]:
            content = json.loads(Path(file).read_text(encoding="utf-8"))
            java, kernel = content["java"], re.match(r"\D+\d+\.\d+", content["os"]).group()
            content["title"] = f"JDK {java.split('+')[0]}, {kernel}, {content['processors']} processors"
            content["jdk"] = f"jdk{re.match(r'[0-9]+', java).group()}"
            content["file"] = Path(file).name
            draw(content, folder)


def error_bars(axes, places, spreads, **look):
    """Medians, the rounds' smallest and greatest as bars."""
    middles = [spread.middle for spread in spreads]
    around = [[spread.middle - spread.low for spread in spreads], [spread.high - spread.middle for spread in spreads]]
    axes.errorbar(places, middles, yerr=around, **{"capsize": 2, "linewidth": 1.3, "markersize": 4} | look)


def over(axes, places, label, base=10):
    """The horizontal axis: numbers that were measured, on a logarithmic scale."""
    axes.set_xscale("log", base=base)
    axes.set_xticks(places)
    axes.xaxis.set_major_formatter(thousands)
    axes.yaxis.set_major_formatter(thousands)
    axes.minorticks_off()
    axes.set_xlabel(label)


def legend(figure, axes, title, columns=4):
    """One legend for all panels, and the title."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=columns, fontsize=8)
    figure.suptitle(title, fontsize=9)


def line(axes, rows, numbers, **look):
    """Medians over the number of channels, the rounds' smallest and greatest as bars."""
    points = sorted((int(row.value), Spread.of(numbers(row))) for row in rows)
    error_bars(axes, [size for size, _ in points], [spread for _, spread in points], capsize=3, linewidth=1.4, **look)


def select_one(run, folder):
    """SelectOne over the number of channels: epoll on a plain scale, poll beside it on a logarithmic one."""
    rows = {mechanism: [row for row in run.rows.values() if row.benchmark == "SelectOne" and row.mechanism == mechanism]
            for mechanism in ("epoll", "poll")}
    if not rows["epoll"]:
        return
    figure, (plain, log) = plt.subplots(1, 2, figsize=(9.2, 3.9), layout="constrained", width_ratios=(1, 1))
    for axes in (plain, log):
        line(axes, rows["epoll"], lambda row: row.base, color=JDK, marker="s", label="JDK (epoll)")
        line(axes, rows["epoll"], lambda row: row.other, color=POLLUX, marker="o", label="Pollux, epoll")
        line(axes, rows["epoll"], lambda row: row.libc, color=FLOOR, marker="_", linestyle="--",
             label="C loop, epoll_wait")
        axes.set_xscale("log")
        axes.set_xlabel("registered channels, 1 of them ready")
        axes.xaxis.set_major_formatter(thousands)
        axes.set_ylabel(f"{run.clock} time per select(Consumer), ns")
        axes.minorticks_off()
    plain.set_ylim(bottom=0)
    plain.yaxis.set_major_formatter(thousands)
    plain.set_title("epoll", loc="left")
    if rows["poll"]:
        line(log, rows["poll"], lambda row: row.other, color=POLLUX, marker="D", linestyle="--", label="Pollux, poll")
        line(log, rows["poll"], lambda row: row.libc, color=FLOOR, marker="_", linestyle=":", label="C loop, poll")
    log.set_yscale("log")
    log.minorticks_off()
    log.yaxis.set_major_formatter(thousands)
    log.set_title("with poll, logarithmic scale", loc="left")
    handles, labels = log.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=5)
    figure.suptitle(f"SelectOne: {run.title}; median, smallest and greatest of the rounds", fontsize=9)
    save(figure, folder / f"select-one-{run.name}.svg")


def bars(axes, rows, above, below, limit):
    """Ratios of one column: a bar with its spread, a mark for the wanted limit, the median in figures at the right."""
    widest = 1.0
    for at, (row, target) in enumerate(rows):
        spread = Spread.of_ratios(above(row), below(row))
        if spread is None:
            continue
        wanted = limit(target)
        error = [[spread.middle - spread.low], [spread.high - spread.middle]]
        axes.barh(at, spread.middle, height=0.62, color=POLLUX,
                  xerr=error, error_kw={"ecolor": "#333333", "elinewidth": 0.9, "capsize": 2})
        if wanted is not None:
            axes.plot([wanted] * 2, [at - 0.42, at + 0.42], color=LIMIT, linewidth=1.8)
        missed = wanted is not None and spread.middle > wanted
        axes.annotate(f"{spread.middle:.2f}", (1.01, at), xycoords=("axes fraction", "data"), va="center",
                      fontsize=8, color=LIMIT if missed else "#111111")
        widest = max(widest, spread.middle, wanted or 0)
    axes.axvline(1, color="#333333", linewidth=0.8)
    axes.grid(axis="y", visible=False)
    axes.set_xlim(0, min(1.15 * widest, LONGEST))
    axes.set_ylim(len(rows) - 0.4, -0.6)


def ratios(run, providers, folder):
    rows = [(row, run.target(row)) for row in run.of(providers) if row.benchmark != "SelectOne"]
    if not rows:
        return
    mechanism = rows[0][0].mechanism
    figure, (jdk, floor) = plt.subplots(1, 2, figsize=(9.2, 1.3 + 0.27 * len(rows)), sharey=True, layout="constrained")
    bars(jdk, rows, lambda row: row.other, lambda row: row.base, lambda target: target.jdk)
    bars(floor, rows, lambda row: row.other, lambda row: row.libc, lambda target: target.floor)
    jdk.set_yticks(range(len(rows)), [row.label.replace("-Ddev.pollux.", "") for row, _ in rows])
    jdk.set_xlabel("time of Pollux / time of the JDK (1 = the same)")
    floor.set_xlabel("time of Pollux / time of the same system calls in C")
    figure.suptitle(f"{mechanism}: {run.title}\nmedian, smallest and greatest ratio of the rounds; "
                    "red: the greatest that is wanted, and what missed it", fontsize=9)
    save(figure, folder / f"ratios-{mechanism}-{run.name}.svg")


def main(folder, files):
    folder.mkdir(parents=True, exist_ok=True)
    with plt.rc_context(PLAIN):
        for run in read(files):
            select_one(run, folder)
            for providers in run.pairs():
                ratios(run, providers, folder)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), sys.argv[2:])
