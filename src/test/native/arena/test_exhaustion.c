/* SPDX-License-Identifier: Apache-2.0
 *
 * test_exhaustion.c: too few connections, buffers, completions, descriptors: things become slow, and nothing is lost.
 */
#include "injection.h"

#include "arena/transport.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
/* last: it has its own close */
#include <sys/event.h>

/* Serves what arrives as an echo does, until so many bytes were echoed. */
static void echo(rig *r, size_t bytes)
{
    for (int64_t deadline = now() + SECONDS(60); bytes > 0;) {
        const plx_arrival *arrival = next(r);
        assert_true(now() < deadline);
        assert_int_equal(arrival->what, PLX_ARRIVAL_DATA);
        assert_true(arrival->length <= bytes);
        order(r, arrival->connection, PLX_ORDER_SEND, bytes_of(arrival), arrival->length);
        bytes -= arrival->length;
    }
    turn(r, 0);
}

/* Every one of many peers gets back what it sent, several times. */
static void serve_many(rig *r, int peers, size_t length)
{
    int *fds = calloc((size_t)peers, sizeof *fds);
    char *message = pattern(length, 20);
    for (int i = 0; i < peers; i++)
        accepted(r, &fds[i]);
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < peers; i++)
            peer_send(fds[i], message, length);
        echo(r, (size_t)peers * length);
        for (int i = 0; i < peers; i++) {
            turn(r, 0);
            peer_expect(fds[i], message, length);
        }
    }
    for (int i = 0; i < peers; i++)
        close(fds[i]);
    free(message);
    free(fds);
}

static void few_buffers_serve_many(rig *r)
{
    const plx_arena_sizes sizes = { .buffers = 2, .buffer_size = 64 };
    plx_arena_counts counts;
    rig_open(r, &sizes);
    serve_many(r, 100, 1000);
    plx_arena_count(r->arena, &counts);
    if (is_uring(r)) { /* not everyone in every turn */
        assert_true(counts.starved > 0);
        assert_true(counts.starved <= 2 * counts.receives);
    }
}

static void few_completions_serve_many(rig *r)
{
    const plx_arena_sizes sizes = { .completions = 4 };
    plx_arena_counts counts;
    rig_open(r, &sizes);
    serve_many(r, 300, 1000);
    plx_arena_count(r->arena, &counts);
    assert_true(counts.overflows > 0);
}

static void few_of_both_serve_many(rig *r)
{
    const plx_arena_sizes sizes = { .completions = 2, .buffers = 1, .buffer_size = 100 };
    rig_open(r, &sizes);
    serve_many(r, 50, 333);
}

static void who_finds_all_connections_in_use_waits(rig *r)
{
    enum { PEERS = 60 };
    const plx_arena_sizes sizes = { .connections = 11 };
    int fds[PEERS], closed = 0, in_use = 0;
    rig_open(r, &sizes);
    turn(r, 0);
    for (int i = 0; i < PEERS; i++) {
        fds[i] = peer(r);
        peer_send(fds[i], "x", 1);
    }
    while (closed < PEERS) {
        const plx_arrival *arrival = next(r);
        if (arrival->what == PLX_ARRIVAL_ACCEPTED) {
            in_use++;
        } else if (arrival->what == PLX_ARRIVAL_CLOSED) {
            in_use--;
            closed++;
        } else {
            assert_int_equal(arrival->what, PLX_ARRIVAL_DATA);
            order(r, arrival->connection, PLX_ORDER_SEND, bytes_of(arrival), 1);
            order(r, arrival->connection, PLX_ORDER_CLOSE, NULL, 0);
        }
        assert_true(in_use <= 10);
    }
    for (int i = 0; i < PEERS; i++) {
        peer_expect(fds[i], "x", 1);
        peer_expect_end(fds[i]);
        close(fds[i]);
    }
}

