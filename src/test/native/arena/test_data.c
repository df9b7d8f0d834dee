/* SPDX-License-Identifier: Apache-2.0
 *
 * test_data.c: requests that come whole, in parts, many at once, and larger than a buffer.
 */
#include "rig.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void parts_are_joined(rig *r)
{
    const char request[] = "GET / HTTP/1.1\r\n\r\n";
    int fd;
    rig_open(r, NULL);
    uint64_t c = accepted(r, &fd);
    for (size_t length = 1; length < sizeof request; length++) {
        peer_send(fd, request + length - 1, 1);
        const plx_arrival *data = expect_data(r, c, request, length);
        order(r, c, PLX_ORDER_KEEP, bytes_of(data), data->length);
    }
    close(fd);
}

static void what_is_kept_may_be_the_end_of_more(rig *r)
{
    int fd;
    rig_open(r, NULL);
    uint64_t c = accepted(r, &fd);
    peer_send(fd, "whole, par", 10);
    const plx_arrival *data = expect_data(r, c, "whole, par", 10);
    order(r, c, PLX_ORDER_SEND, bytes_of(data), 7);
    order(r, c, PLX_ORDER_KEEP, bytes_of(data) + 7, 3);
    expect_silence(r);
    peer_expect(fd, "whole, ", 7);
    peer_send(fd, "t, whole", 8);
    expect_data(r, c, "part, whole", 11);
    peer_send(fd, "!", 1);
    expect_data(r, c, "!", 1);
    close(fd);
}

static void what_is_to_be_seen_again_comes_at_once(rig *r)
{
    int fd;
    rig_open(r, NULL);
    uint64_t c = accepted(r, &fd);
    peer_send(fd, "12345", 5);
    for (int i = 0; i < 5; i++) {
        const plx_arrival *data = expect_data(r, c, "12345" + i, 5 - (size_t)i);
        order(r, c, PLX_ORDER_SEND, bytes_of(data), 1);
        if (data->length > 1)
            order(r, c, PLX_ORDER_AGAIN, bytes_of(data) + 1, data->length - 1);
    }
    expect_silence(r);
    peer_expect(fd, "12345", 5);
    close(fd);
}

static void a_message_larger_than_buffers_is_joined(rig *r)
{
    const plx_arena_sizes sizes = { .buffers = 4, .buffer_size = 512, .request_limit = 100000 };
    char *message = pattern(100000, 5);
    int fd;
    rig_open(r, &sizes);
    uint64_t c = accepted(r, &fd);
    peer_send(fd, message, 100000);
    expect_data_in_parts(r, c, message, 100000);
    close(fd);
    free(message);
}

static void more_than_may_be_kept_is_an_error(rig *r)
{
    const plx_arena_sizes sizes = { .request_limit = 3000 };
    char *message = pattern(3001, 6);
    int fd;
    rig_open(r, &sizes);
    uint64_t c = accepted(r, &fd);
    peer_send(fd, message, 3000);
    const plx_arrival *data = expect_data_in_parts(r, c, message, 3000);
    order(r, c, PLX_ORDER_KEEP, bytes_of(data), 3000);
    peer_send(fd, message + 3000, 1);
    data = expect_data(r, c, message, 3001);
    order(r, c, PLX_ORDER_KEEP, bytes_of(data), 3001);
    const plx_arrival *error = expect(r, PLX_ARRIVAL_ERROR);
    assert_int_equal(error->connection, c);
    assert_int_equal(error->detail, EMSGSIZE);
    peer_send(fd, "x", 1);
    expect_silence(r);
    order(r, c, PLX_ORDER_CLOSE, NULL, 0);
    expect(r, PLX_ARRIVAL_CLOSED);
    close(fd);
    free(message);
}

static void what_is_kept_does_not_delay_the_end(rig *r)
{
    int fd;
    rig_open(r, NULL);
    uint64_t c = accepted(r, &fd);
    peer_send(fd, "unfinished", 10);
    const plx_arrival *data = expect_data(r, c, "unfinished", 10);
    order(r, c, PLX_ORDER_KEEP, bytes_of(data), data->length);
    turn(r, 0);
    close(fd);
    expect(r, PLX_ARRIVAL_END);
    order(r, c, PLX_ORDER_CLOSE, NULL, 0);
    expect(r, PLX_ARRIVAL_CLOSED);
}

