# SPDX-License-Identifier: Apache-2.0
#
# For each Makefile that compiles the library, its tests or its examples: what the compiler warns of.

WARNINGS := -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Werror