/* Its place is not one for a connection that is accepted, however many ask. */
static void a_place_is_kept_for_who_comes_from_another_arena(rig *r)
{
    const plx_arena_sizes two = { .connections = 1 + 2 };
    int fds[2], first, second;
    rig_open(r, &two);
    assert_int_equal(plx_arena_reserve(r->arena), 0);
    uint64_t c = accepted(r, &first);
    second = peer(r);
    expect_silence(r);
    assert_int_equal(plx_arena_reserve(r->arena), -ENOBUFS);
    stream_pair(fds);
    assert_int_equal(plx_arena_adopt(r->arena, fds[0], NULL, 0), -ENOBUFS);
    int64_t other = plx_arena_adopt_reserved(r->arena, fds[0], "brought along", 13);
    expect_data(r, (uint64_t)other, "brought along", 13);
    expect_silence(r);
    order(r, c, PLX_ORDER_CLOSE, NULL, 0);
    expect(r, PLX_ARRIVAL_CLOSED);
    expect(r, PLX_ARRIVAL_ACCEPTED);
    close(fds[1]);
    close(first);
    close(second);
}

static void a_place_that_is_given_back_is_one_for_the_next(rig *r)
{
    const plx_arena_sizes one = { .connections = 1 + 1 };
    int fd, no_socket;
    rig_open(r, &one);
    for (int times = 0; times < 3; times++) {
        assert_int_equal(plx_arena_reserve(r->arena), 0);
        fd = peer(r);
        expect_silence(r);
        if (times == 0) {
            plx_arena_unreserve(r->arena);
        } else if (times == 1) {
            assert_int_equal(plx_arena_adopt_reserved(r->arena, -1, NULL, 0), -EBADF);
        } else {
            no_socket = open("/dev/null", O_RDONLY | O_CLOEXEC);
            assert_int_equal(plx_arena_adopt_reserved(r->arena, no_socket, "x", 1), -ENOTSOCK);
            close(no_socket);
        }
        uint64_t c = expect(r, PLX_ARRIVAL_ACCEPTED)->connection;
        order(r, c, PLX_ORDER_CLOSE, NULL, 0);
        expect(r, PLX_ARRIVAL_CLOSED);
        turn(r, 0);
        close(fd);
    }
}

static int another_listener(void)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(listen(fd, 8), 0); /* on a port of the system's choice */
    return fd;
}

static void who_is_at_its_end(rig *r, int64_t name)
{
    order(r, (uint64_t)name, PLX_ORDER_CLOSE, NULL, 0);
    expect(r, PLX_ARRIVAL_CLOSED);
}

/* ENOSPC: fs.epoll.max_user_watches. */
static void who_is_not_watched_is_not_taken_over(rig *r)
{
    int fds[2], listener = another_listener();
    rig_open(r, NULL);
    stream_pair(fds);
    fail_next(r, FAULT_WATCH, 2, ENOSPC);
    assert_int_equal(plx_arena_listen(r->arena, listener), -ENOSPC);
    assert_int_equal(plx_arena_adopt(r->arena, fds[0], NULL, 0), -ENOSPC);
    expect_silence(r);
    peer_send(fds[0], "still mine", 10);
    peer_expect(fds[1], "still mine", 10);
    int64_t c = plx_arena_adopt(r->arena, fds[0], NULL, 0);
    peer_send(fds[1], "yours", 5);
    expect_data(r, (uint64_t)c, "yours", 5);
    int64_t again = plx_arena_listen(r->arena, listener);
    assert_true(again >= 0);
    who_is_at_its_end(r, again);
    close(fds[1]);
}

static void who_is_not_watched_later_is_reported(rig *r)
{
    int fds[2];
    rig_open(r, NULL);
    stream_pair(fds);
    int64_t c = plx_arena_adopt(r->arena, fds[0], "read before", 11);
    fail_next(r, FAULT_WATCH, 1, ENOSPC);
    expect_data(r, (uint64_t)c, "read before", 11);
    const plx_arrival *error = expect(r, PLX_ARRIVAL_ERROR);
    assert_int_equal(error->connection, c);
    assert_int_equal(error->detail, ENOSPC);
    who_is_at_its_end(r, c);
    close(fds[1]);
}

