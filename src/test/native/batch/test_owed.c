/* SPDX-License-Identifier: Apache-2.0
 *
 * test_owed.c: walks the states that are drawn in batch.h, at random, beside a model of them. The flusher is held, so
 * that each change is one of ours. Each arrow has to be taken.
 */
#include "suites.h"

#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

enum { STATES = PLX_OWED_ERROR + 1, STEPS = 20000, SEEDS = 4, SMALL = 200, LARGE = 9000 };
typedef enum { WRITE, FLUSH, ROOM, ERROR, NO_MEMORY, SHUT, CLOSE, TAKE, READ, OPERATIONS } operation;

static const void *const self = &self;
static plx_batch *batch;
static conn c;
static bool is_shut;
static uint32_t next_seed, state_of_random;
static int taken[OPERATIONS][STATES][STATES];

static uint32_t some(uint32_t limit)
{
    state_of_random = state_of_random * 1664525 + 1013904223;
    return (state_of_random >> 8) % limit;
}

static plx_owed owed(void)
{
    return plx_owed_for(&plx_streams[c.near]);
}

static void begin(void)
{
    conn_open(&c, next_seed++, true);
    plx_batch_adopt(batch, c.near);
    is_shut = false;
}

/* After an error, or with bytes in other hands, the peer misses some: a new connection. */
static void begin_again(void)
{
    plx_batch_release(c.near);
    conn_drop(&c);
    begin();
}

/* What is owed and what the peer has heard or will hear are all that was written. */
static void check_end(void)
{
    for (int64_t until = now() + SECONDS(20); conn_hear(&c), !c.has_ended; nap(1000))
        assert_true(now() < until && !c.was_reset);
    assert_int_equal(c.heard, c.written);
}

static void fail_next_send(void)
{
    inject_again((fault){ CALL_SENDTO, calls_of(CALL_SENDTO) + 1, 1, ECONNRESET });
}

static void expect_one_of(plx_owed one, plx_owed another)
{
    if (owed() != one && owed() != another)
        fail_msg("owes %d, and not %d or %d", (int)owed(), (int)one, (int)another);
}

/* ---- the operations: what each may lead to ---- */

static void write_some(plx_owed before)
{
    long n = is_shut ? 0 : conn_write(&c, self, some(3) == 0 ? LARGE : 1 + some(SMALL));
    if (is_shut)
        return;
    if (before == PLX_OWED_ERROR) {
        assert_int_equal(n, -ECONNRESET);
        assert_int_equal(owed(), PLX_OWED_NOTHING);
        taken[WRITE][before][PLX_OWED_NOTHING]++;
        begin_again();
    } else if (n > 0) {
        assert_int_not_equal(owed(), PLX_OWED_ERROR); /* in a long turn it may be sent at once */
        assert_int_not_equal(owed(), PLX_OWED_LAST_REST);
    } else {
        assert_int_equal(n, -EAGAIN);
        assert_int_equal(owed(), PLX_OWED_REST);
    }
}

static void end_turn(plx_owed before)
{
    atomic_store(&batch->turn_writes, 2 * PLX_BATCH_WRITES_TO_BEGIN); /* company enough */
    assert_int_equal(plx_batch_end_turn(batch, self), 0);
    if (before == PLX_OWED_DEFERRED)
        expect_one_of(is_shut ? PLX_OWED_LAST_REST : PLX_OWED_REST, PLX_OWED_NOTHING);
    else
        assert_int_equal(owed(), before);
}

/* The peer reads, and a call, or the flusher, sends what is left. */
static void give_room(plx_owed before)
{
    int64_t until = now() + SECONDS(20);
    if (some(2) == 0 && plx_has_rest(&plx_streams[c.near])) {
        release_flusher();
        for (; plx_has_rest(&plx_streams[c.near]) && now() < until; nap(10000))
            conn_hear(&c);
        hold_flusher();
    } else {
        for (; plx_has_rest(&plx_streams[c.near]) && now() < until; nap(1000)) {
            conn_hear(&c);
            long code = plx_stream_before_call(&plx_streams[c.near], c.near);
            assert_true(code == 0 || code == -EAGAIN);
        }
    }
    conn_hear(&c);
    if (before == PLX_OWED_REST || before == PLX_OWED_LAST_REST)
        assert_int_equal(owed(), PLX_OWED_NOTHING);
    else
        assert_int_equal(owed(), before);
    if (before == PLX_OWED_NOTHING && is_shut) {
        check_end();
        begin_again();
    }
}