static void a_turn_has_one_arrival_of_data_for_a_connection(rig *r)
{
    enum { PEERS = 20, LENGTH = 20000 };
    int fds[PEERS];
    uint64_t names[PEERS];
    size_t got[PEERS] = { 0 }, all = 0;
    char *message = pattern(LENGTH, 7);
    rig_open(r, NULL);
    for (int i = 0; i < PEERS; i++)
        names[i] = accepted(r, &fds[i]);
    for (int i = 0; i < PEERS; i++)
        peer_send(fds[i], message, LENGTH);
    while (all < PEERS * LENGTH) {
        bool seen[PEERS] = { false };
        turn(r, SECONDS(5));
        assert_true(r->arrived > 0);
        for (; r->next < r->arrived; r->next++) {
            const plx_arrival *data = &r->v.arrivals[r->next];
            int i = 0;
            while (names[i] != data->connection)
                assert_true(++i < PEERS);
            assert_false(seen[i]);
            seen[i] = true;
            assert_memory_equal(bytes_of(data), message + got[i], data->length);
            got[i] += data->length;
            all += data->length;
        }
    }
    for (int i = 0; i < PEERS; i++)
        close(fds[i]);
    free(message);
}

static void no_memory_for_what_is_kept_is_an_error(rig *r)
{
    int fd;
    rig_open(r, NULL);
    uint64_t c = accepted(r, &fd);
    peer_send(fd, "x", 1);
    const plx_arrival *data = expect_data(r, c, "x", 1);
    order(r, c, PLX_ORDER_KEEP, bytes_of(data), data->length);
    fail_allocation(1);
    turn(r, 0);
    fail_allocation(0);
    assert_int_equal(expect(r, PLX_ARRIVAL_ERROR)->detail, ENOMEM);
    close(fd);
}

/* Processor time, which does not depend on how busy the machine is. */
static int64_t worked(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * SECONDS(1) + time.tv_nsec;
}

/* In thousands of parts, of each of which some is handed back. */
static void many_unread_bytes_are_moved_once(rig *r)
{
    enum { LENGTH = 1 << 25, BACK = 100 };
    const plx_arena_sizes sizes = { .buffers = 16, .buffer_size = 1024, .request_limit = 4096 };
    char *sent = pattern(LENGTH, 24);
    int fds[2];
    rig_open(r, &sizes);
    tcp_pair(fds);
    int64_t began = worked(), name = plx_arena_adopt(r->arena, fds[0], sent, LENGTH);
    assert_true(name > 0);
    for (uint32_t got = 0; got < LENGTH;) {
        const plx_arrival *data = expect(r, PLX_ARRIVAL_DATA);
        uint32_t back = got + data->length < LENGTH ? BACK : 0;
        assert_memory_equal(bytes_of(data), sent + got, data->length);
        if (back > 0)
            order(r, (uint64_t)name, PLX_ORDER_AGAIN, bytes_of(data) + data->length - back, back);
        got += data->length - back;
    }
    assert_true(worked() - began < SECONDS(3));
    close(fds[1]);
    free(sent);
}

static const arena_test tests[] = {
    { "many unread bytes are moved once", many_unread_bytes_are_moved_once, NULL },
    { "parts are joined", parts_are_joined, NULL },
    { "what is kept may be the end of more", what_is_kept_may_be_the_end_of_more, NULL },
    { "what is to be seen again comes at once", what_is_to_be_seen_again_comes_at_once, NULL },
    { "a message larger than buffers is joined", a_message_larger_than_buffers_is_joined, NULL },
    { "more than may be kept is an error", more_than_may_be_kept_is_an_error, NULL },
    { "what is kept does not delay the end", what_is_kept_does_not_delay_the_end, NULL },
    { "a turn has one arrival of data for a connection", a_turn_has_one_arrival_of_data_for_a_connection, NULL },
    { "no memory for what is kept is an error", no_memory_for_what_is_kept_is_an_error, NULL },
};
const arena_suite data_suite = SUITE(tests);
