# SPDX-License-Identifier: Apache-2.0
#
# For each Makefile that compiles the library: what it is made of. Its files are in folders, here from the lowest to the
# highest; one includes headers of its own folder and of lower ones, by their paths from this folder (-I). pollux.h and
# arena.h, for programs in C, are beside this file. NativeArchitectureTest has the arrows.

HERE        := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))
C_FOLDERS   := system mechanism arena
JAR_FOLDERS := $(C_FOLDERS) selector batch calls jni
sources_in   = $(sort $(wildcard $(addsuffix /*.c,$(addprefix $(HERE)/,$(1)))))
headers_in   = $(sort $(wildcard $(HERE)/*.h $(addsuffix /*.h,$(addprefix $(HERE)/,$(1)))))
