/* SPDX-License-Identifier: Apache-2.0
 *
 * sockets.h: what an arena asks of one socket, the same on Winsock. Nothing blocks; results are >= 0 or -code.
 */
#ifndef PLX_SOCKETS_H
#define PLX_SOCKETS_H

#include "arena/transport.h"

/* 0 if it is a stream socket that listens, or one that does not, or -code. */
int plx_socket_check(intptr_t socket, bool listens);
int plx_socket_set_blocking(intptr_t socket, bool blocking);
/* What no signal must come of: SIGPIPE, where a send cannot say so. */
void plx_socket_quiet(intptr_t socket);
/* Sends at once what is to be sent: replies are joined before they get here. Sockets of other families have no such
 * option, and no delay. Sockets that a listening one accepts inherit it. */
void plx_socket_no_delay(intptr_t socket);
/* AF_INET, AF_INET6 or AF_UNIX. */
int plx_socket_family(intptr_t socket);
/* New descriptors, close-on-exec. */
intptr_t plx_socket_accept(intptr_t listener);
intptr_t plx_socket_duplicate(intptr_t socket);
/* Bytes; 0 is the end of the stream. */
int64_t plx_socket_receive(intptr_t socket, void *to, size_t room);
int64_t plx_socket_send(intptr_t socket, const plx_slice *slices, uint32_t count);
/* What has become of connecting it, once it is writable: 0 or -code. */
int plx_socket_connected(intptr_t socket);
/* Both directions, or that of sending alone. */
void plx_socket_shutdown(intptr_t socket, bool both);
/* Has closing it reset the connection, so that the peer does not take what it got for all. Resets it at once where that
 * can be: true. A Unix-domain connection has no such thing. */
bool plx_socket_reset(intptr_t socket);
/* How much of what was sent the peer's system has not acknowledged; 0 if this system does not tell. */
int64_t plx_socket_unsent(intptr_t socket);
void plx_socket_close(intptr_t socket);

/* What a negated result means. */
bool plx_socket_would_block(int64_t result);
/* The connection to be accepted was lost, or the network had a moment's trouble (accept(2)): the next one may do. */
bool plx_socket_accept_again(int64_t result);

#endif
