/* SPDX-License-Identifier: Apache-2.0
 *
 * test_connecting.c: sockets whose connect(2) is in progress when the arena takes them over. A listening socket whose
 * queue is full leaves a peer in progress: the kernel drops its SYN, and sends it again after a second.
 */
#include "injection.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { MAX_FILLERS = 8 };

/* One that listens beside the arena. */
typedef struct {
    int fd;
    struct sockaddr_in address;
    int fillers[MAX_FILLERS], count; /* those in its queue, if that is full */
} stranger;

static stranger stranger_open(int backlog)
{
    stranger s = { .address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) } };
    socklen_t length = sizeof s.address;
    s.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(s.fd, (struct sockaddr *)&s.address, length), 0);
    assert_int_equal(listen(s.fd, backlog), 0);
    assert_int_equal(getsockname(s.fd, (struct sockaddr *)&s.address, &length), 0);
    return s;
}

static int begin_to_connect(const stranger *s)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&s->address, sizeof s->address), -1);
    assert_int_equal(errno, EINPROGRESS);
    return fd;
}

static stranger full_stranger(void)
{
    stranger s = stranger_open(0);
    for (;;) {
        assert_true(s.count < MAX_FILLERS);
        struct pollfd one = { .fd = begin_to_connect(&s), .events = POLLOUT };
        if (poll(&one, 1, 50) == 0) {
            close(one.fd);
            return s;
        }
        s.fillers[s.count++] = one.fd;
    }
}

static int stranger_accept(const stranger *s)
{
    int fd = accept4(s->fd, NULL, NULL, SOCK_CLOEXEC);
    struct timeval patience = { .tv_sec = 20 };
    assert_true(fd >= 0);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience), 0);
    return fd;
}

/* Makes room in its queue. */
static void accept_fillers(stranger *s)
{
    assert_int_equal(listen(s->fd, 8), 0);
    for (; s->count > 0; close(s->fillers[--s->count]))
        close(stranger_accept(s));
}

static void stranger_close(stranger *s)
{
    while (s->count > 0)
        close(s->fillers[--s->count]);
    close(s->fd);
}

static uint64_t taken_over(rig *r, int fd)
{
    int64_t name = plx_arena_connect(r->arena, fd);
    assert_true(name >= 0);
    return (uint64_t)name;
}

static void expect_connected(rig *r, uint64_t connection)
{
    assert_int_equal(expect(r, PLX_ARRIVAL_CONNECTED)->connection, connection);
}

static void expect_closed(rig *r, uint64_t connection)
{
    assert_int_equal(expect(r, PLX_ARRIVAL_CLOSED)->connection, connection);
}

static void one_is_connected_and_then_receives(rig *r)
{
    stranger s = stranger_open(8);
    rig_open(r, NULL);
    uint64_t c = taken_over(r, begin_to_connect(&s));
    int fd = stranger_accept(&s);
    peer_send(fd, "welcome", 7);
    expect_connected(r, c);
    expect_data(r, c, "welcome", 7);
    order(r, c, PLX_ORDER_SEND, "thanks", 6);
    turn(r, 0);
    peer_expect(fd, "thanks", 6);
    close(fd);
    assert_int_equal(expect(r, PLX_ARRIVAL_END)->connection, c);
    order(r, c, PLX_ORDER_CLOSE, NULL, 0);
    expect_closed(r, c);
    stranger_close(&s);
}

static void one_that_is_connected_already_is_told(rig *r)
{
    int fds[2];
    rig_open(r, NULL);
    for (int is_tcp = 0; is_tcp <= 1; is_tcp++) {
        if (is_tcp)
            tcp_pair(fds);
        else
            stream_pair(fds);
        peer_send(fds[1], "early", 5);
        uint64_t c = taken_over(r, fds[0]);
        order(r, c, PLX_ORDER_SEND, "late", 4);
        expect_connected(r, c);
        expect_data(r, c, "early", 5);
        peer_expect(fds[1], "late", 4);
        close(fds[1]);
        expect(r, PLX_ARRIVAL_END);
    }
}

