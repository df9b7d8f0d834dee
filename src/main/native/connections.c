/* SPDX-License-Identifier: Apache-2.0
 *
 * connections.c: see connections.h and transport.h.
 *
 * - plx_settle is the one place that decides what happens to a connection next. Whoever changes a flag calls it; while
 *   something is under way whose end will be reported, it leaves the connection alone, and the report calls it again.
 * - Pausing is lazy: who pauses a connection for a moment, to reply later, pays nothing for it. Only data that comes
 *   meanwhile has the transport stop; it is kept.
 * - A connection whose number ends in one turn is not used again before the next one: a batch of arrivals never tells of
 *   two connections under one number.
 */
#include "connections.h"

#include "bytes.h"
#include "sockets.h"

#include <stdlib.h>
#include <string.h>

enum { LAST_GENERATION = 0xffffff, ALIGNMENT = 16 };

uint32_t plx_find(const plx_arena *arena, uint64_t name)
{
    uint32_t i = (uint32_t)name;
    if (i >= arena->fresh || plx_name_of(arena, i) != name || !(arena->connections[i].flags & PLX_IN_USE))
        return PLX_NONE;
    return i;
}

uint32_t plx_begin(plx_arena *arena, intptr_t descriptor, uint32_t flags)
{
    uint32_t i = arena->free;
    if (i != PLX_NONE)
        arena->free = arena->connections[i].next;
    else if (arena->fresh < arena->sizes.connections)
        i = arena->fresh++;
    else
        return PLX_NONE;
    plx_connection *c = &arena->connections[i];
    *c = (plx_connection){ .descriptor = descriptor, .generation = c->generation % LAST_GENERATION + 1,
                           .flags = PLX_IN_USE | flags, .next = PLX_NONE };
    if (flags & PLX_LISTENING) {
        c->next = arena->listeners;
        arena->listeners = i;
    }
    return i;
}

static void forget_listener(plx_arena *arena, uint32_t i)
{
    uint32_t *link = &arena->listeners;
    while (*link != i)
        link = &arena->connections[*link].next;
    *link = arena->connections[i].next;
}

void plx_begin_undo(plx_arena *arena, uint32_t i)
{
    plx_connection *c = &arena->connections[i];
    if (c->flags & PLX_LISTENING)
        forget_listener(arena, i);
    c->flags = 0;
    c->next = arena->free;
    arena->free = i;
}

static bool is_full(const plx_arena *arena)
{
    return arena->free == PLX_NONE && arena->fresh == arena->sizes.connections;
}

plx_arrival *plx_report(plx_arena *arena, uint32_t i, uint32_t what, int64_t detail)
{
    plx_arrival *arrival = &arena->arrivals[arena->arrived++];
    *arrival = (plx_arrival){ .connection = plx_name_of(arena, i), .what = what, .detail = detail };
    return arrival;
}

/* What was reported of the connection in this turn at that place, or NULL. */
static plx_arrival *reported(const plx_arena *arena, uint32_t i, uint32_t place, uint32_t what)
{
    plx_arrival *arrival = &arena->arrivals[place];
    bool is_its = place < arena->arrived && arrival->what == what && arrival->connection == plx_name_of(arena, i);
    return is_its ? arrival : NULL;
}

void plx_report_error(plx_arena *arena, uint32_t i, int code)
{
    plx_connection *c = &arena->connections[i];
    if (!(c->flags & (PLX_REPORTED | PLX_CLOSING | PLX_RELEASING)))
        plx_report(arena, i, PLX_ARRIVAL_ERROR, code);
    c->flags |= PLX_REPORTED;
}

void plx_report_sent(plx_arena *arena, uint32_t i, uint32_t orders)
{
    plx_connection *c = &arena->connections[i];
    plx_arrival *before = reported(arena, i, c->sent, PLX_ARRIVAL_SENT);
    if (orders == 0)
        return;
    if (before != NULL) {
        before->detail += orders;
        return;
    }
    c->sent = arena->arrived;
    plx_report(arena, i, PLX_ARRIVAL_SENT, orders);
}

static void report_data(plx_arena *arena, uint32_t i, const char *bytes, uint32_t length)
{
    arena->connections[i].data = arena->arrived;
    plx_arrival *arrival = plx_report(arena, i, PLX_ARRIVAL_DATA, 0);
    arrival->address = (uintptr_t)bytes;
    arrival->length = length;
}

