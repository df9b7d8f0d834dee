/* SPDX-License-Identifier: Apache-2.0
 *
 * test_pin.c: threads that are pinned to one processor each; in threads of their own, which end then.
 */
#include "support.h"

#include "system/pin.h"

#include <sched.h>
#include <unistd.h>

typedef struct {
    uint32_t index;
    bool starts_another;
    int code;
    cpu_set_t runs_on;
} worker;

static void *work(void *argument)
{
    worker *w = argument;
    pthread_t thread;
    w->code = plx_pin_thread(w->index);
    sched_getaffinity(0, sizeof w->runs_on, &w->runs_on);
    if (w->starts_another) { /* which is pinned as this one, when it starts */
        w->index++;
        w->starts_another = false;
        pthread_create(&thread, NULL, work, w);
        pthread_join(thread, NULL);
    }
    return NULL;
}

static void run(worker *w)
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, work, w), 0);
    pthread_join(thread, NULL);
    assert_int_equal(w->code, 0);
    assert_int_equal(CPU_COUNT(&w->runs_on), 1);
}

/* The processors of the process. */
static cpu_set_t all(void)
{
    cpu_set_t set;
    assert_int_equal(sched_getaffinity(getpid(), sizeof set, &set), 0);
    return set;
}

static void each_index_is_another_processor(plx_set *set)
{
    cpu_set_t left = all();
    uint32_t count = (uint32_t)CPU_COUNT(&left);
    (void)set;
    for (uint32_t index = 0; index < count; index++) {
        worker w = { .index = index }, again = { .index = index + count };
        run(&w);
        run(&again);
        assert_true(CPU_EQUAL(&w.runs_on, &again.runs_on));
        for (size_t n = 0; n < CPU_SETSIZE; n++) {
            if (!CPU_ISSET(n, &w.runs_on))
                continue;
            assert_true(CPU_ISSET(n, &left));
            CPU_CLR(n, &left);
        }
    }
    assert_int_equal(CPU_COUNT(&left), 0);
}

static void a_thread_of_one_that_is_pinned_may_be_pinned_elsewhere(plx_set *set)
{
    worker second = { .index = 1 }, child = { .index = 0, .starts_another = true };
    (void)set;
    run(&second);
    run(&child);
    assert_true(CPU_EQUAL(&second.runs_on, &child.runs_on));
}

static void processors_are_those_of_the_first_call(plx_set *set)
{
    cpu_set_t before = all(), one;
    worker w = { .index = 1 }, again = { .index = 1 };
    (void)set;
    run(&w);
    CPU_ZERO(&one);
    CPU_SET((size_t)sched_getcpu(), &one);
    assert_int_equal(sched_setaffinity(getpid(), sizeof one, &one), 0);
    run(&again);
    assert_int_equal(sched_setaffinity(getpid(), sizeof before, &before), 0);
    assert_true(CPU_EQUAL(&w.runs_on, &again.runs_on));
}

static const plx_test pin_tests[] = {
    { "each index is another processor", each_index_is_another_processor, 0 },
    { "a thread of one that is pinned may be pinned elsewhere", a_thread_of_one_that_is_pinned_may_be_pinned_elsewhere,
      0 },
    { "processors are those of the first call", processors_are_those_of_the_first_call, 0 },
};
const plx_suite pin_suite = SUITE(pin_tests);
