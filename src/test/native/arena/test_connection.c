/* SPDX-License-Identifier: Apache-2.0
 *
 * test_connection.c: how connections begin, end, pause, and change hands.
 */
#include "rig.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static void one_is_accepted_closed_and_gone(rig *r)
{
    int fd;
    rig_open(r, NULL);
    uint64_t c = accepted(r, &fd);
    order(r, c, PLX_ORDER_CLOSE, NULL, 0);
    assert_int_equal(expect(r, PLX_ARRIVAL_CLOSED)->connection, c);
    peer_expect_end(fd);
    order(r, c, PLX_ORDER_SEND, "late", 4);
    order(r, c, PLX_ORDER_CLOSE, NULL, 0);
    expect_silence(r);
    close(fd);
}

static void names_are_small_numbers_and_not_used_twice(rig *r)
{
    const plx_arena_sizes sizes = { .connections = 3 };
    uint64_t names[50];
    rig_open(r, &sizes);
    for (int i = 0; i < 50; i++) {
        int fd;
        names[i] = accepted(r, &fd);
        assert_true((uint32_t)names[i] < 3);
        assert_true(names[i] < (uint64_t)1 << 56);
        for (int k = 0; k < i; k++)
            assert_true(names[i] != names[k]);
        order(r, names[i], PLX_ORDER_CLOSE, NULL, 0);
        expect(r, PLX_ARRIVAL_CLOSED);
        close(fd);
    }
}

static void the_end_comes_after_the_data(rig *r)
{
    int fd;
    rig_open(r, NULL);
    uint64_t c = accepted(r, &fd);
    peer_send(fd, "last words", 10);
    shutdown(fd, SHUT_WR);
    expect_data(r, c, "last words", 10);
    assert_int_equal(expect(r, PLX_ARRIVAL_END)->connection, c);
    order(r, c, PLX_ORDER_SEND, "are heard", 9);
    order(r, c, PLX_ORDER_CLOSE, NULL, 0);
    expect(r, PLX_ARRIVAL_CLOSED);
    peer_expect(fd, "are heard", 9);
    peer_expect_end(fd);
    close(fd);
}

/* The caller may want to see the data again before the end. */
static void the_end_is_in_a_later_turn_than_the_data(rig *r)
{
    int fd;
    rig_open(r, NULL);
    uint64_t c = accepted(r, &fd);
    order(r, c, PLX_ORDER_PAUSE, NULL, 0);
    turn(r, 0);
    peer_send(fd, "last words", 10);
    close(fd);
    for (int t = 0; t < 3; t++)
        turn(r, MILLIS(10));
    order(r, c, PLX_ORDER_RESUME, NULL, 0);
    const plx_arrival *data = expect_data(r, c, "last words", 10);
    assert_int_equal(r->next, r->arrived);
    order(r, c, PLX_ORDER_AGAIN, bytes_of(data) + 5, 5);
    data = expect_data(r, c, "words", 5);
    order(r, c, PLX_ORDER_PAUSE, bytes_of(data), 5);
    expect_silence(r);
    order(r, c, PLX_ORDER_RESUME, NULL, 0);
    expect_data(r, c, "words", 5);
    expect(r, PLX_ARRIVAL_END);
    order(r, c, PLX_ORDER_CLOSE, NULL, 0);
    expect(r, PLX_ARRIVAL_CLOSED);
}

static void a_reset_is_an_error(rig *r)
{
    int fd;
    rig_open(r, NULL);
    uint64_t c = accepted(r, &fd);
    peer_reset(fd);
    const plx_arrival *error = expect(r, PLX_ARRIVAL_ERROR);
    assert_int_equal(error->connection, c);
    assert_int_equal(error->detail, ECONNRESET);
    expect_silence(r);
    order(r, c, PLX_ORDER_SEND, "in vain", 7);
    order(r, c, PLX_ORDER_CLOSE, NULL, 0);
    expect(r, PLX_ARRIVAL_CLOSED);
}