static void a_unix_domain_one_is_connected(rig *r)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX }; /* Linux chooses a name, of no file */
    socklen_t length = sizeof address;
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    rig_open(r, NULL);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address.sun_family), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &length), 0);
    assert_int_equal(listen(listener, 10), 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, length), 0);
    uint64_t c = taken_over(r, fd);
    order(r, c, PLX_ORDER_SEND, "near", 4);
    expect_connected(r, c);
    turn(r, 0);
    int other = accept(listener, NULL, NULL);
    peer_expect(other, "near", 4);
    close(other);
    close(listener);
    expect(r, PLX_ARRIVAL_END);
}

/* What has arrived of each kind. Takes the descriptors that were released. */
static void turn_and_count(rig *r, int counts[])
{
    for (turn(r, MILLIS(20)); r->next < r->arrived; r->next++) {
        const plx_arrival *arrival = &r->v.arrivals[r->next];
        counts[arrival->what]++;
        if (arrival->what == PLX_ARRIVAL_RELEASED)
            close((int)arrival->detail);
    }
}

static void orders_wait_until_it_is_connected(rig *r)
{
    enum { DUPLEX, CLOSES, RELEASES, COUNT };
    int counts[16] = { 0 }, fds[COUNT], heard = 0;
    stranger s = full_stranger();
    uint64_t names[COUNT];
    rig_open(r, NULL);
    for (int i = 0; i < COUNT; i++) {
        names[i] = taken_over(r, begin_to_connect(&s));
        assert_int_equal(plx_arena_try_send(r->arena, names[i], "too early", 9), 0);
        assert_int_equal(plx_arena_unsent(r->arena, names[i]), 0);
    }
    order(r, 0, PLX_ORDER_FENCE, NULL, 0); /* nothing waits to be sent */
    expect(r, PLX_ARRIVAL_FENCED);
    for (int i = 0; i < COUNT; i++)
        order(r, names[i], PLX_ORDER_SEND | PLX_ORDER_NOTIFY, "first, ", 7);
    order(r, names[DUPLEX], PLX_ORDER_DUPLEX, NULL, 0);
    order(r, names[DUPLEX], PLX_ORDER_PAUSE, NULL, 0);
    order(r, names[DUPLEX], PLX_ORDER_RESUME, NULL, 0);
    expect_silence(r);
    for (int i = 0; i < COUNT; i++)
        order(r, names[i], PLX_ORDER_SEND | PLX_ORDER_NOTIFY | PLX_ORDER_RESIDENT, "second", 6);
    order(r, names[CLOSES], PLX_ORDER_CLOSE, NULL, 0);
    order(r, names[RELEASES], PLX_ORDER_RELEASE, NULL, 0);
    order(r, 0, PLX_ORDER_FENCE, NULL, 0);
    expect_silence(r);
    accept_fillers(&s);
    for (int64_t deadline = now() + SECONDS(20); heard < COUNT || counts[PLX_ARRIVAL_FENCED] == 0;) {
        struct pollfd one = { .fd = s.fd, .events = POLLIN };
        assert_true(now() < deadline);
        turn_and_count(r, counts);
        if (poll(&one, 1, 0) == 1)
            fds[heard++] = stranger_accept(&s);
    }
    turn_and_count(r, counts);
    assert_int_equal(counts[PLX_ARRIVAL_CONNECTED], COUNT);
    assert_int_equal(counts[PLX_ARRIVAL_CLOSED], 1);
    assert_int_equal(counts[PLX_ARRIVAL_RELEASED], 1);
    assert_int_equal(counts[PLX_ARRIVAL_ERROR], 0);
    assert_in_range(counts[PLX_ARRIVAL_SENT], COUNT, 2 * COUNT);
    for (int i = 0; i < COUNT; i++) {
        peer_expect(fds[i], "first, second", 13);
        close(fds[i]);
    }
    assert_int_equal(expect(r, PLX_ARRIVAL_END)->connection, names[DUPLEX]);
    stranger_close(&s);
}

/* A port that is bound, and where no one listens. */
static stranger refusing(void)
{
    stranger s = { .address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) } };
    socklen_t length = sizeof s.address;
    s.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(s.fd, (struct sockaddr *)&s.address, length), 0);
    assert_int_equal(getsockname(s.fd, (struct sockaddr *)&s.address, &length), 0);
    return s;
}

