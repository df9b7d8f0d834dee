/* SPDX-License-Identifier: Apache-2.0
 *
 * test_flusher.c: how often the flusher looks.
 */
#include "suites.h"

enum { FLUSH_MICROS = 100, LOOKS_A_SECOND = 1200 };

static const void *const self = &self;

/* A loop that sends by itself what it defers leaves nothing to do; only its length is measured, not the time of a
 * single look. */
static void count_looks(void)
{
    plx_batch *batch;
    conn all[2];
    assert_int_equal(plx_batch_open(&batch), 0);
    for (uint32_t i = 0; i < 2; i++) {
        conn_open(&all[i], i, true);
        plx_batch_adopt(batch, all[i].near);
    }
    assert_int_equal(activate(batch, self), 0);
    int before = flusher_waits(), turns = 0;
    int64_t since = now(), length;
    for (; (length = now() - since) < SECONDS(1); turns++) {
        for (int i = 0; i < 2; i++) {
            assert_int_equal(conn_write(&all[i], self, 10), 10);
            atomic_fetch_add(&batch->turn_writes, 2); /* company enough */
        }
        nap(FLUSH_MICROS * 1000);
        assert_int_equal(plx_batch_end_turn(batch, self), 0);
        for (int i = 0; i < 2; i++)
            conn_hear(&all[i]);
    }
    int looks = flusher_waits() - before;
    plx_batch_counts counts;
    plx_batch_count(batch, &counts);
    assert_true(turns > 100);
    assert_int_equal(counts.writes, 2 * turns);
    assert_in_range(looks, 1, LOOKS_A_SECOND * length / SECONDS(1));
    nap(MILLIS(200));
    before = flusher_calls();
    nap(MILLIS(500));
    assert_int_equal(flusher_calls() - before, 0);
    for (int i = 0; i < 2; i++) {
        conn_hear(&all[i]);
        assert_true(conn_heard_all(&all[i]));
    }
}

static void it_looks_once_a_millisecond_at_most_and_not_at_all_when_idle(void **unused)
{
    (void)unused;
    run_alone("looks", count_looks);
}

const struct CMUnitTest flusher_tests[] = {
    cmocka_unit_test(it_looks_once_a_millisecond_at_most_and_not_at_all_when_idle),
    { 0 },
};