static void a_paused_one_reports_nothing_until_it_is_resumed(rig *r)
{
    int fd;
    rig_open(r, NULL);
    uint64_t c = accepted(r, &fd);
    order(r, c, PLX_ORDER_PAUSE, NULL, 0);
    turn(r, 0);
    peer_send(fd, "one, ", 5);
    expect_silence(r);
    peer_send(fd, "two", 3);
    shutdown(fd, SHUT_WR);
    expect_silence(r);
    order(r, c, PLX_ORDER_RESUME, NULL, 0);
    expect_data_in_parts(r, c, "one, two", 8);
    expect(r, PLX_ARRIVAL_END);
    expect_silence(r);
    close(fd);
}

static void requests_behind_a_deferred_one_wait(rig *r)
{
    int fd;
    rig_open(r, NULL);
    uint64_t c = accepted(r, &fd);
    peer_send(fd, "ABC", 3);
    const plx_arrival *data = expect_data(r, c, "ABC", 3);
    order(r, c, PLX_ORDER_PAUSE, bytes_of(data) + 1, 2);
    expect_silence(r);
    peer_send(fd, "D", 1);
    expect_silence(r);
    order(r, c, PLX_ORDER_SEND, "a", 1);
    order(r, c, PLX_ORDER_RESUME, NULL, 0);
    expect_data(r, c, "BCD", 3);
    peer_expect(fd, "a", 1);
    peer_send(fd, "E", 1);
    expect_data(r, c, "E", 1);
    close(fd);
}

/* What the kernel brings in before it hears of the pause is kept. */
static void nothing_is_lost_of_a_flood_into_a_paused_one(rig *r)
{
    enum { LENGTH = 4000000 };
    int fd;
    char *flood = pattern(LENGTH, 1);
    size_t sent = 0, got = 0;
    rig_open(r, NULL);
    uint64_t c = accepted(r, &fd);
    for (int round = 0; got < LENGTH; round++) {
        order(r, c, round % 2 ? PLX_ORDER_RESUME : PLX_ORDER_PAUSE, NULL, 0);
        for (ssize_t n; sent < LENGTH && (n = send(fd, flood + sent, LENGTH - sent, MSG_DONTWAIT)) > 0;)
            sent += (size_t)n;
        for (int t = 0; t < 3; t++) {
            turn(r, 0);
            for (; r->next < r->arrived; r->next++) {
                const plx_arrival *data = &r->v.arrivals[r->next];
                assert_int_equal(data->what, PLX_ARRIVAL_DATA);
                assert_true(round % 2);
                assert_memory_equal(bytes_of(data), flood + got, data->length);
                got += data->length;
            }
        }
    }
    close(fd);
    free(flood);
}

static void closing_waits_until_all_is_sent(rig *r)
{
    enum { LENGTH = 8000000 };
    int fd;
    char *reply = pattern(LENGTH, 2);
    rig_open(r, NULL);
    uint64_t c = accepted(r, &fd);
    order(r, c, PLX_ORDER_SEND, reply, LENGTH);
    order(r, c, PLX_ORDER_CLOSE, NULL, 0);
    expect_silence(r);
    for (size_t got = 0; got < LENGTH;) {
        got += peer_expect_some(fd, reply + got, LENGTH - got);
        if (r->next == r->arrived)
            turn(r, MILLIS(1)); /* it is closed when the kernel has all */
    }
    expect(r, PLX_ARRIVAL_CLOSED);
    peer_expect_end(fd);
    close(fd);
    free(reply);
}

static void aborting_does_not_wait(rig *r)
{
    enum { LENGTH = 8000000 };
    int fd;
    char *reply = pattern(LENGTH, 3);
    rig_open(r, NULL);
    uint64_t c = accepted(r, &fd);
    order(r, c, PLX_ORDER_SEND, reply, LENGTH);
    order(r, c, PLX_ORDER_CLOSE, NULL, 0);
    expect_silence(r);
    order(r, c, PLX_ORDER_ABORT, NULL, 0);
    expect(r, PLX_ARRIVAL_CLOSED);
    close(fd);
    free(reply);
}

