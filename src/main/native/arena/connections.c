/* SPDX-License-Identifier: Apache-2.0
 *
 * connections.c: the life of a connection.
 *
 * - Pausing is lazy: who pauses a connection for a moment, to reply later, pays nothing for it. Only data that comes
 *   meanwhile has the transport stop; it is kept.
 * - The number of a connection that ended is not used again before the next turn: the arrivals of one never tell of
 *   two connections under one number.
 */
#include "arena/connections.h"

#include "arena/sockets.h"

#include <stdlib.h>
#include <string.h>

enum { LAST_GENERATION = 0xffffff };

/* Takes a place for one connection: false if there is none. Any thread, so nothing is taken that has to be put back:
 * the arena could see that it is full meanwhile, and stop accepting. */
static bool take_place(plx_arena *arena)
{
    int places = atomic_load(&arena->places);
    while (places > 0 && !atomic_compare_exchange_weak(&arena->places, &places, places - 1))
        continue;
    return places > 0;
}

int plx_arena_reserve(plx_arena *arena)
{
    return take_place(arena) ? 0 : -PLX_NO_ROOM;
}

void plx_arena_unreserve(plx_arena *arena)
{
    atomic_fetch_add(&arena->places, 1);
}

uint32_t plx_begin(plx_arena *arena, intptr_t descriptor, uint32_t flags)
{
    return take_place(arena) ? plx_begin_reserved(arena, descriptor, flags) : PLX_NONE;
}

uint32_t plx_begin_reserved(plx_arena *arena, intptr_t descriptor, uint32_t flags)
{
    uint32_t i = arena->free;
    if (i != PLX_NONE)
        arena->free = arena->connections[i].next;
    else
        i = arena->fresh++;
    plx_connection *c = &arena->connections[i];
    *c = (plx_connection){ .descriptor = descriptor,
                           .generation = c->generation % LAST_GENERATION + 1,
                           .flags = PLX_IN_USE | flags,
                           .next = PLX_NONE };
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
    atomic_fetch_add(&arena->places, 1);
}

/* Whether to accept nothing until plx_recycle finds a place. */
static bool is_full(plx_arena *arena)
{
    arena->was_full |= atomic_load(&arena->places) == 0;
    return arena->was_full;
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
    if (arena->connections[i].flags & PLX_CUT)
        (void)plx_socket_reset(arena->connections[i].descriptor);
    plx_socket_close(arena->connections[i].descriptor);
    plx_arena_emit(arena, i, PLX_ARRIVAL_CLOSED, 0);
    end(arena, i);
}

static void finish_release(plx_arena *arena, uint32_t i)
{
    plx_connection *c = &arena->connections[i];
    plx_socket_set_blocking(c->descriptor, true);
    plx_arrival *arrival = plx_arena_emit(arena, i, PLX_ARRIVAL_RELEASED, c->descriptor);
    if (c->unread != NULL) {
        arrival->address = (uintptr_t)plx_unread_bytes(c);
        arrival->length = c->unread->length;
        c->unread->next = arena->released;
        arena->released = c->unread;
        c->unread = NULL;
    }
    end(arena, i);
}

void plx_stop(plx_arena *arena, uint32_t i)
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

int plx_begin_receiving(plx_arena *arena, uint32_t i)
{
    plx_connection *c = &arena->connections[i];
    if (c->flags & PLX_LISTENING ? is_full(arena) : (c->flags & PLX_UNDELIVERED) != 0)
        return 0;
    c->flags |= PLX_RECEIVING;
    return arena->transport->receive(arena, i);
}

int plx_begin_connecting(plx_arena *arena, uint32_t i)
{
    plx_connection *c = &arena->connections[i];
    const plx_order nothing = { .what = PLX_ORDER_SEND | PLX_ORDER_RESIDENT };
    int code = plx_unsent_append(c, &nothing, 0);
    c->flags |= PLX_FLUSHING;
    if (code == 0)
        code = arena->transport->flush(arena, i);
    if (code < 0)
        plx_unsent_clear(c, false);
    return code;
}

