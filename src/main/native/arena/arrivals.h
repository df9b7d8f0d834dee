/* SPDX-License-Identifier: Apache-2.0
 *
 * arrivals.h: what a turn tells its caller. What a transport reports is in transport.h.
 */
#ifndef PLX_ARRIVALS_H
#define PLX_ARRIVALS_H

#include "arena/transport.h"

/* The connection's index, PLX_NONE if it has ended. */
uint32_t plx_find(const plx_arena *arena, uint64_t name);
/* Reports: the arrival. */
plx_arrival *plx_report(plx_arena *arena, uint32_t i, uint32_t what, int64_t detail);
/* What was reported of the connection in this turn at that place, or NULL. */
plx_arrival *plx_reported(const plx_arena *arena, uint32_t i, uint32_t place, uint32_t what);
/* Reports an error, unless one was reported before. */
void plx_report_error(plx_arena *arena, uint32_t i, int code);
/* Reports how many orders with PLX_ORDER_NOTIFY are finished. */
void plx_report_sent(plx_arena *arena, uint32_t i, uint32_t orders);
/* Has plx_deliver look at the connection. */
void plx_queue(plx_arena *arena, uint32_t i);
/* delivery.c: reports unread data that was undelivered, as far as there is room. */
void plx_deliver(plx_arena *arena);

#endif