static void aborting_in_the_turn_of_a_send_closes(rig *r)
{
    int fd;
    rig_open(r, NULL);
    uint64_t c = accepted(r, &fd);
    order(r, c, PLX_ORDER_SEND, "x", 1);
    order(r, c, PLX_ORDER_ABORT, NULL, 0);
    expect(r, PLX_ARRIVAL_CLOSED);
    expect_silence(r);
    close(fd);
}

static void shutting_down_closes_one_direction(rig *r)
{
    int fd;
    rig_open(r, NULL);
    uint64_t c = accepted(r, &fd);
    order(r, c, PLX_ORDER_SEND, "that is all", 11);
    order(r, c, PLX_ORDER_SHUTDOWN, NULL, 0);
    turn(r, 0);
    peer_expect(fd, "that is all", 11);
    peer_expect_end(fd);
    peer_send(fd, "but you go on", 13);
    expect_data(r, c, "but you go on", 13);
    close(fd);
    expect(r, PLX_ARRIVAL_END);
}

static void a_released_one_is_the_callers(rig *r)
{
    int fd;
    char bytes[8];
    rig_open(r, NULL);
    uint64_t c = accepted(r, &fd);
    peer_send(fd, "fast slow", 9);
    const plx_arrival *data = expect_data(r, c, "fast slow", 9);
    order(r, c, PLX_ORDER_SEND, "reply", 5);
    order(r, c, PLX_ORDER_RELEASE, bytes_of(data) + 5, 4);
    const plx_arrival *released = expect(r, PLX_ARRIVAL_RELEASED);
    assert_int_equal(released->connection, c);
    assert_int_equal(released->length, 4);
    assert_memory_equal(bytes_of(released), "slow", 4);
    int mine = (int)released->detail;
    assert_false(fcntl(mine, F_GETFL) & O_NONBLOCK);
    peer_send(fd, "more", 4);
    assert_int_equal(recv(mine, bytes, sizeof bytes, 0), 4);
    peer_expect(fd, "reply", 5);
    expect_silence(r);
    close(mine);
    peer_expect_end(fd);
    close(fd);
}

static void releasing_in_a_flood_loses_nothing(rig *r)
{
    enum { LENGTH = 300000 };
    char *flood = pattern(LENGTH, 4), *rest = malloc(LENGTH);
    rig_open(r, NULL);
    for (int round = 0; round < 20; round++) {
        int fd;
        uint64_t c = accepted(r, &fd);
        size_t sent = 0, got = 0;
        for (ssize_t n; sent < LENGTH && (n = send(fd, flood + sent, LENGTH - sent, MSG_DONTWAIT)) > 0;)
            sent += (size_t)n;
        const plx_arrival *data = expect(r, PLX_ARRIVAL_DATA);
        assert_memory_equal(bytes_of(data), flood, data->length);
        order(r, c, PLX_ORDER_RELEASE, bytes_of(data) + 1, data->length - 1);
        const plx_arrival *released = expect(r, PLX_ARRIVAL_RELEASED);
        assert_memory_equal(bytes_of(released), flood + 1, released->length);
        got = 1 + released->length;
        int mine = (int)released->detail;
        while (got < sent) {
            ssize_t n = recv(mine, rest, sent - got, 0);
            assert_true(n > 0);
            assert_memory_equal(rest, flood + got, (size_t)n);
            got += (size_t)n;
        }
        close(mine);
        close(fd);
    }
    free(flood);
    free(rest);
}

static void a_released_one_can_come_back(rig *r)
{
    int fd;
    rig_open(r, NULL);
    uint64_t c = accepted(r, &fd);
    for (int round = 0; round < 20; round++) {
        peer_send(fd, "12", 2);
        const plx_arrival *data = expect_data(r, c, "12", 2);
        order(r, c, PLX_ORDER_RELEASE, bytes_of(data) + 1, 1);
        const plx_arrival *released = expect(r, PLX_ARRIVAL_RELEASED);
        int64_t name = plx_arena_adopt(r->arena, (intptr_t)released->detail, bytes_of(released), released->length);
        assert_true(name >= 0);
        assert_true((uint64_t)name != c);
        c = (uint64_t)name;
        expect_data(r, c, "2", 1);
    }
    close(fd);
}