static void meet_error(plx_owed before)
{
    unsigned char byte;
    if (before != PLX_OWED_DEFERRED && before != PLX_OWED_REST && before != PLX_OWED_LAST_REST)
        return;
    fail_next_send();
    pthread_mutex_lock(&batch->lock);
    if (before == PLX_OWED_DEFERRED)
        plx_batch_flush(batch, PLX_FLUSH_WAIT);
    else
        assert_true(plx_stream_send_rest(&plx_streams[c.near], c.near));
    pthread_mutex_unlock(&batch->lock);
    assert_int_equal(owed(), PLX_OWED_ERROR);
    if (is_shut) { /* a write is of no use any more */
        taken[ERROR][before][PLX_OWED_ERROR]++;
        assert_int_equal(read_as(self, c.near, &byte, 1), -ECONNRESET);
        assert_int_equal(owed(), PLX_OWED_NOTHING);
        begin_again();
    }
}

/* What a full socket leaves of it stays in the batch. */
static void lack_memory(plx_owed before)
{
    if (before != PLX_OWED_DEFERRED)
        return;
    atomic_store(&batch->turn_writes, 2 * PLX_BATCH_WRITES_TO_BEGIN);
    fail_allocations(true);
    assert_int_equal(plx_batch_end_turn(batch, self), 0);
    fail_allocations(false);
    expect_one_of(PLX_OWED_DEFERRED, PLX_OWED_NOTHING);
}

static void shut(plx_owed before)
{
    if (is_shut || before == PLX_OWED_ERROR)
        return;
    fail_allocations(some(2) == 0);
    shut_as(c.near);
    fail_allocations(false);
    is_shut = true;
    if (before == PLX_OWED_DEFERRED && owed() == PLX_OWED_DEFERRED)
        assert_true(batch->entries[plx_streams[c.near].entry].shuts_output);
    else
        expect_one_of(PLX_OWED_LAST_REST, PLX_OWED_NOTHING);
}

static void close_it(plx_owed before)
{
    int fd = c.near;
    plx_batch_release(fd);
    plx_owed last = owed();
    conn_close(&c);
    assert_int_equal(plx_owed_for(&plx_streams[fd]), PLX_OWED_NOTHING);
    assert_null(plx_stream_of(fd));
    release_flusher();
    if (before != PLX_OWED_ERROR && last != PLX_OWED_ERROR)
        check_end();
    hold_flusher();
    taken[CLOSE][before][PLX_OWED_NOTHING]++;
    conn_drop(&c);
    begin();
}

static void take_it(plx_owed before)
{
    char *bytes;
    bool was_shut = is_shut;
    fail_allocations(false);
    long length = plx_stream_take_owed(&plx_streams[c.near], c.near, &bytes);
    assert_int_equal(owed(), PLX_OWED_NOTHING);
    if (before == PLX_OWED_ERROR)
        assert_int_equal(length, -ECONNRESET);
    else
        assert_true(length >= 0);
    if (before == PLX_OWED_NOTHING)
        assert_int_equal(length, 0);
    taken[TAKE][before][PLX_OWED_NOTHING]++;
    if (length == 0)
        return;
    uint64_t kept = c.written - (uint64_t)(length < 0 ? 0 : length);
    for (long i = 0; i < length; i++)
        assert_int_equal((unsigned char)bytes[i], byte_at(c.seed, kept + (uint64_t)i));
    free(bytes);
    if (length > 0 && !was_shut) {
        c.written = kept;
        for (int64_t until = now() + SECONDS(20); conn_hear(&c), !conn_heard_all(&c); nap(1000))
            assert_true(now() < until);
    }
    begin_again();
}