/* More errors than arrivals have room for would be written over the orders. */
static void a_listening_one_that_is_resumed_often_has_one_error(rig *r)
{
    const plx_arena_sizes few = { .connections = 1 + 1 };
    rig_open(r, &few);
    order(r, r->listening, PLX_ORDER_PAUSE, NULL, 0);
    turn(r, 0);
    int fd = peer(r); /* that it hears of has it stop */
    turn(r, 0);
    turn(r, 0);
    fail_next(r, FAULT_WATCH, 1 << 20, ENOSPC);
    for (int times = 0; times < 1000; times++)
        order(r, r->listening, PLX_ORDER_RESUME, NULL, 0);
    const plx_arrival *error = expect(r, PLX_ARRIVAL_ERROR);
    assert_int_equal(error->connection, r->listening);
    assert_int_equal(error->detail, ENOSPC);
    assert_int_equal(r->arrived, 1);
    no_faults();
    order(r, r->listening, PLX_ORDER_RESUME, NULL, 0);
    expect(r, PLX_ARRIVAL_ACCEPTED);
    close(fd);
}

/* It hears of it in its next wait. */
static void a_kqueues_refusal_is_reported_by_the_next_turn(rig *r)
{
    int fds[2], listener = another_listener();
    rig_open(r, NULL);
    turn(r, 0);
    stream_pair(fds);
    int64_t listening = plx_arena_listen(r->arena, listener);
    kqueue_emulation_refuse(1, ENOMEM);
    const plx_arrival *error = expect(r, PLX_ARRIVAL_ERROR);
    assert_int_equal(error->connection, listening);
    assert_int_equal(error->detail, ENOMEM);
    kqueue_emulation_refuse(0, 0);
    int64_t c = plx_arena_adopt(r->arena, fds[0], NULL, 0);
    kqueue_emulation_refuse(1, ENOSPC);
    error = expect(r, PLX_ARRIVAL_ERROR);
    assert_int_equal(error->connection, c);
    assert_int_equal(error->detail, ENOSPC);
    kqueue_emulation_refuse(0, 0);
    who_is_at_its_end(r, listening);
    who_is_at_its_end(r, c);
    close(fds[1]);
}

/* Whichever allocation fails. */
static void without_memory_nothing_is_taken_over_and_all_can_be_repeated(rig *r)
{
    bool failed = true;
    rig_open(r, NULL);
    turn(r, 0);
    for (int nth = 1; failed; nth++) {
        int fds[2], listener = another_listener();
        stream_pair(fds);
        fail_allocation(nth);
        int64_t listening = plx_arena_listen(r->arena, listener);
        int64_t c = plx_arena_adopt(r->arena, fds[0], "x", 1);
        failed = allocation_failed();
        fail_allocation(0);
        if (failed)
            assert_true((listening == -ENOMEM) != (c == -ENOMEM));
        if (listening < 0)
            listening = plx_arena_listen(r->arena, listener);
        if (c < 0)
            c = plx_arena_adopt(r->arena, fds[0], "x", 1);
        expect_data(r, (uint64_t)c, "x", 1);
        peer_send(fds[1], "y", 1);
        expect_data(r, (uint64_t)c, "y", 1);
        who_is_at_its_end(r, listening);
        who_is_at_its_end(r, c);
        close(fds[1]);
        assert_true(nth < 20);
    }
}

static void adopting_too_many_is_refused(rig *r)
{
    const plx_arena_sizes sizes = { .connections = 2 };
    int fds[2], more[2];
    rig_open(r, &sizes);
    stream_pair(fds);
    stream_pair(more);
    assert_true(plx_arena_adopt(r->arena, fds[0], NULL, 0) >= 0);
    assert_int_equal(plx_arena_adopt(r->arena, more[0], "x", 1), -ENOBUFS);
    peer_send(more[0], "still mine", 10);
    peer_expect(more[1], "still mine", 10);
    close_both(more);
    close(fds[1]);
}

/* io_uring takes the limit that there is when accepting begins. */
static void without_descriptors_accepting_pauses_and_says_so(rig *r)
{
    struct rlimit limit, none;
    rig_open(r, NULL);
    int fd = peer(r);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    none = (struct rlimit){ .rlim_cur = 3, .rlim_max = limit.rlim_max };
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    plx_arrival error = *next(r);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_int_equal(error.what, PLX_ARRIVAL_ERROR);
    assert_int_equal(error.detail, EMFILE);
    assert_int_equal(error.connection, r->listening);
    expect_silence(r);
    order(r, r->listening, PLX_ORDER_RESUME, NULL, 0);
    expect(r, PLX_ARRIVAL_ACCEPTED);
    close(fd);
}

/* Sends until the kernel takes no more, again and again, while r is served: what was sent. largest_allocation() is that
 * of the meantime. */
