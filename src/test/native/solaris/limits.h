/* SPDX-License-Identifier: Apache-2.0
 *
 * limits.h: see solaris/README.md
 */
#define INT_MAX 2147483647