/* Its number is free at the next turn. */
static void end(plx_arena *arena, uint32_t i)
{
    plx_connection *c = &arena->connections[i];
    if (c->flags & PLX_LISTENING)
        forget_listener(arena, i);
    free(c->unread);
    plx_unsent_clear(c, false);
    c->unread = NULL;
    c->flags = 0;
    c->next = arena->ended;
    arena->ended = i;
}

static void finish_close(plx_arena *arena, uint32_t i)
{
    arena->transport->forget(arena, i);
    plx_socket_close(arena->connections[i].descriptor);
    plx_report(arena, i, PLX_ARRIVAL_CLOSED, 0);
    end(arena, i);
}

static void finish_release(plx_arena *arena, uint32_t i)
{
    plx_connection *c = &arena->connections[i];
    arena->transport->forget(arena, i);
    plx_socket_set_blocking(c->descriptor, true);
    plx_arrival *arrival = plx_report(arena, i, PLX_ARRIVAL_RELEASED, c->descriptor);
    if (c->unread != NULL) {
        arrival->address = (uintptr_t)c->unread->bytes;
        arrival->length = c->unread->length;
        c->unread->next = arena->released;
        arena->released = c->unread;
        c->unread = NULL;
    }
    end(arena, i);
}

static void stop(plx_arena *arena, uint32_t i)
{
    plx_connection *c = &arena->connections[i];
    if ((c->flags & (PLX_RECEIVING | PLX_STOPPING)) != PLX_RECEIVING)
        return;
    c->flags |= PLX_STOPPING;
    arena->transport->stop(arena, i);
}

static void receive(plx_arena *arena, uint32_t i)
{
    plx_connection *c = &arena->connections[i];
    c->flags |= PLX_RECEIVING;
    int code = arena->transport->receive(arena, i);
    if (code < 0)
        plx_ended(arena, i, -code);
}

static void settle_listener(plx_arena *arena, uint32_t i)
{
    plx_connection *c = &arena->connections[i];
    if (!(c->flags & (PLX_PAUSED | PLX_CLOSING | PLX_RELEASING)) && !is_full(arena)) {
        if (!(c->flags & PLX_RECEIVING))
            receive(arena, i);
    } else if (c->flags & PLX_RECEIVING) {
        stop(arena, i);
    } else if (c->flags & PLX_CLOSING) {
        finish_close(arena, i);
    } else if (c->flags & PLX_RELEASING) {
        finish_release(arena, i);
    }
}

static void settle_listeners(plx_arena *arena)
{
    for (uint32_t i = arena->listeners, next; i != PLX_NONE; i = next) {
        next = arena->connections[i].next;
        plx_settle(arena, i);
    }
}

static void queue(plx_arena *arena, uint32_t i)
{
    plx_connection *c = &arena->connections[i];
    if (!(c->flags & PLX_QUEUED))
        arena->again[arena->again_count++] = i;
    c->flags |= PLX_QUEUED;
}

/* Nothing is reported as data while the caller or the peer is not ready for more. */
static bool is_blocked(const plx_connection *c)
{
    return (c->flags & PLX_PAUSED) || c->first != NULL;
}

void plx_settle(plx_arena *arena, uint32_t i)
{
    plx_connection *c = &arena->connections[i];
    int code;
    if (c->flags & PLX_LISTENING) {
        settle_listener(arena, i);
        return;
    }
    if (c->flags & PLX_SENDING) { /* has no say in what is reported */
        if ((c->flags & (PLX_UNDELIVERED | PLX_END_DUE)) && !(c->flags & (PLX_CLOSING | PLX_RELEASING)) &&
            !is_blocked(c))
            queue(arena, i);
        return;
    }
    if (c->flags & PLX_FLUSHING)
        return;
    if (c->first != NULL) {
        c->flags |= PLX_FLUSHING;
        if ((code = arena->transport->flush(arena, i)) < 0)
            plx_flushed(arena, i, 0, -code);
        return;
    }
    if (c->flags & PLX_SHUTTING)
        plx_socket_shutdown(c->descriptor, false);
    c->flags &= ~(uint32_t)(PLX_SHUTTING | PLX_OVER_LIMIT);
    if (c->flags & (PLX_CLOSING | PLX_RELEASING)) {
        if (c->flags & PLX_RECEIVING)
            stop(arena, i);
        else if (c->flags & PLX_CLOSING)
            finish_close(arena, i);
        else
            finish_release(arena, i);
    } else if (c->flags & PLX_PAUSED) {
        return;
    } else if (c->flags & (PLX_UNDELIVERED | PLX_END_DUE)) {
        queue(arena, i);
    } else if (!(c->flags & (PLX_RECEIVING | PLX_ENDED))) {
        receive(arena, i);
    }
}

