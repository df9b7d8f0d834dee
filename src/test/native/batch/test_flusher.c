/* SPDX-License-Identifier: Apache-2.0
 *
 * test_flusher.c: how often the flusher looks. All its calls are counted: where the kernel refuses those that wait, it
 * must not ask again and again.
 */
#include "suites.h"

#include <errno.h>

enum { FLUSH_MICROS = 100, LOOKS_A_SECOND = 1200, REFUSED = 2 };

static const void *const self = &self;

/* A loop that sends by itself what it defers leaves nothing to do; only its length is measured, not the time of a
 * single look. */
static void count_looks(const void *argument)
{
    const fault *refused = argument;
    plx_batch *batch;
    conn all[2];
    for (int i = 0; i < REFUSED; i++)
        if (refused[i].count > 0)
            inject(refused[i]);
    assert_int_equal(plx_batch_open(&batch), 0);
    for (uint32_t i = 0; i < 2; i++) {
        conn_open(&all[i], i, true);
        plx_batch_adopt(batch, all[i].near);
    }
    assert_int_equal(activate(batch, self), 0);
    nap(MILLIS(20)); /* it has found out what is refused */
    int before = flusher_calls(), turns = 0;
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
    int looks = flusher_calls() - before;
    plx_batch_counts counts;
    plx_batch_count(batch, &counts);
    assert_true(turns > 100);
    assert_in_range(counts.writes, turns, 2 * turns); /* of a turn that is late the second write is not deferred */
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
    static const fault refused[][REFUSED] = {
        { { 0 } },
        { { CALL_PWAIT2, 1, FOR_EVER, EPERM } },
        { { CALL_PWAIT2, 1, FOR_EVER, EPERM }, { CALL_PPOLL, 1, FOR_EVER, EPERM } },
        { { CALL_PWAIT2, 1, FOR_EVER, ENOSYS }, { CALL_EPOLL_WAIT, 1, FOR_EVER, ENOSYS } },
    };
    (void)unused;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        start_child("looks", count_looks, refused[i], sizeof refused[i]);
    finish_children();
}

const struct CMUnitTest flusher_tests[] = {
    cmocka_unit_test(it_looks_once_a_millisecond_at_most_and_not_at_all_when_idle),
    { 0 },
};