static void one_that_is_refused_is_an_error(rig *r)
{
    stranger s = refusing();
    rig_open(r, NULL);
    uint64_t c = taken_over(r, begin_to_connect(&s));
    order(r, c, PLX_ORDER_DUPLEX, NULL, 0);
    order(r, c, PLX_ORDER_SEND | PLX_ORDER_NOTIFY, "lost", 4);
    const plx_arrival *error = expect(r, PLX_ARRIVAL_ERROR);
    assert_int_equal(error->connection, c);
    assert_int_equal(error->detail, ECONNREFUSED);
    order(r, c, PLX_ORDER_SEND | PLX_ORDER_NOTIFY, "in vain", 7);
    order(r, c, PLX_ORDER_RESUME, NULL, 0);
    expect_silence(r);
    order(r, c, PLX_ORDER_CLOSE, NULL, 0);
    expect_closed(r, c);
    stranger_close(&s);
}

static void one_that_is_refused_and_to_be_closed_is_closed(rig *r)
{
    stranger s = refusing();
    rig_open(r, NULL);
    uint64_t c = taken_over(r, begin_to_connect(&s));
    order(r, c, PLX_ORDER_SEND | PLX_ORDER_NOTIFY, "lost", 4);
    order(r, c, PLX_ORDER_CLOSE, NULL, 0);
    const plx_arrival *error = expect(r, PLX_ARRIVAL_ERROR);
    assert_int_equal(error->connection, c);
    assert_int_equal(error->detail, ECONNREFUSED);
    expect_closed(r, c);
    expect_silence(r);
    stranger_close(&s);
}

static void one_that_gets_no_answer_is_an_error(rig *r)
{
    int milliseconds = 100;
    stranger s = full_stranger();
    rig_open(r, NULL);
    int fd = begin_to_connect(&s);
    assert_int_equal(setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, sizeof milliseconds), 0);
    uint64_t c = taken_over(r, fd);
    const plx_arrival *error = expect(r, PLX_ARRIVAL_ERROR);
    assert_int_equal(error->connection, c);
    assert_int_equal(error->detail, ETIMEDOUT);
    order(r, c, PLX_ORDER_ABORT, NULL, 0);
    expect_closed(r, c);
    stranger_close(&s);
}

static void aborting_one_that_connects_does_not_wait(rig *r)
{
    static const char resident[] = "never sent";
    stranger s = full_stranger();
    rig_open(r, NULL);
    uint64_t idle = taken_over(r, begin_to_connect(&s)), sends = taken_over(r, begin_to_connect(&s));
    uint64_t at_once = taken_over(r, begin_to_connect(&s)), closes = taken_over(r, begin_to_connect(&s));
    order(r, at_once, PLX_ORDER_ABORT, NULL, 0);
    order(r, closes, PLX_ORDER_CLOSE, NULL, 0);
    order(r, sends, PLX_ORDER_SEND | PLX_ORDER_NOTIFY | PLX_ORDER_RESIDENT, resident, sizeof resident);
    int64_t start = now();
    expect_closed(r, at_once);
    expect_silence(r);
    order(r, 0, PLX_ORDER_FENCE, NULL, 0);
    expect_silence(r);
    order(r, sends, PLX_ORDER_ABORT, NULL, 0);
    assert_int_equal(next(r)->what + next(r)->what, PLX_ARRIVAL_FENCED + PLX_ARRIVAL_CLOSED);
    order(r, idle, PLX_ORDER_ABORT, NULL, 0);
    expect_closed(r, idle);
    order(r, closes, PLX_ORDER_ABORT, NULL, 0);
    expect_closed(r, closes);
    assert_true(now() - start < MILLIS(900)); /* when the kernel tries again */
    stranger_close(&s);
}

static void one_that_connects_ends_with_the_arena(rig *r)
{
    stranger s = full_stranger();
    rig_open(r, NULL);
    uint64_t c = taken_over(r, begin_to_connect(&s));
    taken_over(r, begin_to_connect(&s));
    order(r, c, PLX_ORDER_SEND, "never sent", 10);
    turn(r, 0);
    stranger_close(&s);
}

static void one_that_is_refused_is_released_unconnected(rig *r)
{
    stranger s = refusing();
    rig_open(r, NULL);
    uint64_t c = taken_over(r, begin_to_connect(&s));
    order(r, c, PLX_ORDER_RELEASE, NULL, 0);
    const plx_arrival *released = expect(r, PLX_ARRIVAL_RELEASED);
    assert_int_equal(released->connection, c);
    close((int)released->detail);
    stranger_close(&s);
}