/* Closes or releases it, when nothing is received any more. */
static void leave(plx_arena *arena, uint32_t i)
{
    if (arena->connections[i].flags & PLX_RECEIVING) {
        plx_stop(arena, i);
        return;
    }
    if (arena->transport->forget != NULL)
        arena->transport->forget(arena, i);
    if (arena->connections[i].flags & PLX_CLOSING)
        finish_close(arena, i);
    else
        finish_release(arena, i);
}

static void settle_listener(plx_arena *arena, uint32_t i)
{
    uint32_t flags = arena->connections[i].flags;
    if (flags & (PLX_CLOSING | PLX_RELEASING))
        leave(arena, i);
    else if ((flags & PLX_PAUSED) || is_full(arena))
        plx_stop(arena, i);
    else if (!(flags & PLX_RECEIVING))
        receive(arena, i);
}

static void settle_listeners(plx_arena *arena)
{
    for (uint32_t i = arena->listeners, next; i != PLX_NONE; i = next) {
        next = arena->connections[i].next;
        plx_settle(arena, i);
    }
}

/* Reports what may be reported, or else receives. */
static void settle_receiving(plx_arena *arena, uint32_t i)
{
    plx_connection *c = &arena->connections[i];
    c->flags &= ~(uint32_t)PLX_PATIENT;
    if (c->flags & PLX_PAUSED)
        return;
    if (c->flags & (PLX_UNDELIVERED | PLX_END_DUE))
        plx_queue(arena, i);
    else if (!(c->flags & (PLX_RECEIVING | PLX_ENDED)))
        receive(arena, i);
}

/* Has the first unsent piece sent, if it is not. */
static void settle_sending(plx_arena *arena, uint32_t i)
{
    plx_connection *c = &arena->connections[i];
    if (!(c->flags & PLX_FLUSHING)) {
        c->flags |= PLX_FLUSHING;
        int code = arena->transport->flush(arena, i);
        if (code < 0) {
            plx_flushed(arena, i, 0, -code);
            return;
        }
    }
    if ((c->flags & (PLX_DUPLEX | PLX_CONNECTING | PLX_CLOSING | PLX_RELEASING)) == PLX_DUPLEX)
        settle_receiving(arena, i);
}

void plx_settle(plx_arena *arena, uint32_t i)
{
    plx_connection *c = &arena->connections[i];
    if (c->flags & PLX_LISTENING) {
        settle_listener(arena, i);
        return;
    }
    if (c->flags & PLX_SENDING) { /* has no say in what is reported */
        arena->has_followers |= (c->flags & (PLX_SHUTTING | PLX_CLOSING | PLX_RELEASING | PLX_PATIENT)) != 0;
        if ((c->flags & (PLX_UNDELIVERED | PLX_END_DUE)) && !(c->flags & (PLX_CLOSING | PLX_RELEASING | PLX_PATIENT)) &&
            !plx_is_blocked(c))
            plx_queue(arena, i);
        return;
    }
    if (c->first != NULL) {
        settle_sending(arena, i);
        return;
    }
    if (c->flags & PLX_SHUTTING)
        plx_socket_shutdown(c->descriptor, false);
    c->flags &= ~(uint32_t)(PLX_SHUTTING | PLX_OVER_LIMIT);
    if (c->flags & (PLX_CLOSING | PLX_RELEASING))
        leave(arena, i);
    else
        settle_receiving(arena, i);
}

