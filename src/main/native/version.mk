# SPDX-License-Identifier: Apache-2.0
#
# For each Makefile that compiles the library, after sources.mk: VERSION, its three NUMBERS and VERSION_FLAGS, which
# pollux.h expects. The version stands in the project's poms alone. Where this folder was copied out of the project,
# or another version is wanted: VERSION=1.2.3 on the command line. A qualifier, as in 1.2.3-SNAPSHOT, is not part of the
# numbers.

PROJECT := $(dir $(lastword $(MAKEFILE_LIST)))../../..
# The first artifact that a pom.xml names is its own, or its parent's: that of another project, into which this folder
# was copied, is not taken for ours.
OURS    := $(shell sed -n '/<artifactId>/{/>pollux-parent</!q;}; /<version>/{s/.*<version>\(.*\)<.*/\1/p;q;}' \
               $(PROJECT)/pom.xml 2>/dev/null)
VERSION := $(OURS)
NUMBERS := $(shell echo '$(VERSION)' | sed -nE 's/^([0-9]+)\.([0-9]+)\.([0-9]+)([-+].*)?$$/\1 \2 \3/p')
ifeq ($(VERSION),)
$(error no version: the folder was copied out of the project; give VERSION=1.2.3)
endif
ifeq ($(NUMBERS),)
$(error VERSION is $(VERSION), which is no version such as 1.2.3 or 1.2.3-SNAPSHOT)
endif
VERSION_FLAGS := $(join -DPLX_VERSION_MAJOR= -DPLX_VERSION_MINOR= -DPLX_VERSION_PATCH=,$(NUMBERS))

# The library for the jar says which build it is, and the jar which it needs. One of other sources is refused when it is
# loaded: it may lack a native method that is called much later.
ALL_FILES  := $(call sources_in,$(JAR_FOLDERS)) $(call headers_in,$(JAR_FOLDERS))
BUILD      := $(VERSION)/$(firstword $(shell cat $(ALL_FILES) | cksum))
BUILD_FLAG := -DPLX_BUILD='"$(BUILD)"'
