# SPDX-License-Identifier: Apache-2.0
"""Draws what ring.sh measured.

usage: ring.py FOLDER FILE...    files that ring.sh wrote; makes FOLDER/ring-jdk<version>.svg
"""
from colours import FLOOR, JDK, OTHER, POLLER, POLLUX
from plots import draw_each, error_bars, legend, over, plt, save
from results import Spread, numbers, ways

LOOKS = {   # name, colour, marker, line
    "c-epoll": ("C, epoll", FLOOR, "_", "--"),
    "c-epoll-raw": ("C, epoll by syscall(2)", FLOOR, "_", ":"),
    "c-poll": ("C, poll", FLOOR, "_", "-."),
    "c-pollux-epoll": ("C on Pollux, epoll", POLLUX, "s", "--"),
    "c-pollux-poll": ("C on Pollux, poll", POLLUX, "s", ":"),
    "java-poller": ("Java, Poller", POLLER, "D", "-"),
    "java-selector-pollux": ("Java, Pollux's selector", POLLUX, "o", "-"),
    "java-selector-jdk": ("Java, JDK's selector", JDK, "s", "-"),
}
FLOOR_WAY = "c-epoll"


def speeds(content, way, pipes):
    """Reads per second, in the order of the rounds."""
    clock = "cpuSeconds" if content["plan"]["cpu"] else "seconds"
    return numbers(content, way, pipes, lambda sample: sample["reads"] / sample[clock])


def lines(axes, pipes, shown, figures):
    for way in shown:
        label, colour, marker, style = LOOKS.get(way, (way, OTHER, "v", "-."))
        error_bars(axes, pipes, [Spread.of(figures(way, count)) for count in pipes], color=colour, marker=marker,
                   linestyle=style, label=label)
    over(axes, pipes, "pipes")


def draw(content, folder):
    plan = content["plan"]
    figure, (all_ways, ratios) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
    all_ways.set_yscale("log")
    lines(all_ways, plan["pipes"], ways(content), lambda way, pipes: speeds(content, way, pipes))
    all_ways.set_ylabel("reads per second" + (" of processor time" if plan["cpu"] else ""))
    if FLOOR_WAY in ways(content):
        # Round by round: what disturbed one round disturbed both sides of it.
        lines(ratios, plan["pipes"], [way for way in ways(content) if not way.endswith("-poll")],
              lambda way, pipes: [one / floor for one, floor
                                   in zip(speeds(content, way, pipes), speeds(content, FLOOR_WAY, pipes))])
        ratios.yaxis.set_major_formatter("{x:.1f}")
        ratios.set_ylim(bottom=0)
        ratios.set_ylabel("reads / reads of the C loop on epoll")
    legend(figure, all_ways, f"Ring of pipes, {plan['tokens']} running: {content['title']}; median, smallest and "
           "greatest of the rounds")
    save(figure, folder / f"ring-{content['jdk']}.svg")


if __name__ == "__main__":
    draw_each(__doc__, draw)
