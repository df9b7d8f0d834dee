/* SPDX-License-Identifier: Apache-2.0
 *
 * arena.c: the calls of arena.h: memory, what an order means, a turn. connections.c has the life of a connection,
 * delivery.c received bytes on their way to the caller, replies.c what could not be sent at once, arrivals.c what the
 * caller is told, bytes.c both kinds of bytes that wait. A transport moves the bytes (transport.h): uring.c, with the
 * files whose names begin like its own, or readiness.c over any set of pollux.h.
 *
 * 1. carry_out_all does what the caller ordered. Sends of one connection that follow each other become one.
 * 2. plx_deliver reports what was kept and may be reported now.
 * 3. The transport makes the sends, waits, and receives. It says so to the functions at the end of transport.h, and
 *    tells the time of a wait by plx_wait_begins and plx_wait_ends.
 *
 * What must stay true:
 *
 * - plx_settle alone decides what happens to a connection next. All code that changes a flag calls it. While something
 *   is under way whose end will be reported, it leaves the connection alone, and the report calls it again.
 * - A turn has at most one arrival of each kind for a connection: there is room for no more.
 * - All code that drops bytes that were to be sent sets PLX_CUT, so that the connection ends with a reset.
 * - On io_uring nothing is submitted while completions are read. It is noted, and submitted at the top of a turn.
 * - Receive buffers go back before a turn waits, except those that a reply is sent from. If these are more than half,
 *   the replies go out first, by a call of their own.
 */
#include "arena.h"

#include "arena/connections.h"
#include "system/clock.h"
#include "arena/sockets.h"
#include "system/queues.h"

#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

enum {
    CONNECTIONS = 1024,
    BUFFERS = 256,
    BUFFER_SIZE = 4096,
    REQUEST_LIMIT = 65536,
    PENDING_LIMIT = 1 << 20,
    SPACE = 1 << 18,
    COMPLETIONS = 4096,
    MAX_CONNECTIONS = 1 << 22,
    MAX_BUFFERS = 32768,
    LARGEST_BUFFER = 1 << 20,
    LARGEST_LIMIT = 1 << 29,
    KINDS_OF_ARRIVALS = 7, /* that one connection may have in one turn: it is either accepted or connected, and ends
                              either closed or released */
    MORE_ORDERS = 4096,
    PAGE = 4096
};

_Static_assert(sizeof(plx_arrival) == 32 && sizeof(plx_order) == 24 && sizeof(plx_connection) <= 64,
               "the same on every target, and small");

#ifdef PLX_HAVE_URING
#define URING(EACH) EACH(plx_uring, "io_uring")
#else
#define URING(EACH)
#endif
#define LISTED(variable, name) "," name

static const char names[] = URING(LISTED) PLX_MECHANISMS(LISTED);

const char *plx_arena_mechanisms(void)
{
    return names + 1;
}

static uint32_t or_default(uint32_t chosen, uint32_t by_default)
{
    return chosen != 0 ? chosen : by_default;
}

static int choose_sizes(plx_arena_sizes *s, const plx_arena_sizes *wanted)
{
    if (wanted != NULL)
        *s = *wanted;
    s->connections = or_default(s->connections, CONNECTIONS);
    s->buffers = or_default(s->buffers, BUFFERS);
    s->buffer_size = or_default(s->buffer_size, BUFFER_SIZE);
    s->request_limit = or_default(s->request_limit, REQUEST_LIMIT);
    s->pending_limit = or_default(s->pending_limit, PENDING_LIMIT);
    s->space = or_default(s->space, SPACE);
    s->completions = or_default(s->completions, COMPLETIONS);
    if (s->connections > MAX_CONNECTIONS || s->buffers > MAX_BUFFERS || (s->buffers & (s->buffers - 1)) != 0 ||
        s->buffer_size > LARGEST_BUFFER || s->request_limit > LARGEST_LIMIT || s->pending_limit > INT32_MAX ||
        s->space > LARGEST_LIMIT || s->completions > MAX_BUFFERS || (s->completions & (s->completions - 1)) != 0)
        return -PLX_BAD_ARGUMENT;
    return 0;
}

