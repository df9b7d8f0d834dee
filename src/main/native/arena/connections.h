/* SPDX-License-Identifier: Apache-2.0
 *
 * connections.h: what the files behind arena.h share beside transport.h, which has what a transport reports.
 */
#ifndef PLX_CONNECTIONS_H
#define PLX_CONNECTIONS_H

#include "arena/transport.h"

/* bytes.c: received and not consumed, ordered and not sent. Most connections have none, and then no memory for them. */

/* Puts bytes behind what is unread, or before it: 0 or -code. */
int plx_unread_append(plx_connection *c, const void *bytes, uint32_t length);
int plx_unread_prepend(plx_connection *c, const void *bytes, uint32_t length);
/* Takes the first bytes away. */
void plx_unread_drop(plx_connection *c, uint32_t length);
static inline uint32_t plx_unread_length(const plx_connection *c)
{
    return c->unread != NULL ? c->unread->length : 0;
}
/* Where they are; there must be some. */
static inline const char *plx_unread_bytes(const plx_connection *c)
{
    return c->unread->bytes + c->unread->start;
}
/* Puts what is left of an order, from skip on, behind what is unsent: 0 or -code. */
int plx_unsent_append(plx_connection *c, const plx_order *order, uint32_t skip);
/* Drops the first sent bytes of the first piece. The number of orders that ended with that. */
uint32_t plx_unsent_drop(plx_connection *c, size_t sent);
/* Drops everything, or everything but the first piece. */
void plx_unsent_clear(plx_connection *c, bool but_first);

/* arrivals.c: what a turn tells its caller. */

/* The connection's index, PLX_NONE if it has ended. */
uint32_t plx_find(const plx_arena *arena, uint64_t name);
plx_arrival *plx_arena_emit(plx_arena *arena, uint32_t i, uint32_t what, int64_t detail);
/* What was emitted of the connection in this turn at that place, or NULL. */
plx_arrival *plx_arena_find_emitted(const plx_arena *arena, uint32_t i, uint32_t place, uint32_t what);
/* Emits an error, unless there was one before. */
void plx_arena_emit_error(plx_arena *arena, uint32_t i, int code);
/* Emits how many orders with PLX_ORDER_NOTIFY are finished. */
void plx_arena_emit_sent(plx_arena *arena, uint32_t i, uint32_t orders);
/* Has plx_deliver look at the connection. */
void plx_queue(plx_arena *arena, uint32_t i);

/* delivery.c: reports unread data that was undelivered, as far as there is room. */
void plx_deliver(plx_arena *arena);

/* replies.c: what a connection has to send, and cannot send now. */

/* Nothing can be sent any more. */
void plx_fail_send(plx_arena *arena, uint32_t i, int code);
/* Reports that too much is unsent, if it is and was not reported. */
void plx_check_pending(plx_arena *arena, uint32_t i);
/* PLX_ORDER_FENCE. */
void plx_order_fence(plx_arena *arena);
/* Has a fence that was ordered wait for the last piece of each connection: what comes before it goes before it. */
void plx_place_fence(plx_arena *arena);
/* Reports that a fence waits for nothing any more, if that is so. */
void plx_check_fence(plx_arena *arena);

/* connections.c: the life of a connection, as arena.c drives it. */

/* A connection of its own for a descriptor, PLX_NONE if there is no place for one. */
uint32_t plx_begin(plx_arena *arena, intptr_t descriptor, uint32_t flags);
/* The same, in a place that was reserved. */
uint32_t plx_begin_reserved(plx_arena *arena, intptr_t descriptor, uint32_t flags);
/* Undoes that before anything has happened to the connection; its place is free then. */
void plx_begin_undo(plx_arena *arena, uint32_t i);
/* Begins to receive or accept, unless that must wait: 0, or -code, which is not reported. */
int plx_begin_receiving(plx_arena *arena, uint32_t i);
/* Begins to wait until it is connected: 0, or -code, which is not reported. */
int plx_begin_connecting(plx_arena *arena, uint32_t i);
/* Begins to receive, closes, releases, reports: whatever its flags ask for and nothing under way forbids. */
void plx_settle(plx_arena *arena, uint32_t i);
/* Has the transport stop receiving. */
void plx_stop(plx_arena *arena, uint32_t i);
/* Nothing is reported as data while the caller or the peer is not ready for more. */
static inline bool plx_is_blocked(const plx_connection *c)
{
    return (c->flags & PLX_PAUSED) || (c->first != NULL && !(c->flags & PLX_DUPLEX));
}
/* At the beginning of a turn: what ended in the last one is free now; what was parked is accepted. */
void plx_recycle(plx_arena *arena);
/* Frees the bytes of connections that were released. */
void plx_free_released(plx_arena *arena);

#endif