static void welcome(plx_arena *arena, uint64_t listener, uint32_t i)
{
    plx_arena_emit(arena, i, PLX_ARRIVAL_ACCEPTED, (int64_t)listener);
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

static void accept_failed(plx_arena *arena, uint32_t i, int code)
{
    plx_connection *c = &arena->connections[i];
    c->flags |= PLX_PAUSED;
    if ((c->flags & (PLX_CLOSING | PLX_RELEASING)) ||
        plx_arena_find_emitted(arena, i, c->data, PLX_ARRIVAL_ERROR) != NULL)
        return; /* there is room for one in a turn, however often it is resumed */
    c->data = arena->arrived;
    plx_arena_emit(arena, i, PLX_ARRIVAL_ERROR, code);
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
            plx_arena_emit_error(arena, i, code);
        else if ((c->flags & (PLX_UNDELIVERED | PLX_CLOSING | PLX_RELEASING)) || plx_is_blocked(c) ||
                 plx_arena_find_emitted(arena, i, c->data, PLX_ARRIVAL_DATA) != NULL)
            c->flags |= PLX_END_DUE;
        else if (!(c->flags & PLX_REPORTED))
            plx_arena_emit(arena, i, PLX_ARRIVAL_END, 0);
    }
    plx_settle(arena, i);
}

static void connect_ended(plx_arena *arena, uint32_t i, int code)
{
    plx_connection *c = &arena->connections[i];
    c->flags &= ~(uint32_t)PLX_CONNECTING;
    if (code != 0)
        c->flags |= PLX_ENDED;
    else if (!(c->flags & PLX_UNSENDABLE))
        plx_arena_emit(arena, i, PLX_ARRIVAL_CONNECTED, 0);
}

void plx_flushed(plx_arena *arena, uint32_t i, size_t sent, int code)
{
    plx_connection *c = &arena->connections[i];
    c->flags &= ~(uint32_t)PLX_FLUSHING;
    if (c->flags & PLX_CONNECTING)
        connect_ended(arena, i, code);
    arena->counts->sent_bytes += sent;
    plx_arena_emit_sent(arena, i, plx_unsent_drop(c, sent));
    if (code != 0 || (c->flags & PLX_UNSENDABLE))
        plx_fail_send(arena, i, code);
    plx_settle(arena, i);
}

void plx_sends_done(plx_arena *arena)
{
    plx_place_fence(arena);
    for (uint32_t s = 0; s < arena->send_count; s++) {
        const plx_send *send = &arena->sends[s];
        plx_connection *c = &arena->connections[send->connection];
        c->flags &= ~(uint32_t)PLX_SENDING;
        arena->counts->sent_bytes += send->bytes;
        if (send->notify > 0)
            plx_arena_emit_sent(arena, send->connection, send->notify);
        if ((c->flags & ~(uint32_t)PLX_DUPLEX) != (PLX_IN_USE | PLX_RECEIVING) || c->first != NULL)
            plx_settle(arena, send->connection);
    }
    arena->send_count = 0;
    plx_check_fence(arena);
}

void plx_stopped(plx_arena *arena, uint32_t i)
{
    arena->connections[i].flags &= ~(uint32_t)(PLX_RECEIVING | PLX_STOPPING);
    plx_settle(arena, i);
}

static void accept_parked(plx_arena *arena)
{
    uint32_t taken = 0, i;
    while (taken < arena->parked_count && (i = plx_begin(arena, arena->parked[taken].descriptor, 0)) != PLX_NONE)
        welcome(arena, arena->parked[taken++].listener, i);
    arena->parked_count -= taken;
    memmove(arena->parked, arena->parked + taken, arena->parked_count * sizeof *arena->parked);
}

void plx_free_released(plx_arena *arena)
{
    while (arena->released != NULL) {
        plx_unread *next = arena->released->next;
        free(arena->released);
        arena->released = next;
    }
}

void plx_recycle(plx_arena *arena)
{
    while (arena->ended != PLX_NONE) {
        plx_connection *c = &arena->connections[arena->ended];
        uint32_t next = c->next;
        c->next = arena->free;
        arena->free = arena->ended;
        arena->ended = next;
        atomic_fetch_add(&arena->places, 1);
    }
    plx_free_released(arena);
    if (arena->parked_count > 0)
        accept_parked(arena);
    if (arena->was_full && atomic_load(&arena->places) > 0) {
        arena->was_full = false;
        settle_listeners(arena);
    }
}
