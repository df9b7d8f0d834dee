/* SPDX-License-Identifier: Apache-2.0
 *
 * delivery.c: received bytes on their way to the caller: reported where the transport has them, joined to what came
 * before, or kept until the connection may be reported again.
 */
#include "arena/connections.h"

#include <string.h>

enum { ALIGNMENT = 16 };

static void report_data(plx_arena *arena, uint32_t i, const char *bytes, uint32_t length)
{
    arena->connections[i].data = arena->arrived;
    plx_arrival *arrival = plx_arena_emit(arena, i, PLX_ARRIVAL_DATA, 0);
    arrival->address = (uintptr_t)bytes;
    arrival->length = length;
}

/* Reports bytes behind the data that was reported in this turn (NULL: none was), or kept before it. False: there is no
 * room. */
static bool join(plx_arena *arena, uint32_t i, plx_arrival *data, const char *bytes, uint32_t length)
{
    plx_connection *c = &arena->connections[i];
    uint32_t have = data != NULL ? data->length : plx_unread_length(c);
    char *end = arena->joins + arena->join_used;
    const char *before = data != NULL ? (const char *)(uintptr_t)data->address : plx_unread_bytes(c);
    uint32_t room = arena->join_half - arena->join_used;
    if (data != NULL && before + have == end) {
        if (length > room)
            return false;
        memcpy(end, bytes, length);
        arena->join_used += length;
        data->length += length;
        return true;
    }
    uint32_t gap = (0 - arena->join_used) % ALIGNMENT;
    if ((uint64_t)gap + have + length > room)
        return false;
    end += gap;
    memcpy(end, before, have);
    memcpy(end + have, bytes, length);
    arena->join_used += gap + have + length;
    if (data != NULL) {
        data->address = (uintptr_t)end;
        data->length += length;
    } else {
        report_data(arena, i, end, have + length);
        plx_unread_drop(c, have);
    }
    return true;
}

static void keep_unread(plx_arena *arena, uint32_t i, const char *bytes, uint32_t length)
{
    plx_connection *c = &arena->connections[i];
    int code = plx_unread_append(c, bytes, length);
    if (code < 0) {
        plx_arena_emit_error(arena, i, -code);
        c->flags |= PLX_PAUSED;
        if (c->flags & PLX_RELEASING) /* not without these bytes */
            c->flags ^= PLX_RELEASING | PLX_CLOSING;
    }
    if (c->flags & PLX_RELEASING)
        plx_stop(arena, i); /* what follows is the next owner's */
    if (c->flags & (PLX_RELEASING | PLX_CLOSING))
        return;
    c->flags |= PLX_UNDELIVERED;
    if (plx_is_blocked(c) || plx_unread_length(c) > arena->sizes.request_limit)
        plx_stop(arena, i);
    if (!plx_is_blocked(c))
        plx_queue(arena, i);
}

bool plx_received(plx_arena *arena, uint32_t i, char *bytes, uint32_t length)
{
    plx_connection *c = &arena->connections[i];
    arena->counts->receives++;
    arena->counts->received_bytes += length;
    if (c->flags & PLX_CLOSING)
        return false;
    if ((c->flags & (PLX_RELEASING | PLX_UNDELIVERED)) || plx_is_blocked(c)) {
        keep_unread(arena, i, bytes, length);
        return false;
    }
    plx_arrival *data = plx_arena_find_emitted(arena, i, c->data, PLX_ARRIVAL_DATA);
    if (data == NULL && c->unread == NULL) {
        report_data(arena, i, bytes, length);
        return true;
    }
    if (!join(arena, i, data, bytes, length))
        keep_unread(arena, i, bytes, length);
    return false;
}

/* Reports unread bytes, in parts if there are very many. False: there is no room in this turn. */
static bool deliver(plx_arena *arena, uint32_t i)
{
    plx_connection *c = &arena->connections[i];
    uint32_t start = arena->join_used + (0 - arena->join_used) % ALIGNMENT;
    uint32_t length = plx_unread_length(c);
    if (length > arena->join_half - start) {
        if (start > 0)
            return false;
        length = arena->join_half;
    }
    if (length == plx_unread_length(c))
        c->flags &= ~(uint32_t)PLX_UNDELIVERED;
    if (length == 0)
        return true;
    memcpy(arena->joins + start, plx_unread_bytes(c), length);
    arena->join_used = start + length;
    report_data(arena, i, arena->joins + start, length);
    plx_unread_drop(c, length);
    return true;
}

void plx_deliver(plx_arena *arena)
{
    uint32_t count = arena->again_count;
    arena->again_count = 0; /* what is queued again lies before what was taken */
    for (uint32_t k = 0; k < count; k++) {
        uint32_t i = arena->again[k];
        plx_connection *c = &arena->connections[i];
        if (!(c->flags & PLX_QUEUED))
            continue; /* it has ended */
        c->flags &= ~(uint32_t)PLX_QUEUED;
        if ((c->flags & (PLX_CLOSING | PLX_RELEASING)) || plx_is_blocked(c))
            continue;
        if ((c->flags & PLX_UNDELIVERED) && !deliver(arena, i)) {
            plx_queue(arena, i);
            continue;
        }
        if ((c->flags & PLX_END_DUE) && !(c->flags & PLX_UNDELIVERED) &&
            plx_arena_find_emitted(arena, i, c->data, PLX_ARRIVAL_DATA) == NULL) {
            c->flags &= ~(uint32_t)PLX_END_DUE;
            if (!(c->flags & PLX_REPORTED))
                plx_arena_emit(arena, i, PLX_ARRIVAL_END, 0);
        }
        plx_settle(arena, i);
    }
}