static uint64_t in_pages(uint64_t size)
{
    return (size + PAGE - 1) / PAGE * PAGE;
}

/* The block that is shared with the caller: what steers the arena, and behind it, from the room for replies on, bytes
 * of connections. Its pages cost nothing before they are used. */
static int make_memory(plx_arena *arena)
{
    const plx_arena_sizes *s = &arena->sizes;
    plx_arena_view *v = &arena->view;
    v->max_arrivals = s->connections * KINDS_OF_ARRIVALS + 2;
    v->max_orders = 2 * v->max_arrivals + MORE_ORDERS;
    v->space_size = s->space;
    uint64_t received = (uint64_t)s->buffers * s->buffer_size;
    uint64_t counts = in_pages(sizeof(plx_arena_counts));
    uint64_t arrivals = in_pages(v->max_arrivals * (uint64_t)sizeof(plx_arrival));
    uint64_t orders = in_pages(v->max_orders * (uint64_t)sizeof(plx_order));
    uint64_t half = in_pages(s->request_limit + received / 2 + s->buffer_size);
    uint64_t buffers = in_pages(received), space = in_pages(s->space);
    uint64_t size = counts + arrivals + orders + space + buffers + 2 * half;
    if (size > INT32_MAX - PAGE) /* what one buffer of Java's can show */
        return -PLX_BAD_ARGUMENT;
    arena->block = calloc(1, (size_t)size + PAGE);
    if (arena->block == NULL)
        return -PLX_NO_MEMORY;
    char *at = (char *)(uintptr_t)in_pages((uintptr_t)arena->block);
    v->memory = at;
    v->memory_size = size;
    v->counts = arena->counts = (void *)at;
    v->arrivals = arena->arrivals = (void *)(at += counts);
    v->orders = (void *)(at += arrivals);
    v->space = at += orders;
    arena->buffers = at += space;
    arena->joins = at + buffers;
    arena->join_half = (uint32_t)half;
    return 0;
}

static int make_tables(plx_arena *arena)
{
    uint32_t connections = arena->sizes.connections;
    arena->connections = calloc(connections, sizeof *arena->connections);
    arena->again = calloc(2 * (size_t)connections, sizeof *arena->again);
    arena->sends = calloc(connections, sizeof *arena->sends);
    arena->slices = calloc(arena->view.max_orders, sizeof *arena->slices);
    arena->free = arena->ended = arena->listeners = PLX_NONE;
    atomic_init(&arena->places, (int)connections);
    bool complete = arena->connections != NULL && arena->again != NULL && arena->sends != NULL && arena->slices != NULL;
    return complete ? 0 : -PLX_NO_MEMORY;
}

/* Frees all but the block. */
static void free_tables(plx_arena *arena)
{
    plx_free_released(arena);
    free(arena->parked);
    free(arena->slices);
    free(arena->sends);
    free(arena->again);
    free(arena->connections);
    free(arena);
}

static int open_transport(plx_arena *arena, const char *mechanism)
{
#ifdef PLX_HAVE_URING
    if (mechanism == NULL || strcmp(mechanism, "io_uring") == 0) {
        arena->transport = &plx_uring;
        int code = plx_uring.open(arena, mechanism);
        if (code == 0 || mechanism != NULL)
            return code;
    }
#endif
    arena->transport = &plx_readiness;
    return plx_readiness.open(arena, mechanism);
}

int plx_arena_open(const char *mechanism, const plx_arena_sizes *sizes, plx_arena **result)
{
    *result = NULL;
    plx_arena *arena = calloc(1, sizeof *arena);
    if (arena == NULL)
        return -PLX_NO_MEMORY;
    int code = choose_sizes(&arena->sizes, sizes);
    if (code == 0)
        code = make_memory(arena);
    if (code == 0)
        code = make_tables(arena);
    if (code == 0)
        code = open_transport(arena, mechanism);
    atomic_init(&arena->state, -plx_now());
    if (code < 0) {
        free(arena->block);
        free_tables(arena);
    } else {
        *result = arena;
    }
    return code;
}

