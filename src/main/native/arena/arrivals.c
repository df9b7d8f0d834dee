/* SPDX-License-Identifier: Apache-2.0
 *
 * arrivals.c: what a turn tells its caller, and whether it waits.
 */
#include "arena/connections.h"

#include "system/clock.h"

enum { MAX_OVERESTIMATE = 10000000 /* nanoseconds */ };

uint32_t plx_find(const plx_arena *arena, uint64_t name)
{
    uint32_t i = (uint32_t)name;
    if (i >= arena->fresh || plx_name_of(arena, i) != name || !(arena->connections[i].flags & PLX_IN_USE))
        return PLX_NONE;
    return i;
}

plx_arrival *plx_arena_emit(plx_arena *arena, uint32_t i, uint32_t what, int64_t detail)
{
    plx_arrival *arrival = &arena->arrivals[arena->arrived++];
    *arrival = (plx_arrival){ .connection = plx_name_of(arena, i), .what = what, .detail = detail };
    return arrival;
}

plx_arrival *plx_arena_find_emitted(const plx_arena *arena, uint32_t i, uint32_t place, uint32_t what)
{
    plx_arrival *arrival = &arena->arrivals[place];
    bool is_its = place < arena->arrived && arrival->what == what && arrival->connection == plx_name_of(arena, i);
    return is_its ? arrival : NULL;
}

void plx_arena_emit_error(plx_arena *arena, uint32_t i, int code)
{
    plx_connection *c = &arena->connections[i];
    if (c->flags & (PLX_REPORTED | PLX_CLOSING | PLX_RELEASING))
        return; /* while it closes only what was to be sent matters: plx_fail_send */
    plx_arena_emit(arena, i, PLX_ARRIVAL_ERROR, code);
    c->flags |= PLX_REPORTED;
}

void plx_arena_emit_sent(plx_arena *arena, uint32_t i, uint32_t orders)
{
    plx_connection *c = &arena->connections[i];
    plx_arrival *before = plx_arena_find_emitted(arena, i, c->sent, PLX_ARRIVAL_SENT);
    if (orders == 0)
        return;
    if (before != NULL) {
        before->detail += orders;
        return;
    }
    c->sent = arena->arrived;
    plx_arena_emit(arena, i, PLX_ARRIVAL_SENT, orders);
}

void plx_queue(plx_arena *arena, uint32_t i)
{
    plx_connection *c = &arena->connections[i];
    if (!(c->flags & PLX_QUEUED))
        arena->again[arena->again_count++] = i;
    c->flags |= PLX_QUEUED;
}

void plx_woken(plx_arena *arena)
{
    if (atomic_exchange(&arena->woken, 0) != 0)
        arena->arrivals[arena->arrived++] = (plx_arrival){ .what = PLX_ARRIVAL_WAKEUP };
}

int plx_arena_is_waiting(const plx_arena *arena, int64_t *ns)
{
    int64_t state = atomic_load_explicit(&arena->state, memory_order_relaxed), now = plx_now();
    *ns = state > 0 ? now - state : now + state;
    return state > 0;
}

int64_t plx_wait_begins(plx_arena *arena)
{
    int64_t now = plx_now();
    atomic_store_explicit(&arena->state, now, memory_order_relaxed);
    return now;
}

/* What was taken for work beyond the length of this wait is taken off the next ones. */
void plx_wait_ends(plx_arena *arena, int64_t worked)
{
    int64_t began = atomic_load_explicit(&arena->state, memory_order_relaxed), now = plx_now();
    int64_t waited = now - began - worked - arena->overestimate;
    atomic_store_explicit(&arena->state, -now, memory_order_relaxed);
    arena->counts->waits++;
    arena->overestimate = 0;
    if (waited >= 0)
        arena->counts->waited += (uint64_t)waited;
    else
        arena->overestimate = -waited < MAX_OVERESTIMATE ? -waited : MAX_OVERESTIMATE;
}