static void read_nothing(plx_owed before)
{
    unsigned char byte;
    long n = read_as(self, c.near, &byte, 1);
    assert_int_equal(n, before == PLX_OWED_ERROR ? -ECONNRESET : -EAGAIN);
    if (before == PLX_OWED_ERROR) {
        assert_int_equal(owed(), PLX_OWED_NOTHING);
        taken[READ][before][PLX_OWED_NOTHING]++;
        begin_again();
    }
}

static void (*const operations[OPERATIONS])(plx_owed) = { write_some, end_turn, give_room, meet_error, lack_memory,
                                                          shut,       close_it, take_it,   read_nothing };

static void expect_arrow(operation o, plx_owed from, plx_owed to)
{
    if (taken[o][from][to] == 0)
        fail_msg("operation %d never led from %d to %d", (int)o, (int)from, (int)to);
}

static void expect_each_arrow(void)
{
    expect_arrow(WRITE, PLX_OWED_NOTHING, PLX_OWED_DEFERRED);
    expect_arrow(WRITE, PLX_OWED_DEFERRED, PLX_OWED_DEFERRED);
    expect_arrow(FLUSH, PLX_OWED_DEFERRED, PLX_OWED_NOTHING);
    expect_arrow(FLUSH, PLX_OWED_DEFERRED, PLX_OWED_REST);
    expect_arrow(FLUSH, PLX_OWED_DEFERRED, PLX_OWED_LAST_REST);
    expect_arrow(ROOM, PLX_OWED_REST, PLX_OWED_NOTHING);
    expect_arrow(ROOM, PLX_OWED_LAST_REST, PLX_OWED_NOTHING);
    expect_arrow(ERROR, PLX_OWED_DEFERRED, PLX_OWED_ERROR);
    expect_arrow(ERROR, PLX_OWED_REST, PLX_OWED_ERROR);
    expect_arrow(ERROR, PLX_OWED_LAST_REST, PLX_OWED_ERROR);
    expect_arrow(NO_MEMORY, PLX_OWED_DEFERRED, PLX_OWED_DEFERRED);
    expect_arrow(SHUT, PLX_OWED_REST, PLX_OWED_LAST_REST);
    expect_arrow(SHUT, PLX_OWED_DEFERRED, PLX_OWED_DEFERRED);
    expect_arrow(WRITE, PLX_OWED_ERROR, PLX_OWED_NOTHING);
    expect_arrow(READ, PLX_OWED_ERROR, PLX_OWED_NOTHING);
    for (plx_owed each = PLX_OWED_NOTHING; each <= PLX_OWED_ERROR; each++) {
        expect_arrow(CLOSE, each, PLX_OWED_NOTHING);
        expect_arrow(TAKE, each, PLX_OWED_NOTHING);
    }
}

static void walk(const void *seed)
{
    static const operation often[] = { WRITE, WRITE, WRITE, WRITE, WRITE, FLUSH, FLUSH };
    enum { OFTEN = sizeof often / sizeof *often };
    state_of_random = *(const uint32_t *)seed;
    assert_int_equal(plx_batch_open(&batch), 0);
    assert_int_equal(activate(batch, self), 0);
    hold_flusher();
    begin();
    for (int step = 0; step < STEPS; step++) {
        uint32_t drawn = some(3 * OPERATIONS);
        operation o = drawn < OPERATIONS ? (operation)drawn : often[drawn % OFTEN];
        plx_owed before = owed();
        operations[o](before);
        taken[o][before][owed()]++;
    }
    expect_each_arrow();
    release_flusher();
}

static void what_is_owed_goes_from_state_to_state_as_drawn(void **unused)
{
    (void)unused;
    for (uint32_t seed = 1; seed <= SEEDS; seed++) {
        char title[32];
        snprintf(title, sizeof title, "seed %u", seed);
        start_child(title, walk, &seed, sizeof seed);
    }
    finish_children();
}

const struct CMUnitTest owed_tests[] = {
    cmocka_unit_test(what_is_owed_goes_from_state_to_state_as_drawn),
    { 0 },
};