static void the_listener_pauses_and_resumes(rig *r)
{
    int first, second;
    rig_open(r, NULL);
    accepted(r, &first);
    order(r, r->listening, PLX_ORDER_PAUSE, NULL, 0);
    turn(r, 0);
    turn(r, 0);
    second = peer(r);
    expect_silence(r);
    order(r, r->listening, PLX_ORDER_RESUME, NULL, 0);
    expect(r, PLX_ARRIVAL_ACCEPTED);
    close(first);
    close(second);
}

static void the_listener_is_released_and_closed(rig *r)
{
    rig_open(r, NULL);
    order(r, r->listening, PLX_ORDER_RELEASE, NULL, 0);
    const plx_arrival *released = expect(r, PLX_ARRIVAL_RELEASED);
    assert_int_equal(released->detail, r->listener);
    int64_t name = plx_arena_listen(r->arena, r->listener);
    assert_true(name >= 0);
    int fd = peer(r);
    assert_int_equal(expect(r, PLX_ARRIVAL_ACCEPTED)->detail, name);
    order(r, (uint64_t)name, PLX_ORDER_CLOSE, NULL, 0);
    assert_int_equal(expect(r, PLX_ARRIVAL_CLOSED)->connection, name);
    close(fd);
}

static void a_listener_may_be_of_another_family(rig *r)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX }; /* Linux chooses a name, of no file */
    socklen_t length = sizeof address;
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    rig_open(r, NULL);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address.sun_family), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &length), 0);
    assert_int_equal(listen(listener, 10), 0);
    int64_t name = plx_arena_listen(r->arena, listener);
    assert_true(name >= 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, length), 0);
    const plx_arrival *arrival = expect(r, PLX_ARRIVAL_ACCEPTED);
    uint64_t c = arrival->connection;
    assert_int_equal(arrival->detail, name);
    peer_send(fd, "near", 4);
    const plx_arrival *data = expect_data(r, c, "near", 4);
    order(r, c, PLX_ORDER_SEND, bytes_of(data), 4);
    turn(r, 0);
    peer_expect(fd, "near", 4);
    close(fd);
    assert_int_equal(expect(r, PLX_ARRIVAL_END)->connection, c);
}

static const arena_test tests[] = {
    { "a connection is accepted, closed, and gone", one_is_accepted_closed_and_gone, NULL },
    { "names are small numbers and not used twice", names_are_small_numbers_and_not_used_twice, NULL },
    { "the end comes after the data", the_end_comes_after_the_data, NULL },
    { "the end is in a later turn than the data", the_end_is_in_a_later_turn_than_the_data, NULL },
    { "a reset is an error", a_reset_is_an_error, NULL },
    { "a paused one reports nothing until it is resumed", a_paused_one_reports_nothing_until_it_is_resumed, NULL },
    { "requests behind a deferred one wait", requests_behind_a_deferred_one_wait, NULL },
    { "nothing is lost of a flood into a paused one", nothing_is_lost_of_a_flood_into_a_paused_one, NULL },
    { "closing waits until all is sent", closing_waits_until_all_is_sent, NULL },
    { "aborting does not wait", aborting_does_not_wait, NULL },
    { "aborting in the turn of a send closes", aborting_in_the_turn_of_a_send_closes, NULL },
    { "shutting down closes one direction", shutting_down_closes_one_direction, NULL },
    { "a released one is the caller's", a_released_one_is_the_callers, NULL },
    { "releasing in a flood loses nothing", releasing_in_a_flood_loses_nothing, NULL },
    { "a released one can come back", a_released_one_can_come_back, NULL },
    { "the listener pauses and resumes", the_listener_pauses_and_resumes, NULL },
    { "the listener is released and closed", the_listener_is_released_and_closed, NULL },
    { "a listener may be of another family", a_listener_may_be_of_another_family, NULL },
};
const arena_suite connection_suite = SUITE(tests);