void plx_fail_send(plx_arena *arena, uint32_t i, int code)
{
    plx_connection *c = &arena->connections[i];
    c->flags |= PLX_UNSENDABLE;
    plx_unsent_clear(c, c->flags & PLX_FLUSHING);
    plx_report_error(arena, i, code);
}

void plx_check_pending(plx_arena *arena, uint32_t i)
{
    plx_connection *c = &arena->connections[i];
    if (c->pending > arena->sizes.pending_limit && !(c->flags & (PLX_OVER_LIMIT | PLX_CLOSING | PLX_RELEASING))) {
        c->flags |= PLX_OVER_LIMIT;
        plx_report(arena, i, PLX_ARRIVAL_UNSENT, c->pending);
    }
}

static void welcome(plx_arena *arena, uint64_t listener, uint32_t i)
{
    plx_report(arena, i, PLX_ARRIVAL_ACCEPTED, (int64_t)listener);
    int code = arena->transport->adopt(arena, i);
    if (code < 0)
        plx_ended(arena, i, -code);
    else
        receive(arena, i);
}

static void park(plx_arena *arena, uint64_t listener, intptr_t descriptor)
{
    if (arena->parked_count == arena->parked_room) {
        uint32_t room = arena->parked_room * 2 + 16;
        plx_parked *bigger = realloc(arena->parked, room * sizeof *bigger);
        if (bigger == NULL) {
            plx_socket_close(descriptor);
            return;
        }
        arena->parked = bigger;
        arena->parked_room = room;
    }
    arena->parked[arena->parked_count++] = (plx_parked){ descriptor, listener };
}

void plx_accepted(plx_arena *arena, uint32_t listener, intptr_t descriptor)
{
    uint64_t name = plx_name_of(arena, listener);
    uint32_t i = arena->parked_count == 0 ? plx_begin(arena, descriptor, 0) : PLX_NONE;
    if (i == PLX_NONE)
        park(arena, name, descriptor);
    else
        welcome(arena, name, i);
    if (is_full(arena))
        settle_listeners(arena);
}

/* Reports bytes behind those that were reported in this turn, or kept before it. False: there is no room. */
static bool join(plx_arena *arena, uint32_t i, const char *bytes, uint32_t length)
{
    plx_connection *c = &arena->connections[i];
    plx_arrival *data = reported(arena, i, c->data, PLX_ARRIVAL_DATA);
    uint32_t have = data != NULL ? data->length : plx_unread_length(c);
    char *end = arena->joins + arena->join_used;
    const char *before = data != NULL ? (const char *)(uintptr_t)data->address : c->unread->bytes;
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
        plx_report_error(arena, i, -code);
        c->flags |= PLX_PAUSED;
        if (c->flags & PLX_RELEASING) /* not without these bytes */
            c->flags ^= PLX_RELEASING | PLX_CLOSING;
    }
    if (c->flags & (PLX_RELEASING | PLX_CLOSING))
        return;
    c->flags |= PLX_UNDELIVERED;
    if (is_blocked(c))
        stop(arena, i);
    else
        queue(arena, i);
}

bool plx_received(plx_arena *arena, uint32_t i, char *bytes, uint32_t length)
{
    plx_connection *c = &arena->connections[i];
    arena->counts.receives++;
    if (c->flags & PLX_CLOSING)
        return false;
    if ((c->flags & (PLX_RELEASING | PLX_UNDELIVERED)) || is_blocked(c)) {
        keep_unread(arena, i, bytes, length);
        return false;
    }
    if (c->unread == NULL && reported(arena, i, c->data, PLX_ARRIVAL_DATA) == NULL) {
        report_data(arena, i, bytes, length);
        return true;
    }
    if (!join(arena, i, bytes, length))
        keep_unread(arena, i, bytes, length);
    return false;
}

