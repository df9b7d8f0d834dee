/* SPDX-License-Identifier: Apache-2.0
 *
 * readiness.c: the transport over any set of pollux.h: a turn sends what is to be sent, waits for readiness, and reads
 * what is ready, by plain system calls.
 *
 * - Received bytes lie close together, whatever a buffer's size is: each receive is given a buffer's room, and the next
 *   one begins behind what came. The memory is that of the last turn, whose replies have been sent by then.
 * - A descriptor that is watched for nothing would still report errors and hangups, again and again, so it leaves the
 *   set.
 */
#include "arena/connections.h"
#include "arena/sockets.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAX_EVENTS = 1024, MAX_ACCEPTS = 64, MAX_RECEIVES = 16, CACHE_LINE = 64 };

#ifdef _WIN32
static const bool needs_mode = true;
#else
static const bool needs_mode = false; /* MSG_DONTWAIT */
#endif

typedef struct {
    plx_set *set;
    uint32_t used; /* bytes of arena->buffers in this turn */
    int max_events;
    plx_event events[];
} readiness;

static int readiness_open(plx_arena *arena, const char *name)
{
    int max_events = arena->sizes.buffers < MAX_EVENTS ? (int)arena->sizes.buffers : MAX_EVENTS;
    readiness *io = calloc(1, sizeof *io + (size_t)max_events * sizeof *io->events);
    char why_not[sizeof arena->features / 2];
    if (io == NULL)
        return -PLX_NO_MEMORY;
    io->max_events = max_events;
    int code = plx_open(name, &io->set);
    if (code < 0) {
        free(io);
        return code;
    }
    arena->io = io;
    arena->name = plx_name(io->set);
    snprintf(why_not, sizeof why_not, "%.*s", (int)sizeof why_not - 1, arena->features);
    snprintf(arena->features, sizeof arena->features, "%s: %s%s%s", arena->name, plx_features(io->set),
             *why_not ? "; no io_uring: " : "", why_not);
    return 0;
}

static void readiness_close(plx_arena *arena)
{
    readiness *io = arena->io;
    plx_close(io->set);
    free(io);
}

static int readiness_adopt(plx_arena *arena, uint32_t i)
{
    const plx_connection *c = &arena->connections[i];
    plx_socket_quiet(c->descriptor);
    return needs_mode || (c->flags & PLX_LISTENING) ? plx_socket_set_blocking(c->descriptor, false) : 0;
}

/* Has the set watch the connection for what it does: 0 or -code. */
static int watch(plx_arena *arena, uint32_t i)
{
    plx_set *set = ((readiness *)arena->io)->set;
    plx_connection *c = &arena->connections[i];
    uint32_t have = c->flags & (PLX_POLLED_IN | PLX_POLLED_OUT), want = 0, events = 0;
    uint64_t cookie = plx_name_of(arena, i);
    int code;
    if (c->flags & PLX_RECEIVING)
        want |= PLX_POLLED_IN, events |= PLX_IN;
    if (c->flags & PLX_FLUSHING)
        want |= PLX_POLLED_OUT, events |= PLX_OUT;
    if (want == have)
        return 0;
    if (want == 0)
        code = plx_remove(set, c->descriptor);
    else
        code = have == 0 ? plx_add(set, c->descriptor, events, cookie) : plx_modify(set, c->descriptor, events, cookie);
    arena->counts->system_calls++;
    arena->counts->changes++;
    if (code == 0)
        c->flags = (c->flags & ~have) | want;
    return code;
}

static void end_receiving(plx_arena *arena, uint32_t i)
{
    arena->connections[i].flags &= ~(uint32_t)PLX_RECEIVING;
    (void)watch(arena, i); /* what is refused is tried again when an event comes */
}

static void readiness_stop(plx_arena *arena, uint32_t i)
{
    end_receiving(arena, i);
    plx_stopped(arena, i);
}

/* It was to wait for readiness, no more. */
static bool readiness_end_flush(plx_arena *arena, uint32_t i)
{
    (void)arena, (void)i;
    return false;
}

static void readiness_forget(plx_arena *arena, uint32_t i)
{
    plx_connection *c = &arena->connections[i];
    c->flags &= ~(uint32_t)(PLX_RECEIVING | PLX_FLUSHING);
    (void)watch(arena, i);
}

static void send_all(plx_arena *arena)
{
    for (uint32_t s = 0; s < arena->send_count; s++) {
        const plx_send *send = &arena->sends[s];
        size_t bytes;
        uint32_t count = plx_slices_of(arena, send, &bytes);
        int64_t sent =
            plx_socket_send(arena->connections[send->connection].descriptor, &arena->slices[send->first], count);
        arena->counts->system_calls++;
        if (sent < 0)
            plx_sent_short(arena, send->connection, 0, plx_socket_would_block(sent) ? 0 : (int)-sent);
        else if ((size_t)sent < bytes)
            plx_sent_short(arena, send->connection, (size_t)sent, 0);
    }
}

