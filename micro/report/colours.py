# SPDX-License-Identifier: Apache-2.0
"""What each side looks like, in every plot. Ways of one side share its colour and differ in line and marker."""

JDK = "#6b6b6b"      # grey: the JDK's selector
POLLUX = "#0b62a4"   # blue: Pollux's selector, and C on pollux.h
POLLER = "#59a14f"   # green: dev.pollux.Poller
FLOOR = "#111111"    # black: C on the system's own calls
OTHER = "#d9772b"    # orange: every other way, such as blocking channels
VIRTUAL = "#b07aa1"  # purple: a virtual thread for each connection
LIMIT = "#c1121f"    # red: a wanted limit, and what misses it
