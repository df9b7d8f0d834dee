/* SPDX-License-Identifier: Apache-2.0
 *
 * netinet/tcp.h: see solaris/README.md
 */
#define TCP_NODELAY 0x01