static void accept_failed(plx_arena *arena, uint32_t i, int code)
{
    plx_connection *c = &arena->connections[i];
    if (!(c->flags & (PLX_CLOSING | PLX_RELEASING)))
        plx_report(arena, i, PLX_ARRIVAL_ERROR, code);
    c->flags |= PLX_PAUSED;
}

void plx_ended(plx_arena *arena, uint32_t i, int code)
{
    plx_connection *c = &arena->connections[i];
    c->flags &= ~(uint32_t)(PLX_RECEIVING | PLX_STOPPING);
    if (c->flags & PLX_LISTENING) {
        accept_failed(arena, i, code);
    } else {
        c->flags |= PLX_ENDED;
        if (code != 0)
            plx_report_error(arena, i, code);
        else if ((c->flags & (PLX_UNDELIVERED | PLX_CLOSING | PLX_RELEASING)) || is_blocked(c))
            c->flags |= PLX_END_DUE;
        else if (!(c->flags & PLX_REPORTED))
            plx_report(arena, i, PLX_ARRIVAL_END, 0);
    }
    plx_settle(arena, i);
}

void plx_stopped(plx_arena *arena, uint32_t i)
{
    arena->connections[i].flags &= ~(uint32_t)(PLX_RECEIVING | PLX_STOPPING);
    plx_settle(arena, i);
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
    arena->counts.short_sends++;
    if (code == 0 && !(c->flags & PLX_UNSENDABLE))
        code = -keep_rest(arena, c, send, sent);
    else
        send->notify = 0;
    if (code != 0)
        plx_fail_send(arena, i, code);
    plx_check_pending(arena, i);
}

void plx_flushed(plx_arena *arena, uint32_t i, size_t sent, int code)
{
    plx_connection *c = &arena->connections[i];
    c->flags &= ~(uint32_t)PLX_FLUSHING;
    plx_report_sent(arena, i, plx_unsent_drop(c, sent));
    if (code != 0 || (c->flags & PLX_UNSENDABLE))
        plx_fail_send(arena, i, code);
    plx_settle(arena, i);
}

void plx_woken(plx_arena *arena)
{
    if (atomic_exchange(&arena->woken, 0) != 0)
        arena->arrivals[arena->arrived++] = (plx_arrival){ .what = PLX_ARRIVAL_WAKEUP };
}

static void accept_parked(plx_arena *arena)
{
    uint32_t taken = 0, i;
    while (taken < arena->parked_count && (i = plx_begin(arena, arena->parked[taken].descriptor, 0)) != PLX_NONE)
        welcome(arena, arena->parked[taken++].listener, i);
    arena->parked_count -= taken;
    memmove(arena->parked, arena->parked + taken, arena->parked_count * sizeof *arena->parked);
}

void plx_recycle(plx_arena *arena)
{
    bool was_full = is_full(arena);
    while (arena->ended != PLX_NONE) {
        plx_connection *c = &arena->connections[arena->ended];
        uint32_t next = c->next;
        c->next = arena->free;
        arena->free = arena->ended;
        arena->ended = next;
    }
    while (arena->released != NULL) {
        plx_unread *next = arena->released->next;
        free(arena->released);
        arena->released = next;
    }
    if (arena->parked_count > 0)
        accept_parked(arena);
    if (was_full && !is_full(arena))
        settle_listeners(arena);
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
    memcpy(arena->joins + start, c->unread->bytes, length);
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
        if ((c->flags & (PLX_CLOSING | PLX_RELEASING)) || is_blocked(c))
            continue;
        if ((c->flags & PLX_UNDELIVERED) && !deliver(arena, i)) {
            queue(arena, i);
            continue;
        }
        if ((c->flags & PLX_END_DUE) && !(c->flags & PLX_UNDELIVERED)) {
            c->flags &= ~(uint32_t)PLX_END_DUE;
            if (!(c->flags & PLX_REPORTED))
                plx_report(arena, i, PLX_ARRIVAL_END, 0);
        }
        plx_settle(arena, i);
    }
}