static size_t flood(rig *r, int fd, size_t most, void (*serve)(rig *r))
{
    enum { AT_ONCE = 1 << 20 };
    char *bytes = pattern(AT_ONCE, 21);
    size_t sent = 0;
    largest_allocation();
    for (int quiet = 0; quiet < 10 && sent < most; quiet++) {
        for (ssize_t n; sent < most && (n = send(fd, bytes, AT_ONCE, MSG_DONTWAIT)) > 0; quiet = 0)
            sent += (size_t)n;
        turn(r, MILLIS(2));
        serve(r);
    }
    free(bytes);
    return sent;
}

static void expect_nothing_of_it(rig *r)
{
    assert_int_equal(r->arrived, 0);
}

/* The kernel keeps what does not fit into one turn. */
static void a_paused_one_that_is_flooded_keeps_one_turn(rig *r)
{
    enum { BUFFERS = 16, SIZE = 4096, ROUNDS = 5 };
    const plx_arena_sizes sizes = { .buffers = BUFFERS, .buffer_size = SIZE };
    int fd;
    rig_open(r, &sizes);
    uint64_t c = accepted(r, &fd);
    for (int round = 0; round < ROUNDS; round++) {
        order(r, c, PLX_ORDER_PAUSE, NULL, 0);
        turn(r, 0);
        r->next = r->arrived;
        size_t sent = flood(r, fd, SIZE_MAX, expect_nothing_of_it);
        assert_true(sent > 10 * BUFFERS * SIZE);
        assert_true(largest_allocation() <= 4 * BUFFERS * SIZE);
        for (order(r, c, PLX_ORDER_RESUME, NULL, 0); sent > 0;) {
            const plx_arrival *data = expect(r, PLX_ARRIVAL_DATA);
            assert_true(data->length <= sent);
            sent -= data->length;
        }
    }
    close(fd);
}

static void take_all(rig *r)
{
    for (; r->next < r->arrived; r->next++)
        assert_int_equal(r->v.arrivals[r->next].what, PLX_ARRIVAL_DATA);
}

/* More comes in each turn than there is room to join it in. */
static void one_that_floods_faster_than_it_is_reported_is_slowed_down(rig *r)
{
    enum { BUFFERS = 64, SIZE = 4096 };
    const plx_arena_sizes sizes = { .buffers = BUFFERS, .buffer_size = SIZE, .request_limit = 1000 };
    int fd;
    rig_open(r, &sizes);
    accepted(r, &fd);
    flood(r, fd, 64 << 20, take_all);
    assert_true(largest_allocation() <= 4 * BUFFERS * SIZE);
    close(fd);
}

static const arena_test tests[] = {
    { "few buffers serve many", few_buffers_serve_many, NULL },
    { "few completions serve many", few_completions_serve_many, "io_uring" },
    { "few of both serve many", few_of_both_serve_many, "io_uring" },
    { "who finds all connections in use waits", who_finds_all_connections_in_use_waits, NULL },
    { "a place is kept for who comes from another arena", a_place_is_kept_for_who_comes_from_another_arena, NULL },
    { "a place that is given back is one for the next", a_place_that_is_given_back_is_one_for_the_next, NULL },
    { "adopting too many is refused", adopting_too_many_is_refused, NULL },
    { "who is not watched is not taken over", who_is_not_watched_is_not_taken_over, "epoll" },
    { "a listening one that is resumed often has one error", a_listening_one_that_is_resumed_often_has_one_error,
      "epoll" },
    { "who is not watched later is reported", who_is_not_watched_later_is_reported, "epoll" },
    { "a kqueue's refusal is reported by the next turn", a_kqueues_refusal_is_reported_by_the_next_turn, "kqueue" },
    { "without memory nothing is taken over, and all can be repeated",
      without_memory_nothing_is_taken_over_and_all_can_be_repeated, NULL },
    { "without descriptors accepting pauses and says so", without_descriptors_accepting_pauses_and_says_so, NULL },
    { "a paused one that is flooded keeps one turn", a_paused_one_that_is_flooded_keeps_one_turn, NULL },
    { "one that floods faster than it is reported is slowed down",
      one_that_floods_faster_than_it_is_reported_is_slowed_down, NULL },
};
const arena_suite exhaustion_suite = SUITE(tests);
