/* SPDX-License-Identifier: Apache-2.0
 *
 * main.c: the batch (batch.h) without Java, under the sanitizers. Two loops echo what many connections send, and hand
 * their selector and its batch to each other. Two more threads echo too, register the connections with another batch,
 * make them blocking, and the main thread ends them. What a program sees of a batch is tested in Java (BatchIT); this
 * is about memory and races, and about the order of every byte.
 */
#include "rig.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CONNECTIONS = 24, ROUNDS = 4000, LARGEST = 3000, LOOPS = 2, OTHERS = 2, LONGEST_REIGN = 300 };

/* An echoing connection, and the peer's end of it. */
typedef struct {
    pthread_mutex_t echoing; /* stands for the locks of a channel */
    conn c;                  /* `written` and `heard` are the peer's: what it asked, and what came back */
    uint64_t echoed;
    bool is_closed;
} echoing;

static echoing all[CONNECTIONS];
static plx_set *set;
static plx_batch *batch, *other;
static pthread_mutex_t selecting = PTHREAD_MUTEX_INITIALIZER; /* a selector's own lock */
static atomic_bool ends;
static int skipped;

void skip_this(const char *reason)
{
    printf("%s\n", reason);
    skipped++;
    skip();
}

/* A thread's own numbers. */
static uint32_t some(uint32_t *state, uint32_t limit)
{
    *state = *state * 1664525 + 1013904223;
    return (*state >> 8) % limit;
}

/* ---- the loops, and the other threads ---- */

/* What is received goes back whole before anything else is received. */
static void echo(const void *thread, echoing *e, size_t most)
{
    char bytes[LARGEST];
    pthread_mutex_lock(&e->echoing);
    long n = e->is_closed ? 0 : read_as(thread, e->c.near, bytes, most);
    assert_true(n >= 0 || n == -EAGAIN);
    for (long sent = 0; sent < n;) {
        long part = write_as(thread, e->c.near, bytes + sent, (size_t)(n - sent));
        assert_true(part > 0 || part == -EAGAIN || part == -EINTR);
        if (part < 0)
            nap(10000);
        sent += part < 0 ? 0 : part;
    }
    e->echoed += n < 0 ? 0 : (uint64_t)n;
    pthread_mutex_unlock(&e->echoing);
}

/* Which connection has the number, is not looked at before its lock is held; the cookie has its place. */
static void serve_turns(const void *self, uint32_t *random)
{
    plx_event events[MANY];
    for (uint32_t turn = 1 + some(random, LONGEST_REIGN); turn > 0 && !atomic_load(&ends); turn--) {
        pthread_mutex_lock(&selecting);
        assert_int_equal(plx_batch_end_turn(batch, self), 0);
        assert_int_equal(atomic_load(&batch->since), 0); /* no other thread defers, not even the one before */
        int n = plx_await(set, events, MANY, MILLIS(1));
        pthread_mutex_unlock(&selecting);
        for (int i = 0; i < n; i++)
            if (some(random, 50) != 0) /* else it is left unread */
                echo(self, &all[events[i].cookie], some(random, 4) == 0 ? 7 : LARGEST);
    }
}

/* A loop that has been served lets the other one go on; what it writes then is not deferred. */
static void *serve(void *argument)
{
    static pthread_mutex_t reigning = PTHREAD_MUTEX_INITIALIZER;
    const void *self = argument;
    uint32_t random = *(uint32_t *)argument;
    while (!atomic_load(&ends)) {
        pthread_mutex_lock(&reigning);
        serve_turns(self, &random);
        pthread_mutex_unlock(&reigning);
        for (int i = 0; i < 5; i++)
            echo(self, &all[some(&random, CONNECTIONS)], LARGEST);
        nap(MILLIS(1) / 4);
    }
    pthread_mutex_lock(&selecting);
    assert_int_equal(plx_batch_end_turn(batch, self), 0);
    pthread_mutex_unlock(&selecting);
    return NULL;
}

static void register_twice(echoing *e)
{
    pthread_mutex_lock(&e->echoing);
    if (!e->is_closed) {
        plx_batch_adopt(other, e->c.near);
        plx_batch_release(e->c.near);
    }
    pthread_mutex_unlock(&e->echoing);
}

/* Leaves its selector, and comes back. */
static void block_for_a_while(echoing *e)
{
    pthread_mutex_lock(&e->echoing);
    if (!e->is_closed) {
        plx_remove(set, e->c.near);
        plx_batch_release(e->c.near);
        plx_stream *stream = plx_stream_of(e->c.near);
        if (stream != NULL)
            plx_stream_before_blocking(stream, e->c.near);
        assert_int_equal(fcntl(e->c.near, F_SETFL, 0), 0);
        stream = plx_stream_of(e->c.near);
        if (stream != NULL)
            assert_int_equal(plx_stream_before_call(stream, e->c.near), 0);
        assert_int_equal(fcntl(e->c.near, F_SETFL, O_NONBLOCK), 0);
        plx_batch_adopt(batch, e->c.near);
        assert_int_equal(plx_add(set, e->c.near, PLX_IN, (uint64_t)(e - all)), 0);
    }
    pthread_mutex_unlock(&e->echoing);
}

static void *disturb(void *argument)
{
    uint32_t random = *(uint32_t *)argument;
    while (!atomic_load(&ends)) {
        echoing *e = &all[some(&random, CONNECTIONS)];
        switch (some(&random, 8)) {
        case 0:
        case 1:
            echo(argument, e, LARGEST);
            break;
        case 2:
        case 3:
            register_twice(e);
            break;
        case 4:
            block_for_a_while(e);
            break;
        default:
            nap(MILLIS(1) / 4);
        }
    }
    return NULL;
}