const char *plx_arena_strerror(const char *mechanism, int code, char *buffer, size_t size)
{
    const char *words = plx_strerror(code, buffer, size);
#ifdef PLX_HAVE_URING
    if (mechanism != NULL && strcmp(mechanism, "io_uring") == 0)
        return plx_uring_reason(code, words);
#endif
    (void)mechanism;
    return words;
}

const char *plx_arena_name(const plx_arena *arena)
{
    return arena->name;
}

const char *plx_arena_features(const plx_arena *arena)
{
    return arena->features;
}

void plx_arena_map(const plx_arena *arena, plx_arena_view *view)
{
    *view = arena->view;
}

void plx_arena_count(const plx_arena *arena, plx_arena_counts *counts)
{
    *counts = *arena->counts;
}

/* The connection's name, or -code and nothing was taken over; a place that was reserved is given back then. There is no
 * turn that could report a refusal, so this returns it. */
static int64_t adopt(plx_arena *arena, intptr_t descriptor, uint32_t flags, plx_unread *unread, bool is_reserved)
{
    int code = plx_socket_check(descriptor, (flags & PLX_LISTENING) != 0);
    if (code == 0 && !is_reserved)
        code = plx_arena_reserve(arena);
    else if (code < 0 && is_reserved)
        plx_arena_unreserve(arena);
    if (code < 0)
        return code;
    uint32_t i = plx_begin_reserved(arena, descriptor, flags);
    plx_socket_no_delay(descriptor);
    code = arena->transport->adopt(arena, i);
    if (code == 0)
        code = flags & PLX_CONNECTING ? plx_begin_connecting(arena, i) : plx_begin_receiving(arena, i);
    if (code < 0) {
        plx_begin_undo(arena, i);
        return code;
    }
    arena->connections[i].unread = unread;
    plx_settle(arena, i);
    return (int64_t)plx_name_of(arena, i);
}

int64_t plx_arena_listen(plx_arena *arena, intptr_t descriptor)
{
    return adopt(arena, descriptor, PLX_LISTENING, NULL, false);
}

int64_t plx_arena_connect(plx_arena *arena, intptr_t descriptor)
{
    return adopt(arena, descriptor, PLX_CONNECTING, NULL, false);
}

static int64_t adopt_received(plx_arena *arena, intptr_t descriptor, const void *bytes, size_t length, bool is_reserved)
{
    plx_connection received = { .unread = NULL };
    int64_t code = length <= INT32_MAX ? plx_unread_append(&received, bytes, (uint32_t)length) : -PLX_TOO_LONG;
    if (code == 0)
        code = adopt(arena, descriptor, length > 0 ? PLX_UNDELIVERED : 0, received.unread, is_reserved);
    else if (is_reserved)
        plx_arena_unreserve(arena);
    if (code < 0)
        free(received.unread);
    return code;
}

int64_t plx_arena_adopt(plx_arena *arena, intptr_t descriptor, const void *bytes, size_t length)
{
    return adopt_received(arena, descriptor, bytes, length, false);
}

int64_t plx_arena_adopt_reserved(plx_arena *arena, intptr_t descriptor, const void *bytes, size_t length)
{
    return adopt_received(arena, descriptor, bytes, length, true);
}

/* Sends an order after what the connection is sending or has unsent, and tells if that becomes too much. */
static void send_later(plx_arena *arena, uint32_t i, const plx_order *order)
{
    int code = plx_unsent_append(&arena->connections[i], order, 0);
    arena->has_followers |= (arena->connections[i].flags & PLX_SENDING) != 0;
    if (code < 0)
        plx_fail_send(arena, i, -code);
    plx_check_pending(arena, i);
}

