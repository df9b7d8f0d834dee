/* SPDX-License-Identifier: Apache-2.0
 *
 * test_model.c: thousands of random steps, the same each time, against a model of an array: what is added for which
 * events and with which cookie, and what is readable. Descriptors are eventfds: always writable.
 */
#include "support.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { SLOTS = 96, STEPS = 20000 };

typedef struct {
    int fd;
    bool readable, added;
    uint32_t gen, interest;
} slot;

typedef struct {
    plx_set *set;
    slot slots[SLOTS];
    uint32_t random, gen;
    bool woken;
} model;

/* Numerical Recipes' constants; the high bits are the good ones. */
static uint32_t below(model *m, uint32_t limit)
{
    m->random = m->random * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)m->random * limit >> 32);
}

static void watch(model *m, slot *s, uint32_t interest)
{
    s->gen = ++m->gen;
    s->interest = interest;
    if (!s->added && below(m, 10) == 0)
        assert_int_equal(modify(m->set, s->fd, s->gen, interest), -ENOENT);
    if (s->added && below(m, 2) == 0)
        modify_ok(m->set, s->fd, s->gen, interest);
    else
        add_ok(m->set, s->fd, s->gen, interest);
    s->added = true;
}

static void forget(model *m, slot *s)
{
    remove_ok(m->set, s->fd);
    s->added = false;
    s->interest = 0;
}

static void toggle_readable(slot *s)
{
    eventfd_t value;
    assert_int_equal(s->readable ? eventfd_read(s->fd, &value) : eventfd_write(s->fd, 1), 0);
    s->readable = !s->readable;
}

/* The number stays, the open file is another; who has told the library may not say so, epoll(7) knows of itself. */
static void reopen(model *m, slot *s)
{
    if (s->added && below(m, 2) == 0)
        forget(m, s);
    replace(s->fd, counter(s->readable));
    if (s->added) {
        s->gen = ++m->gen;
        add_ok(m->set, s->fd, s->gen, s->interest);
    }
}

static void step(model *m)
{
    static const uint32_t interests[] = { PLX_IN, PLX_OUT, PLX_IN | PLX_OUT, PLX_PRI, PLX_IN | PLX_RDHUP, 0 };
    slot *s = &m->slots[below(m, SLOTS)];
    switch (below(m, 8)) {
    case 0:
    case 1:
        watch(m, s, interests[below(m, 6)]);
        break;
    case 2:
    case 3:
        forget(m, s);
        break;
    case 4:
    case 5:
        toggle_readable(s);
        break;
    case 6:
        reopen(m, s);
        break;
    default:
        assert_int_equal(plx_wakeup(m->set), 0);
        m->woken = true;
    }
}

static uint32_t expected_of(const slot *s)
{
    return s->interest & ((s->readable ? (uint32_t)PLX_IN : 0) | (uint32_t)PLX_OUT);
}

/* How many entries that takes. */
static int entries_of(const model *m, const slot *s)
{
    uint32_t expected = expected_of(s);
    return plx_caps(m->set) & PLX_CAP_MERGED ? expected != 0 : !!(expected & PLX_IN) + !!(expected & PLX_OUT);
}

/* Everything fits: exactly what the model says, each once. */
static void check_all(model *m)
{
    plx_event e[2 * SLOTS + 2];
    int n = plx_await(m->set, e, 2 * SLOTS + 2, 0), expected = m->woken;
    assert_int_equal(wakeups_in(e, n), m->woken);
    m->woken = false;
    for (int i = 0; i < SLOTS; i++) {
        const slot *s = &m->slots[i];
        expected += entries_of(m, s);
        assert_int_equal(events_of(e, n, s->fd), expected_of(s));
        for (int k = 0; k < n; k++)
            if (!is_wakeup(e[k]) && fd_of(e[k]) == s->fd)
                assert_int_equal(gen_of(e[k]), s->gen);
    }
    assert_int_equal(n, expected);
}

/* Too little room: nothing that the model does not say, and as much as fits. */
static void check_some(model *m, int cap)
{
    plx_event e[SLOTS + 2];
    int n = plx_await(m->set, e, cap, 0), expected = m->woken;
    for (int i = 0; i < SLOTS; i++)
        expected += entries_of(m, &m->slots[i]);
    assert_int_equal(n, expected < cap ? expected : cap);
    for (int k = 0; k < n; k++) {
        const slot *s = m->slots;
        if (is_wakeup(e[k])) {
            assert_true(m->woken);
            m->woken = false;
            continue;
        }
        while (s < m->slots + SLOTS && s->fd != fd_of(e[k]))
            s++;
        assert_true(s < m->slots + SLOTS);
        assert_true(e[k].events != 0);
        uint32_t expected_events = plx_caps(m->set) & PLX_CAP_MERGED ? expected_of(s) : e[k].events & expected_of(s);
        assert_int_equal(e[k].events, expected_events);
        assert_int_equal(gen_of(e[k]), s->gen);
    }
}

static void run_model(plx_set *set, uint32_t seed)
{
    model m = { .set = set, .random = seed };
    for (int i = 0; i < SLOTS; i++)
        m.slots[i].fd = counter(false);
    for (int i = 0; i < STEPS; i++) {
        step(&m);
        if (below(&m, 4) == 0)
            check_some(&m, 1 + (int)below(&m, 12));
        else
            check_all(&m);
    }
    for (int i = 0; i < SLOTS; i++) {
        forget(&m, &m.slots[i]);
        close(m.slots[i].fd);
    }
    check_all(&m);
    expect_nothing(set);
}

static void random_steps_match_a_model(plx_set *set)
{
    run_model(set, 1);
    run_model(set, 20260731);
}

static const plx_test model_tests[] = {
    { "random changes match a model, step by step", random_steps_match_a_model, 0 },
};
const plx_suite model_suite = SUITE(model_tests);
