/* SPDX-License-Identifier: Apache-2.0
 *
 * test_random.c: peers that send and read when they like, and a server that does with what arrives whatever an order
 * can say, at random. Each peer must get back, byte for byte, what it sent; none is forgotten.
 */
#include "rig.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PEERS = 24, ROUNDS = 2500, LONGEST = 30000 };

typedef struct {
    int fd;
    uint64_t sent, echoed, received; /* bytes of the stream */
    bool shut;
} talker;

/* What the server knows of a connection, by the lower half of its name. */
typedef struct {
    uint64_t name;
    bool is_paused;
} record;

typedef struct {
    rig *r;
    unsigned seed;
    talker talkers[PEERS];
    record records[1024];
    int open;
} play;

static unsigned dice(play *p, unsigned sides)
{
    p->seed = p->seed * 1103515245u + 12345u;
    return (p->seed >> 16) % sides;
}

static char byte_at(uint64_t position)
{
    return (char)(position * 31 + position / 253);
}

static void say_something(play *p, talker *t)
{
    char bytes[LONGEST];
    size_t length = 1 + dice(p, dice(p, 4) ? 50 : LONGEST);
    for (size_t k = 0; k < length; k++)
        bytes[k] = byte_at(t->sent + k);
    ssize_t n = send(t->fd, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n > 0)
        t->sent += (uint64_t)n;
}

static void hear_something(play *p, talker *t)
{
    char bytes[LONGEST];
    ssize_t n = recv(t->fd, bytes, 1 + dice(p, LONGEST), MSG_DONTWAIT);
    for (ssize_t k = 0; k < n; k++)
        if (bytes[k] != byte_at(t->received + (uint64_t)k))
            fail_msg("byte %llu is wrong", (unsigned long long)t->received + (unsigned long long)k);
    if (n > 0)
        t->received += (uint64_t)n;
}

static void pause_or_resume(play *p, record *c, const char *rest, uint32_t length)
{
    order(p->r, c->name, PLX_ORDER_PAUSE, rest, length);
    c->is_paused = true;
}

static void take_back(play *p, const plx_arrival *released)
{
    int64_t name =
        plx_arena_adopt(p->r->arena, (intptr_t)released->detail, bytes_of(released), released->length);
    assert_true(name >= 0);
    p->records[(uint32_t)name] = (record){ .name = (uint64_t)name };
}

static void answer(play *p, const plx_arrival *data)
{
    record *c = &p->records[(uint32_t)data->connection];
    const char *bytes = bytes_of(data);
    uint32_t used = dice(p, 3) ? data->length : dice(p, data->length + 1), rest = data->length - used;
    uint32_t half = dice(p, used + 1);
    assert_int_equal(c->name, data->connection);
    assert_false(c->is_paused);
    if (half > 0)
        order(p->r, c->name, PLX_ORDER_SEND, bytes, half);
    if (used > half)
        order(p->r, c->name, PLX_ORDER_SEND | (dice(p, 2) ? PLX_ORDER_NOTIFY : 0), bytes + half, used - half);
    switch (dice(p, 12)) {
    case 0:
        pause_or_resume(p, c, bytes + used, rest);
        break;
    case 1:
        order(p->r, c->name, PLX_ORDER_RELEASE, bytes + used, rest);
        break;
    default:
        if (rest > 0)
            order(p->r, c->name, PLX_ORDER_AGAIN, bytes + used, rest);
    }
}

static void look_at(play *p, const plx_arrival *arrival)
{
    switch (arrival->what) {
    case PLX_ARRIVAL_ACCEPTED:
        p->records[(uint32_t)arrival->connection] = (record){ .name = arrival->connection };
        if (dice(p, 2))
            order(p->r, arrival->connection, PLX_ORDER_DUPLEX, NULL, 0);
        break;
    case PLX_ARRIVAL_DATA:
        answer(p, arrival);
        break;
    case PLX_ARRIVAL_RELEASED:
        take_back(p, arrival);
        break;
    case PLX_ARRIVAL_END:
        order(p->r, arrival->connection, PLX_ORDER_CLOSE, NULL, 0);
        break;
    case PLX_ARRIVAL_CLOSED:
        p->open--;
        break;
    case PLX_ARRIVAL_SENT:
    case PLX_ARRIVAL_UNSENT:
        break;
    default:
        fail_msg("arrival %u, detail %lld", arrival->what, (long long)arrival->detail);
    }
}

static void take_turn(play *p, int64_t ns)
{
    rig *r = p->r;
    for (size_t k = 0; k < sizeof p->records / sizeof *p->records; k++) {
        if (p->records[k].is_paused && dice(p, 5) == 0) {
            p->records[k].is_paused = false;
            order(r, p->records[k].name, PLX_ORDER_RESUME, NULL, 0);
        }
    }
    for (turn(r, ns); r->next < r->arrived; r->next++)
        look_at(p, &r->v.arrivals[r->next]);
}

static void play_with(rig *r, const plx_arena_sizes *sizes, unsigned seed)
{
    play *p = calloc(1, sizeof *p);
    p->r = r;
    p->seed = seed;
    rig_open(r, sizes);
    for (; p->open < PEERS; p->open++)
        p->talkers[p->open].fd = peer(r);
    for (int round = 0; round < ROUNDS; round++) {
        talker *t = &p->talkers[dice(p, PEERS)];
        if (dice(p, 2))
            say_something(p, t);
        else
            hear_something(p, t);
        if (dice(p, 3) == 0)
            take_turn(p, 0);
    }
    for (int64_t deadline = now() + SECONDS(60); p->open > 0;) {
        assert_true(now() < deadline);
        for (int i = 0; i < PEERS; i++) {
            talker *t = &p->talkers[i];
            hear_something(p, t);
            if (t->received == t->sent && !t->shut) {
                t->shut = true;
                shutdown(t->fd, SHUT_WR);
            }
        }
        take_turn(p, MILLIS(1));
    }
    for (int i = 0; i < PEERS; i++) {
        assert_int_equal(p->talkers[i].received, p->talkers[i].sent);
        peer_expect_end(p->talkers[i].fd);
        close(p->talkers[i].fd);
    }
    free(p);
}

static void with_room_for_all(rig *r)
{
    play_with(r, NULL, 1);
}

static void with_hardly_any_room(rig *r)
{
    const plx_arena_sizes sizes = { .connections = 2 * PEERS, .buffers = 4, .buffer_size = 200,
                                    .request_limit = 1 << 20, .completions = 8 };
    play_with(r, &sizes, 2);
}

static void with_low_limits(rig *r)
{
    const plx_arena_sizes sizes = { .buffers = 16, .request_limit = 1000, .pending_limit = 1000 };
    play_with(r, &sizes, 3);
}

static const arena_test tests[] = {
    { "every byte comes back, with room for all", with_room_for_all, NULL },
    { "every byte comes back, with hardly any room", with_hardly_any_room, NULL },
    { "every byte comes back, with low limits", with_low_limits, NULL },
};
const arena_suite random_suite = SUITE(tests);
