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
WEPOLL    := $(CRATES)/wepoll-ffi/vendor/wepoll
OUT       ?= $(NATIVE)/windows-$(firstword $(subst -, ,$(shell $(CROSS) -dumpmachine)))
LIB       := $(OUT)/pollux.dll
SOURCES   := $(sort $(wildcard *.c))

CPPFLAGS  += -I"$(JAVA_HOME)/include" -Ijni-md/windows -isystem "$(WEPOLL)" -D_WIN32_WINNT=0x0600
CFLAGS    ?= -O2
CFLAGS    += -std=c11 -ffile-prefix-map="$(CURDIR)"=. -ffile-prefix-map="$(WEPOLL)"=wepoll
WARNINGS  := -Wall -Wextra -Wpedantic -Werror
LDFLAGS   += -shared -s -static-libgcc -Wl,--no-insert-timestamp
LDLIBS    += -lws2_32

.PHONY: all wepoll
all: wepoll
	@mkdir -p "$(OUT)"
	$(CROSS) $(CFLAGS) -DNULL_OVERLAPPED_WAKEUPS_PATCH -c "$(WEPOLL)/wepoll.c" -o "$(CRATES)/wepoll.o"
	$(CROSS) $(CPPFLAGS) $(CFLAGS) $(WARNINGS) $(SOURCES) "$(CRATES)/wepoll.o" $(LDFLAGS) $(LDLIBS) -o "$(LIB).new"
	@mv -f "$(LIB).new" "$(LIB)"

wepoll: $(WEPOLL)/wepoll.c

# A folder of vendored crates keeps the times of their files: touch.
$(WEPOLL)/wepoll.c: wepoll/Cargo.toml wepoll/Cargo.lock
	$(CARGO) vendor --quiet --locked --manifest-path wepoll/Cargo.toml "$(CRATES)" >/dev/null
	@touch "$@"
