/* SPDX-License-Identifier: Apache-2.0
 *
 * connections.h: the life of a connection, as arena.c drives it. What a transport reports of it is in transport.h.
 */
#ifndef PLX_CONNECTIONS_H
#define PLX_CONNECTIONS_H

#include "arena/transport.h"

/* A connection of its own for a descriptor, PLX_NONE if all are in use. */
uint32_t plx_begin(plx_arena *arena, intptr_t descriptor, uint32_t flags);
/* Undoes that before anything has happened to the connection. */
void plx_begin_undo(plx_arena *arena, uint32_t i);
/* Begins to receive or accept, unless that must wait: 0, or -code, which is not reported. */
int plx_begin_receiving(plx_arena *arena, uint32_t i);
/* Begins to receive, closes, releases, reports: whatever its flags ask for and nothing under way forbids. */
void plx_settle(plx_arena *arena, uint32_t i);
/* Has the transport stop receiving. */
void plx_stop(plx_arena *arena, uint32_t i);
/* Nothing is reported as data while the caller or the peer is not ready for more. */
static inline bool plx_is_blocked(const plx_connection *c)
{
    return (c->flags & PLX_PAUSED) || c->first != NULL;
}
/* At the beginning of a turn: what ended in the last one is free now; what was parked is accepted. */
void plx_recycle(plx_arena *arena);

#endif
