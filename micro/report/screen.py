# SPDX-License-Identifier: Apache-2.0
"""Draws what a program shows on a terminal, after some seconds.

usage: screen.py FILE.svg COLUMNS LINES SECONDS COMMAND...
"""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
from pathlib import Path

import pyte
from rich.console import Console
from rich.text import Text


def run(columns, lines, seconds, command):
    """The lines on the screen of a terminal of that size, in which the command has run that long."""
    screen = pyte.Screen(columns, lines)
    stream = pyte.ByteStream(screen)
    process, terminal = pty.fork()
    if process == 0:
        os.environ["TERM"] = "xterm"
        os.execvp(command[0], command)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                stream.feed(os.read(terminal, 65536))
            except OSError:     # the program has ended
                break
    os.kill(process, signal.SIGTERM)
    return [line.rstrip() for line in screen.display]


def main(file, columns, lines, seconds, command):
    shown = run(columns, lines, seconds, command)
    while shown and not shown[-1]:
        shown.pop()
    console = Console(record=True, width=columns, file=open(os.devnull, "w", encoding="utf-8"))
    for line in shown:
        console.print(Text(line, no_wrap=True))
    drawn = console.export_svg(title="java -jar pollux.jar top", font_aspect_ratio=0.61, unique_id="top")
    # A picture that fetches nothing: the reader's own font will do.
    drawn = re.sub(r"@font-face \{.*?\}\s*", "", drawn, flags=re.DOTALL)
    Path(file).write_text(drawn.replace("Fira Code, ", ""), encoding="utf-8")
    print(f"picture: {file}")


if __name__ == "__main__":
    if len(sys.argv) < 6:
        sys.exit(__doc__)
    main(sys.argv[1], *(int(each) for each in sys.argv[2:5]), sys.argv[5:])
