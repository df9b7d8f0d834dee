# SPDX-License-Identifier: Apache-2.0
#
# Builds pollux.dll for Windows with MinGW-w64 (Debian: gcc-mingw-w64-x86-64-posix) and cargo:
#
#   make -f windows.mk JAVA_HOME=<jdk>       leaves target/native/windows-x86_64/pollux.dll
#   make -f windows.mk wepoll                fetches wepoll's source only, to $(WEPOLL)
#
# wepoll comes from the crate registry by name, version and checksum (wepoll/Cargo.lock); nothing of it is kept here.

CROSS     ?= x86_64-w64-mingw32-gcc
CARGO     ?= cargo
JAVA_HOME ?= $(patsubst %/bin/javac,%,$(realpath $(shell command -v javac)))

TARGET    ?= $(abspath ../../../target)
NATIVE    ?= $(TARGET)/native
CRATES    := $(TARGET)/wepoll
WEPOLL    := $(CRATES)/wepoll-ffi/vendor
OUT       ?= $(NATIVE)/windows-$(firstword $(subst -, ,$(shell $(CROSS) -dumpmachine)))
LIB       := $(OUT)/pollux.dll
SOURCES   := $(sort $(wildcard *.c))

CPPFLAGS  += -I"$(JAVA_HOME)/include" -Ijni-md/windows -isystem "$(WEPOLL)" -D_WIN32_WINNT=0x0600
CFLAGS    ?= -O2
CFLAGS    += -std=c11 -Wall -Wextra -Wpedantic -Werror
CFLAGS    += -ffile-prefix-map="$(CURDIR)"=. -ffile-prefix-map="$(WEPOLL)"=.
LDFLAGS   += -shared -s -static-libgcc -Wl,--no-insert-timestamp
LDLIBS    += -lws2_32

.PHONY: all wepoll
all: wepoll
	@mkdir -p "$(OUT)"
	$(CROSS) $(CPPFLAGS) $(CFLAGS) $(SOURCES) $(LDFLAGS) $(LDLIBS) -o "$(LIB).new"
	@mv -f "$(LIB).new" "$(LIB)"

wepoll: $(WEPOLL)/wepoll/wepoll.c

# A folder of vendored crates keeps the times of their files: touch.
$(WEPOLL)/wepoll/wepoll.c: wepoll/Cargo.toml wepoll/Cargo.lock
	$(CARGO) vendor --quiet --locked --manifest-path wepoll/Cargo.toml "$(CRATES)" >/dev/null
	@touch "$@"