/* ---- the peers ---- */

/* A thread that echoes may wait for the peer to read. */
static void lock_and_hear(echoing *e)
{
    while (pthread_mutex_trylock(&e->echoing) != 0) {
        conn_hear(&e->c);
        nap(10000);
    }
}

static void connect_one(echoing *e, uint32_t seed)
{
    conn fresh;
    conn_open(&fresh, seed, true);
    pthread_mutex_lock(&e->echoing);
    e->c = fresh;
    e->echoed = 0;
    e->is_closed = false;
    plx_batch_adopt(batch, e->c.near);
    assert_int_equal(plx_add(set, e->c.near, PLX_IN, (uint64_t)(e - all)), 0);
    pthread_mutex_unlock(&e->echoing);
}

static void ask(echoing *e)
{
    unsigned char bytes[LARGEST];
    size_t length = 1 + (size_t)rand() % (rand() % 2 ? 100 : LARGEST);
    fill_bytes(bytes, length, e->c.seed, e->c.written);
    ssize_t n = send(e->c.far, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n > 0)
        e->c.written += (uint64_t)n;
}

static void hear_all_of(echoing *e)
{
    for (int64_t until = now() + SECONDS(60); conn_hear(&e->c), !conn_heard_all(&e->c) && now() < until;)
        nap(1000);
    assert_int_equal(e->c.heard, e->c.written);
}

/* The peer hears all that was echoed, and the end; or a reset, if bytes were left unread. */
static void hear_end(echoing *e, bool may_reset)
{
    for (int64_t until = now() + SECONDS(60); conn_hear(&e->c), !e->c.has_ended && !e->c.was_reset;) {
        assert_true(now() < until);
        nap(1000);
    }
    assert_true(may_reset || e->c.has_ended);
    close(e->c.far);
}

static void end(echoing *e, bool hears_all)
{
    if (hears_all)
        hear_all_of(e);
    lock_and_hear(e);
    e->is_closed = true;
    plx_remove(set, e->c.near);
    plx_batch_release(e->c.near);
    close_as(e->c.near);
    e->c.near = -1;
    e->c.written = e->echoed;
    pthread_mutex_unlock(&e->echoing);
    hear_end(e, !hears_all);
}

static void talk(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < CONNECTIONS; i++)
            ask(&all[i]);
        if (round % 8 == 0)
            nap(MILLIS(1) / 2);
        for (int i = 0; i < CONNECTIONS; i++)
            conn_hear(&all[i].c);
        if (round % 50 == 0) {
            echoing *e = &all[rand() % CONNECTIONS];
            end(e, rand() % 2 == 0);
            connect_one(e, (uint32_t)(CONNECTIONS + round));
        }
    }
}

static void every_byte_is_echoed_whatever_other_threads_do(void **unused)
{
    pthread_t threads[LOOPS + OTHERS];
    uint32_t random[LOOPS + OTHERS];
    plx_batch_counts counts;
    (void)unused;
    const char *obstacle = plx_batch_obstacle();
    if (obstacle != NULL)
        skip_this(obstacle);
    assert_int_equal(plx_open("epoll", &set), 0);
    assert_int_equal(plx_batch_open(&batch), 0);
    assert_int_equal(plx_batch_open(&other), 0);
    for (int i = 0; i < CONNECTIONS; i++) {
        pthread_mutex_init(&all[i].echoing, NULL);
        connect_one(&all[i], (uint32_t)i);
    }
    for (uint32_t i = 0; i < LOOPS + OTHERS; i++) {
        random[i] = i;
        assert_int_equal(pthread_create(&threads[i], NULL, i < LOOPS ? serve : disturb, &random[i]), 0);
    }
    talk();
    for (int i = 0; i < CONNECTIONS; i++)
        hear_all_of(&all[i]);
    atomic_store(&ends, true);
    for (int i = 0; i < LOOPS + OTHERS; i++)
        pthread_join(threads[i], NULL);
    plx_batch_count(batch, &counts);
    printf("%llu writes deferred, %llu rests, %llu calls for other calls\n", (unsigned long long)counts.writes,
           (unsigned long long)counts.rests, (unsigned long long)counts.batches_by_reason[PLX_FLUSH_CALL]);
    assert_true(counts.writes > 0 && counts.rests > 0 && counts.batches_by_reason[PLX_FLUSH_CALL] > 0);
    for (int i = 0; i < CONNECTIONS; i++)
        end(&all[i], false);
    plx_batch_close(batch);
    plx_batch_close(other);
    plx_close(set);
}

static void a_closed_batch_is_used_again(void **unused)
{
    plx_batch *first, *second;
    (void)unused;
    const char *obstacle = plx_batch_obstacle();
    if (obstacle != NULL)
        skip_this(obstacle);
    assert_int_equal(plx_batch_open(&first), 0);
    plx_batch_close(first);
    assert_int_equal(plx_batch_open(&second), 0);
    assert_ptr_equal(first, second);
    plx_batch_close(second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_is_echoed_whatever_other_threads_do),
        cmocka_unit_test(a_closed_batch_is_used_again),
    };
    int count = (int)(sizeof tests / sizeof *tests);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    printf("%d passed, %d failed, %d skipped\n", count - failed - skipped, failed, skipped);
    return failed != 0;
}