static void accept_some(plx_arena *arena, uint32_t i)
{
    for (int n = 0; n < MAX_ACCEPTS && (arena->connections[i].flags & PLX_RECEIVING); n++) {
        intptr_t result = plx_socket_accept(arena->connections[i].descriptor);
        arena->counts->system_calls++;
        if (result >= 0) {
            plx_accepted(arena, i, result);
        } else if (plx_socket_would_block(result)) {
            return;
        } else if (!plx_socket_accept_again(result)) {
            end_receiving(arena, i);
            plx_ended(arena, i, (int)-result);
        }
    }
}

/* Sends of the first piece what the socket takes, or tells what became of connecting it. */
static int64_t flush_once(plx_arena *arena, const plx_connection *c)
{
    plx_slice slice = { c->first->at, c->first->left };
    arena->counts->system_calls++;
    return c->flags & PLX_CONNECTING ? plx_socket_connected(c->descriptor) : plx_socket_send(c->descriptor, &slice, 1);
}

/* Sends pieces until there are no more or the socket takes no more. */
static void flush_some(plx_arena *arena, uint32_t i)
{
    plx_connection *c = &arena->connections[i];
    uint64_t name = plx_name_of(arena, i);
    while (plx_find(arena, name) != PLX_NONE && (c->flags & PLX_FLUSHING)) {
        int64_t sent = flush_once(arena, c);
        if (plx_socket_would_block(sent))
            return;
        plx_flushed(arena, i, sent > 0 ? (size_t)sent : 0, sent < 0 ? (int)-sent : 0);
    }
    if (plx_find(arena, name) != PLX_NONE)
        (void)watch(arena, i);
}

/* Reads as long as a receive fills its room: a large message is one arrival. */
static void receive_some(plx_arena *arena, uint32_t i)
{
    readiness *io = arena->io;
    plx_connection *c = &arena->connections[i];
    uint32_t room = arena->sizes.buffer_size, end = arena->sizes.buffers * room;
    for (int n = 0; n < MAX_RECEIVES && (c->flags & PLX_RECEIVING) && end - io->used >= room; n++) {
        char *to = arena->buffers + io->used;
        int64_t length = plx_socket_receive(c->descriptor, to, room);
        arena->counts->system_calls++;
        if (plx_socket_would_block(length))
            return;
        if (length <= 0) {
            end_receiving(arena, i);
            plx_ended(arena, i, (int)-length);
            return;
        }
        if (plx_received(arena, i, to, (uint32_t)length))
            io->used += ((uint32_t)length + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
        if (length < room)
            return;
    }
}

static void handle(plx_arena *arena, const plx_event *event)
{
    uint32_t i = plx_find(arena, event->cookie);
    if (event->events & PLX_WAKEUP) {
        plx_woken(arena);
        return;
    }
    if (i == PLX_NONE)
        return;
    plx_connection *c = &arena->connections[i];
    if (event->events & (PLX_FAILED | PLX_NVAL)) {
        c->flags &= ~(uint32_t)(PLX_POLLED_IN | PLX_POLLED_OUT);
        end_receiving(arena, i);
        if (c->flags & PLX_FLUSHING)
            plx_flushed(arena, i, 0, event->error);
        if (plx_find(arena, event->cookie) != PLX_NONE)
            plx_ended(arena, i, event->error);
    } else if (c->flags & PLX_LISTENING) {
        accept_some(arena, i);
    } else {
        if ((c->flags & PLX_FLUSHING) && (event->events & (uint32_t)~PLX_IN))
            flush_some(arena, i);
        if (plx_find(arena, event->cookie) == PLX_NONE)
            return;
        if ((c->flags & PLX_RECEIVING) && (event->events & (uint32_t)~PLX_OUT))
            receive_some(arena, i);
        if (plx_find(arena, event->cookie) != PLX_NONE)
            (void)watch(arena, i);
    }
}

static int readiness_turn(plx_arena *arena, int64_t ns)
{
    readiness *io = arena->io;
    send_all(arena);
    plx_sends_done(arena);
    io->used = 0;
    bool waits = ns != 0 && arena->arrived == 0 && arena->again_count == 0;
    if (waits)
        plx_wait_begins(arena);
    int n = plx_await(io->set, io->events, io->max_events, waits ? ns : 0);
    if (waits)
        plx_wait_ends(arena, 0);
    arena->counts->system_calls++;
    for (int k = 0; k < n; k++)
        handle(arena, &io->events[k]);
    return n < 0 ? n : 0;
}

static int readiness_wakeup(plx_arena *arena)
{
    return plx_wakeup(((readiness *)arena->io)->set);
}

const plx_transport plx_readiness = {
    .open = readiness_open,
    .adopt = readiness_adopt,
    .receive = watch,
    .stop = readiness_stop,
    .flush = watch,
    .end_flush = readiness_end_flush,
    .forget = readiness_forget,
    .turn = readiness_turn,
    .wakeup = readiness_wakeup,
    .close = readiness_close,
};