/* Makes one send of this order and those for the same connection that follow it: their number. */
static uint32_t send_now(plx_arena *arena, uint32_t i, uint32_t first, uint32_t orders)
{
    plx_send send = { .connection = i, .first = first };
    const plx_order *order = &arena->view.orders[first];
    uint64_t end = ~order->address;
    for (uint32_t k = first, slices = 0; k < orders; k++, send.count++, order++) {
        slices += order->address != end; /* as plx_slices_of joins them */
        end = order->address + order->length;
        if (order->connection != arena->view.orders[first].connection || (order->what & 0xff) != PLX_ORDER_SEND ||
            slices > PLX_MAX_SLICES)
            break;
        send.notify += (order->what & PLX_ORDER_NOTIFY) != 0;
        send.bytes += order->length;
    }
    arena->connections[i].flags |= PLX_SENDING;
    arena->connections[i].send = arena->send_count;
    arena->sends[arena->send_count++] = send;
    arena->has_followers |= send.notify > 0;
    arena->counts->sends++;
    return send.count;
}

static void keep(plx_arena *arena, uint32_t i, const plx_order *order)
{
    plx_connection *c = &arena->connections[i];
    int code = plx_unread_prepend(c, (const void *)(uintptr_t)order->address, order->length);
    if ((order->what & 0xff) == PLX_ORDER_KEEP && order->length > arena->sizes.request_limit)
        code = -PLX_TOO_LONG;
    if (code < 0) {
        plx_arena_emit_error(arena, i, -code);
        c->flags |= PLX_PAUSED;
    }
}

static void abort_now(plx_arena *arena, uint32_t i, const plx_order *order)
{
    plx_connection *c = &arena->connections[i];
    c->flags |= PLX_CLOSING | PLX_UNSENDABLE;
    c->flags &= ~(uint32_t)(PLX_RELEASING | PLX_SHUTTING);
    if (c->first != NULL || order->length > 0)
        c->flags |= PLX_CUT;
    if ((c->flags & PLX_FLUSHING) && !arena->transport->end_flush(arena, i))
        c->flags &= ~(uint32_t)PLX_FLUSHING;
    plx_unsent_clear(c, c->flags & PLX_FLUSHING);
}

/* Does what an order other than PLX_ORDER_SEND says; plx_settle follows. */
static void carry_out(plx_arena *arena, uint32_t i, const plx_order *order)
{
    plx_connection *c = &arena->connections[i];
    switch (order->what & 0xff) {
    case PLX_ORDER_KEEP:
        keep(arena, i, order);
        break;
    case PLX_ORDER_AGAIN:
        keep(arena, i, order);
        c->flags |= PLX_UNDELIVERED | PLX_PATIENT;
        break;
    case PLX_ORDER_PAUSE:
        keep(arena, i, order);
        c->flags |= PLX_PAUSED;
        break;
    case PLX_ORDER_RESUME:
        c->flags &= ~(uint32_t)PLX_PAUSED;
        if (c->unread != NULL)
            c->flags |= PLX_UNDELIVERED;
        break;
    case PLX_ORDER_SHUTDOWN:
        c->flags |= PLX_SHUTTING;
        break;
    case PLX_ORDER_CLOSE:
        c->flags |= PLX_CLOSING;
        break;
    case PLX_ORDER_ABORT:
        abort_now(arena, i, order);
        break;
    case PLX_ORDER_RELEASE:
        keep(arena, i, order);
        c->flags |= PLX_RELEASING;
        break;
    case PLX_ORDER_DUPLEX:
        c->flags |= PLX_DUPLEX;
        break;
    default:
        break;
    }
}

static void carry_out_all(plx_arena *arena, uint32_t orders)
{
    for (uint32_t k = 0; k < orders;) {
        const plx_order *order = &arena->view.orders[k];
        uint32_t i = plx_find(arena, order->connection);
        uint32_t taken = 1;
        if ((order->what & 0xff) == PLX_ORDER_FENCE) {
            plx_order_fence(arena);
        } else if (i != PLX_NONE && !(arena->connections[i].flags & (PLX_CLOSING | PLX_RELEASING))) {
            plx_connection *c = &arena->connections[i];
            if ((order->what & 0xff) != PLX_ORDER_SEND) {
                carry_out(arena, i, order);
                plx_settle(arena, i);
            } else if ((c->flags & PLX_SENDING) || c->first != NULL) {
                send_later(arena, i, order);
            } else if (!(c->flags & (PLX_UNSENDABLE | PLX_LISTENING))) {
                taken = send_now(arena, i, k, orders);
            }
        } else if (i != PLX_NONE && (order->what & 0xff) == PLX_ORDER_ABORT) {
            abort_now(arena, i, order);
            plx_settle(arena, i);
        }
        k += taken;
    }
}

