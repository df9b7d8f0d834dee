/* SPDX-License-Identifier: Apache-2.0
 *
 * connections.h: the life of a connection, as arena.c drives it. What a transport reports of it is in transport.h.
 */
#ifndef PLX_CONNECTIONS_H
#define PLX_CONNECTIONS_H

#include "arena/transport.h"

/* The connection's index, PLX_NONE if it has ended. */
uint32_t plx_find(const plx_arena *arena, uint64_t name);
/* A connection of its own for a descriptor, PLX_NONE if all are in use. */
uint32_t plx_begin(plx_arena *arena, intptr_t descriptor, uint32_t flags);
/* Undoes that before anything has happened to the connection. */
void plx_begin_undo(plx_arena *arena, uint32_t i);
/* Begins to receive or accept, unless that must wait: 0, or -code, which is not reported. */
int plx_begin_receiving(plx_arena *arena, uint32_t i);
/* Begins to receive, closes, releases, reports: whatever its flags ask for and nothing under way forbids. */
void plx_settle(plx_arena *arena, uint32_t i);
/* Reports: the arrival. */
plx_arrival *plx_report(plx_arena *arena, uint32_t i, uint32_t what, int64_t detail);
/* What was reported of the connection in this turn at that place, or NULL. */
plx_arrival *plx_reported(const plx_arena *arena, uint32_t i, uint32_t place, uint32_t what);
/* Has plx_deliver look at the connection. */
void plx_queue(plx_arena *arena, uint32_t i);
/* Has the transport stop receiving. */
void plx_stop(plx_arena *arena, uint32_t i);
/* Nothing is reported as data while the caller or the peer is not ready for more. */
static inline bool plx_is_blocked(const plx_connection *c)
{
    return (c->flags & PLX_PAUSED) || c->first != NULL;
}
/* Reports an error, unless one was reported before. */
void plx_report_error(plx_arena *arena, uint32_t i, int code);
/* Reports how many orders with PLX_ORDER_NOTIFY are finished. */
void plx_report_sent(plx_arena *arena, uint32_t i, uint32_t orders);
/* PLX_ORDER_FENCE. */
void plx_order_fence(plx_arena *arena);
/* Reports that a fence waits for nothing any more, if that is so. */
void plx_check_fence(plx_arena *arena);
/* Nothing can be sent any more. */
void plx_fail_send(plx_arena *arena, uint32_t i, int code);
/* Reports that too much is unsent, if it is and was not reported. */
void plx_check_pending(plx_arena *arena, uint32_t i);
/* At the beginning of a turn: what ended in the last one is free now; what was parked is accepted. */
void plx_recycle(plx_arena *arena);
/* Reports unread data that was undelivered, as far as there is room. */
void plx_deliver(plx_arena *arena);
/* plx_arena_close, but what the view shows stays readable and writable, whatever it has then, until free(3) of what
 * this returns: for a caller that can't know who still has a pointer into it. */
void *plx_arena_close_but_block(plx_arena *arena);

#endif
