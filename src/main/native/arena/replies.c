/* SPDX-License-Identifier: Apache-2.0
 *
 * replies.c: what became of the bytes that the caller ordered to be sent. What did not go out at once waits as pieces,
 * in its order; the transport is given one piece at a time.
 */
#include "arena/connections.h"

#include "arena/sockets.h"

void plx_fail_send(plx_arena *arena, uint32_t i, int code)
{
    plx_connection *c = &arena->connections[i];
    bool is_aborted = c->flags & PLX_UNSENDABLE;
    c->flags |= PLX_UNSENDABLE | PLX_CUT;
    plx_unsent_clear(c, c->flags & PLX_FLUSHING);
    if ((c->flags & (PLX_CLOSING | PLX_REPORTED)) == PLX_CLOSING && !is_aborted) { /* it was to be closed after that */
        plx_arena_emit(arena, i, PLX_ARRIVAL_ERROR, code);
        c->flags |= PLX_REPORTED;
    }
    plx_arena_emit_error(arena, i, code);
}

int64_t plx_arena_unsent(const plx_arena *arena, uint64_t connection)
{
    uint32_t i = plx_find(arena, connection);
    if (i == PLX_NONE || arena->connections[i].first == NULL || (arena->connections[i].flags & PLX_UNSENDABLE))
        return 0;
    return arena->connections[i].pending + plx_socket_unsent(arena->connections[i].descriptor);
}

void plx_check_pending(plx_arena *arena, uint32_t i)
{
    plx_connection *c = &arena->connections[i];
    if (c->pending > arena->sizes.pending_limit && !(c->flags & (PLX_OVER_LIMIT | PLX_CLOSING | PLX_RELEASING))) {
        c->flags |= PLX_OVER_LIMIT;
        plx_arena_emit(arena, i, PLX_ARRIVAL_UNSENT, c->pending);
    }
}

uint32_t plx_slices_of(plx_arena *arena, const plx_send *send, size_t *bytes)
{
    plx_slice *slices = &arena->slices[send->first];
    uint32_t count = 0;
    *bytes = 0;
    for (uint32_t k = send->first; k < send->first + send->count; k++) {
        const plx_order *order = &arena->view.orders[k];
        const char *at = (const char *)(uintptr_t)order->address;
        if (count > 0 && (const char *)slices[count - 1].at + slices[count - 1].length == at)
            slices[count - 1].length += order->length;
        else
            slices[count++] = (plx_slice){ at, order->length };
        *bytes += order->length;
    }
    return count;
}

/* Has the orders' bytes from `sent` on wait, before what waits already. */
static int keep_rest(plx_arena *arena, plx_connection *c, plx_send *send, size_t sent)
{
    plx_piece *first = c->first, *last = c->last;
    int code = 0;
    c->first = NULL;
    send->notify = 0;
    for (uint32_t k = send->first; k < send->first + send->count && code == 0; k++) {
        const plx_order *order = &arena->view.orders[k];
        size_t gone = sent < order->length ? sent : order->length;
        sent -= gone;
        if (gone < order->length)
            code = plx_unsent_append(c, order, (uint32_t)gone);
        else
            send->notify += (order->what & PLX_ORDER_NOTIFY) != 0;
    }
    if (c->first == NULL)
        c->first = first;
    else
        c->last->next = first;
    if (first != NULL)
        c->last = last;
    return code;
}

void plx_sent_short(plx_arena *arena, uint32_t i, size_t sent, int code)
{
    plx_connection *c = &arena->connections[i];
    plx_send *send = &arena->sends[c->send];
    arena->counts->short_sends++;
    send->bytes = sent;
    if (code == 0 && !(c->flags & PLX_UNSENDABLE))
        code = -keep_rest(arena, c, send, sent);
    else
        send->notify = 0;
    if (code != 0 || (c->flags & PLX_UNSENDABLE))
        plx_fail_send(arena, i, code);
    plx_check_pending(arena, i);
}

void plx_order_fence(plx_arena *arena)
{
    if (arena->fence == PLX_NO_FENCE)
        arena->fence = PLX_FENCE_ORDERED;
    arena->has_followers = true;
}

void plx_place_fence(plx_arena *arena)
{
    if (arena->fence != PLX_FENCE_ORDERED)
        return;
    arena->fence = PLX_FENCE_PLACED;
    for (uint32_t i = 0; i < arena->fresh; i++) {
        plx_connection *c = &arena->connections[i];
        if ((c->flags & PLX_IN_USE) && c->pending > 0) {
            c->last->fence = &arena->fenced;
            arena->fenced++;
        }
    }
}

void plx_check_fence(plx_arena *arena)
{
    if (arena->fence != PLX_FENCE_PLACED || arena->fenced > 0)
        return;
    arena->fence = PLX_NO_FENCE;
    arena->arrivals[arena->arrived++] = (plx_arrival){ .what = PLX_ARRIVAL_FENCED };
}