intptr_t plx_arena_descriptor(const plx_arena *arena, uint64_t connection)
{
    uint32_t i = plx_find(arena, connection);
    return i != PLX_NONE ? arena->connections[i].descriptor : -PLX_BAD_ARGUMENT;
}

int plx_arena_turn(plx_arena *arena, int orders, int64_t ns)
{
    if (orders < 0 || (uint32_t)orders > arena->view.max_orders)
        return -PLX_BAD_ARGUMENT;
    arena->arrived = 0;
    arena->counts->turns++;
    arena->joins_second = !arena->joins_second; /* not counts->turns, which the caller could overwrite */
    arena->joins += arena->joins_second ? (ptrdiff_t)arena->join_half : -(ptrdiff_t)arena->join_half;
    arena->join_used = 0;
    arena->has_followers = false;
    plx_recycle(arena);
    carry_out_all(arena, (uint32_t)orders);
    plx_deliver(arena);
    int code = arena->transport->turn(arena, arena->arrived > 0 || arena->again_count > 0 ? 0 : ns);
    plx_check_fence(arena);
    return arena->arrived > 0 ? (int)arena->arrived : code;
}

uint32_t plx_arena_try_send(plx_arena *arena, uint64_t connection, const void *bytes, uint32_t length)
{
    uint32_t i = plx_find(arena, connection);
    if (i == PLX_NONE)
        return 0;
    const plx_connection *c = &arena->connections[i];
    if (c->first != NULL || (c->flags & (PLX_LISTENING | PLX_UNSENDABLE | PLX_SHUTTING | PLX_CLOSING | PLX_RELEASING)))
        return 0;
    plx_slice slice = { bytes, length };
    int64_t sent = plx_socket_send(c->descriptor, &slice, 1);
    arena->counts->system_calls++;
    arena->counts->sends++;
    arena->counts->sent_bytes += sent > 0 ? (uint64_t)sent : 0;
    return sent > 0 ? (uint32_t)sent : 0;
}

int plx_arena_wakeup(plx_arena *arena)
{
    if (atomic_exchange(&arena->woken, 1) != 0)
        return 0;
    int code = arena->transport->wakeup(arena);
    if (code < 0)
        atomic_store(&arena->woken, 0);
    return code;
}

static void close_all(plx_arena *arena)
{
    arena->transport->close(arena);
    for (uint32_t i = 0; i < arena->fresh; i++) {
        plx_connection *c = &arena->connections[i];
        if (!(c->flags & PLX_IN_USE))
            continue;
        bool is_reset = (c->first != NULL || (c->flags & PLX_CUT)) && plx_socket_reset(c->descriptor);
        if (!(c->flags & PLX_LISTENING) && !is_reset)
            plx_socket_shutdown(c->descriptor, true); /* the kernel may hold on to it a little longer */
        plx_socket_close(c->descriptor);
        free(c->unread);
        plx_unsent_clear(c, false);
    }
    for (uint32_t k = 0; k < arena->parked_count; k++)
        plx_socket_close(arena->parked[k].descriptor);
}

void *plx_arena_close_but_block(plx_arena *arena)
{
    void *block = arena->block;
    close_all(arena);
#ifdef __linux__
    madvise(arena->view.memory, arena->view.memory_size / PAGE * PAGE, MADV_DONTNEED);
#endif
    free_tables(arena);
    return block;
}

void plx_arena_close(plx_arena *arena)
{
    if (arena != NULL)
        free(plx_arena_close_but_block(arena));
}