/* It would never become writable. */
static void one_that_does_not_connect_is_an_error(rig *r)
{
    rig_open(r, NULL);
    for (int family = 0; family < 2; family++) {
        uint64_t c = taken_over(r, socket(family ? AF_UNIX : AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
        const plx_arrival *error = expect(r, PLX_ARRIVAL_ERROR);
        assert_int_equal(error->connection, c);
        assert_true(error->detail == ENOTCONN || error->detail == EPIPE);
        order(r, c, PLX_ORDER_CLOSE, NULL, 0);
        expect_closed(r, c);
    }
}

static void what_cannot_connect_is_refused(rig *r)
{
    const plx_arena_sizes one = { .connections = 1 };
    int datagram = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), fds[2];
    stranger s = stranger_open(8);
    rig_open(r, &one);
    stream_pair(fds);
    assert_int_equal(plx_arena_connect(r->arena, -1), -EBADF);
    assert_int_equal(plx_arena_connect(r->arena, datagram), -EOPNOTSUPP);
    assert_int_equal(plx_arena_connect(r->arena, s.fd), -EINVAL);
    assert_int_equal(plx_arena_connect(r->arena, fds[0]), -ENOBUFS);
    close_both(fds);
    close(datagram);
    stranger_close(&s);
}

static void no_memory_to_connect_is_an_answer(rig *r)
{
    int fds[2];
    rig_open(r, NULL);
    stream_pair(fds);
    fail_allocation(1);
    assert_int_equal(plx_arena_connect(r->arena, fds[0]), -ENOMEM);
    fail_allocation(0);
    uint64_t c = taken_over(r, fds[0]);
    expect_connected(r, c);
    close(fds[1]);
    expect(r, PLX_ARRIVAL_END);
}

static void what_is_not_watched_is_not_taken_over(rig *r)
{
    int fds[2];
    rig_open(r, NULL);
    stream_pair(fds);
    fail_next(r, FAULT_WATCH, 1, ENOSPC);
    assert_int_equal(plx_arena_connect(r->arena, fds[0]), -ENOSPC);
    uint64_t c = taken_over(r, fds[0]);
    expect_connected(r, c);
    close(fds[1]);
    expect(r, PLX_ARRIVAL_END);
}

static void an_interrupted_connect_goes_on(rig *r)
{
    static const int errors[] = { EINTR, EAGAIN };
    rig_open(r, NULL);
    for (size_t k = 0; k < sizeof errors / sizeof *errors; k++) {
        int fds[2];
        stream_pair(fds);
        fail_next(r, FAULT_SEND, 3, errors[k]);
        uint64_t c = taken_over(r, fds[0]);
        expect_connected(r, c);
        assert_int_equal(faults_left(FAULT_SEND), 0);
        close(fds[1]);
        expect(r, PLX_ARRIVAL_END);
    }
}

static const arena_test tests[] = {
    { "one is connected and then receives", one_is_connected_and_then_receives, NULL },
    { "one that is connected already is told", one_that_is_connected_already_is_told, NULL },
    { "a Unix-domain one is connected", a_unix_domain_one_is_connected, NULL },
    { "orders wait until it is connected", orders_wait_until_it_is_connected, NULL },
    { "one that is refused is an error", one_that_is_refused_is_an_error, NULL },
    { "one that is refused and to be closed is closed", one_that_is_refused_and_to_be_closed_is_closed, NULL },
    { "one that is refused is released unconnected", one_that_is_refused_is_released_unconnected, NULL },
    { "one that gets no answer is an error", one_that_gets_no_answer_is_an_error, NULL },
    { "aborting one that connects does not wait", aborting_one_that_connects_does_not_wait, NULL },
    { "one that connects ends with the arena", one_that_connects_ends_with_the_arena, NULL },
    { "one that does not connect is an error", one_that_does_not_connect_is_an_error, NULL },
    { "what cannot connect is refused", what_cannot_connect_is_refused, NULL },
    { "no memory to connect is an answer", no_memory_to_connect_is_an_answer, NULL },
    { "what is not watched to connect is not taken over", what_is_not_watched_is_not_taken_over, "epoll" },
    { "an interrupted connect goes on", an_interrupted_connect_goes_on, "io_uring" },
};
const arena_suite connecting_suite = SUITE(tests);
