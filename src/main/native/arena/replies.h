/* SPDX-License-Identifier: Apache-2.0
 *
 * replies.h: what a connection has to send, and cannot send now.
 */
#ifndef PLX_REPLIES_H
#define PLX_REPLIES_H

#include "arena/transport.h"

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

#endif
