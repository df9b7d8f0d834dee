/* SPDX-License-Identifier: Apache-2.0
 *
 * test_turns.c: a thread takes a loop over while the one before still writes. What that writes is sent before the new
 * one waits, or at once: else it would stay until the flusher looks, and here that never does.
 */
#include "suites.h"

static const void *const before = &before, *const next = &next;
static conn c;
static int late_writes;

static void write_late(void)
{
    assert_int_equal(conn_write(&c, before, 100), 100);
    late_writes++;
}

static void take_over(void)
{
    plx_batch *batch;
    assert_int_equal(plx_batch_open(&batch), 0);
    assert_int_equal(activate(batch, before), 0);
    conn_open(&c, 1, true);
    plx_batch_adopt(batch, c.near);
    hold_flusher();
    assert_int_equal(conn_write(&c, before, 10), 10);
    assert_int_equal(plx_owed_for(&plx_streams[c.near]), PLX_OWED_DEFERRED);
    after_unlock(&batch->lock, write_late);
    assert_int_equal(plx_batch_end_turn(batch, next), 0);
    after_unlock(NULL, NULL);
    assert_true(late_writes > 0);
    assert_int_equal(plx_owed_for(&plx_streams[c.near]), PLX_OWED_NOTHING);
    for (int64_t until = now() + SECONDS(20); conn_hear(&c), !conn_heard_all(&c); nap(MILLIS(1)))
        assert_true(now() < until);
    release_flusher();
}

static void nothing_is_deferred_for_a_thread_that_has_lost_its_loop(void **unused)
{
    (void)unused;
    run_alone("takes over", take_over);
}

const struct CMUnitTest turn_tests[] = {
    cmocka_unit_test(nothing_is_deferred_for_a_thread_that_has_lost_its_loop),
    { 0 },
};
