/* SPDX-License-Identifier: Apache-2.0
 *
 * sys/filio.h: see solaris/README.md
 */
#define FIONREAD 0x4004667f
