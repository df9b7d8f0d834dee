/* SPDX-License-Identifier: Apache-2.0
 *
 * netinet/in.h: see solaris/README.md
 */
#define IPPROTO_TCP 6
