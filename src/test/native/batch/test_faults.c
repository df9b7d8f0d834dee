/* SPDX-License-Identifier: Apache-2.0
 *
 * test_faults.c: one run of everything the batch does, with each of its system calls failing in turn, once and for
 * ever, with each error that it can have. Every byte of every connection arrives, in order, and the end of the stream;
 * no thread spins.
 */
#include "suites.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { A, B, C, D, E, F, G, CONNECTIONS };
enum { BESIDES = 2 }; /* calls that are refused while another one fails */
enum { TIRED = 100, HOPELESS = 20000, HELD = 30 }; /* milliseconds */
enum { NO_LARGER = 1024 };                       /* bytes of a buffer: less than each has */

/* A run and its faults. */
typedef struct {
    fault faults[1 + BESIDES];
    int nth_allocation; /* that fails; FOR_EVER: each one */
    bool outlasts;      /* all arrives while the faults last; else when they are over */
    bool may_reset;     /* what a closed connection is owed may be lost, and its peer sees a reset */
} plan;

typedef struct {
    const plan *plan;
    plx_batch *batch;
    conn all[CONNECTIONS];
    bool is_tired;
} run;

static const void *const self = &self;

static void lift(run *r)
{
    lift_faults();
    fail_allocations(false);
    r->is_tired = true;
}

/* To be asked in a loop that waits for something. */
static void be_patient(run *r, int64_t since, const char *what)
{
    if (!r->plan->outlasts && !r->is_tired && now() - since > MILLIS(TIRED))
        lift(r);
    if (now() - since > MILLIS(HOPELESS))
        fail_msg("%s", what);
    nap(MILLIS(1) / 5);
}

static void put(run *r, int which, size_t length)
{
    int64_t since = now();
    for (long n; length > 0; length -= n > 0 ? (size_t)n : 0) {
        n = conn_write(&r->all[which], self, length);
        if (n <= 0) {
            conn_hear(&r->all[which]);
            be_patient(r, since, "a write is not accepted");
        }
    }
}

static void hear_all(run *r, int which)
{
    conn *c = &r->all[which];
    for (int64_t since = now(); conn_hear(c), !conn_heard_all(c);)
        be_patient(r, since, "bytes are missing");
}

static void hear_end(run *r, int which)
{
    conn *c = &r->all[which];
    for (int64_t since = now(); conn_hear(c), !c->has_ended && !c->was_reset;)
        be_patient(r, since, "the end of the stream is missing");
    if (c->was_reset)
        assert_true(r->plan->may_reset && which == C);
    else
        assert_true(conn_heard_all(c));
}

static void end_turn(run *r)
{
    assert_int_equal(plx_batch_end_turn(r->batch, self), 0);
}

/* Nobody reads, or there is nothing to do: the flusher has no reason to do more than a look in a millisecond. */
static void expect_calm(void)
{
    int calls = flusher_calls(), waits = flusher_waits();
    int64_t since = now();
    nap(MILLIS(HELD));
    int64_t millis = (now() - since) / MILLIS(1);
    assert_in_range(flusher_waits() - waits, 0, 20 + 2 * millis);
    assert_in_range(flusher_calls() - calls, 0, 60 + 12 * millis);
}

/* ---- the parts of a run ---- */

static bool is_expected(const plan *p, int code)
{
    return code == -ENOMEM || code == -p->faults[0].error || (code == -EOPNOTSUPP && p->faults[0].error == EINVAL);
}

/* May fail, with a code; then a later one works. */
static void open_batch(run *r)
{
    descriptors before, after;
    int code = plx_batch_open(&r->batch);
    for (int tries = 0; code < 0 && tries < 5; tries++) {
        assert_true(is_expected(r->plan, code));
        if (tries == 1)
            list_descriptors(&before);
        if (tries == 4) {
            list_descriptors(&after);
            assert_memory_equal(&before, &after, sizeof before);
            lift(r);
        }
        code = plx_batch_open(&r->batch);
    }
    assert_int_equal(code, 0);
    inject_into(r->batch);
}

static void connect_all(run *r)
{
    for (int i = 0; i < CONNECTIONS; i++) {
        conn_open(&r->all[i], (uint32_t)i, i < D);
        plx_batch_adopt(r->batch, r->all[i].near);
    }
}

static void write_small(run *r)
{
    for (int turn = 0; turn < 3; turn++) {
        for (int i = 0; i < CONNECTIONS; i++) {
            put(r, i, (size_t)(100 + i));
            if (turn == 1 && i % 2 == 0)
                put(r, i, 33); /* joins what is deferred */
        }
        end_turn(r);
        if (turn == 1)
            for (int i = 0; i < CONNECTIONS; i++)
                hear_all(r, i);
    }
}

static void fill(run *r, int which)
{
    conn_fill(&r->all[which], self);
    end_turn(r);
}

/* Without memory for a rest, what is closed is lost; of the Unix domain the peer is not told. */
static void fill_four(run *r)
{
    for (int i = A; i <= C; i++)
        fill(r, i);
    if (r->plan->nth_allocation != FOR_EVER)
        fill(r, G);
    for (int i = D; i <= F; i++)
        put(r, i, 500);
    end_turn(r);
    for (int i = D; i <= F; i++)
        hear_all(r, i);
    shut_as(r->all[B].near);
    replace_as(r->all[C].near);
    conn_close(&r->all[C]);
    conn_close(&r->all[G]);
    expect_calm();
    hear_all(r, A);
    hear_end(r, B);
    hear_end(r, C);
    hear_end(r, G);
}

/* Its thread computes, and does not end its turn. */
static void write_and_forget(run *r)
{
    put(r, A, 50);
    put(r, D, 50);
    hear_all(r, A);
    hear_all(r, D);
}

/* What another descriptor's owner is given, and sends. */
static void hand_over_what_is_owed(run *r)
{
    conn *c = &r->all[E];
    char *bytes;
    int64_t since = now();
    long length;
    fill(r, E);
    while ((length = plx_stream_take_owed(&plx_streams[c->near], c->near, &bytes)) < 0) {
        assert_int_equal(length, -ENOMEM);
        be_patient(r, since, "what is owed is not handed over");
    }
    for (long sent = 0; sent < length;) {
        conn_hear(c);
        ssize_t n = send(c->near, bytes + sent, (size_t)(length - sent), MSG_NOSIGNAL);
        sent += n > 0 ? n : 0;
    }
    free(bytes);
    hear_all(r, E);
    put(r, E, 10);
    end_turn(r);
    hear_all(r, E);
}

static atomic_bool hears;

/* The main thread is inside of one call meanwhile. */
static void *hear_slowly(void *argument)
{
    run *r = argument;
    int64_t since = now();
    be_test_thread();
    for (; atomic_load(&hears); nap(MILLIS(1))) {
        conn_hear(&r->all[F]);
        if (!r->plan->outlasts && now() - since > MILLIS(TIRED))
            lift_faults();
    }
    return NULL;
}

/* A call on a descriptor that has become a blocking one waits for room. */
static void become_blocking(run *r)
{
    conn *c = &r->all[F];
    pthread_t thread;
    int64_t since = now();
    fill(r, F);
    plx_stream_before_blocking(&plx_streams[c->near], c->near);
    assert_int_equal(fcntl(c->near, F_SETFL, 0), 0);
    atomic_store(&hears, true);
    bool has_thread = pthread_create(&thread, NULL, hear_slowly, r) == 0;
    plx_stream *stream = plx_stream_of(c->near);
    if (has_thread && stream != NULL)
        while (plx_stream_before_call(stream, c->near) < 0)
            be_patient(r, since, "what is owed is not sent before a blocking call");
    atomic_store(&hears, false);
    if (has_thread)
        pthread_join(thread, NULL);
    hear_all(r, F);
    put(r, F, 10);
    hear_all(r, F);
}

static void close_all(run *r)
{
    for (int i = 0; i < CONNECTIONS; i++)
        if (i != B && r->all[i].near >= 0)
            put(r, i, 20);
    for (int i = 0; i < CONNECTIONS; i++) {
        conn *c = &r->all[i];
        if (c->near >= 0)
            plx_batch_release(c->near);
    }
    for (int i = 0; i < CONNECTIONS; i++)
        hear_all(r, i == C ? A : i);
    for (int i = 0; i < CONNECTIONS; i++) {
        conn_close(&r->all[i]);
        hear_end(r, i);
        conn_drop(&r->all[i]);
    }
}

static void run_all(const void *argument)
{
    run r = { .plan = argument };
    for (int i = 0; i < 1 + BESIDES; i++)
        if (r.plan->faults[i].count > 0)
            inject(r.plan->faults[i]);
    fail_allocation(r.plan->nth_allocation == FOR_EVER ? 0 : r.plan->nth_allocation);
    limit_send_buffers(NO_LARGER); /* what is closed leaves an orphan */
    open_batch(&r);
    connect_all(&r);
    int code = activate(r.batch, self);
    assert_true(code == 0 || is_expected(r.plan, code));
    fail_allocations(r.plan->nth_allocation == FOR_EVER);
    write_small(&r);
    fill_four(&r);
    write_and_forget(&r);
    hand_over_what_is_owed(&r);
    become_blocking(&r);
    close_all(&r);
    nap(MILLIS(10));
    expect_calm();
    plx_batch_close(r.batch);
    plx_batch *again;
    lift(&r);
    assert_int_equal(plx_batch_open(&again), 0);
    assert_ptr_equal(again, r.batch);
    plx_batch_close(again);
}

/* ---- the plans ---- */

#define REFUSED(kind) { { kind, 1, FOR_EVER, EPERM }, { kind, 1, 0, 0 } }
#define NO_WAIT { { CALL_PWAIT2, 1, FOR_EVER, EPERM }, { CALL_PPOLL, 1, FOR_EVER, EPERM } }
#define NOTHING { { 0, 0, 0, 0 }, { 0, 0, 0, 0 } }
static void start_plan(const plan *p)
{
    char title[160];
    const fault *f = &p->faults[0];
    int n = snprintf(title, sizeof title, "%s %d fails %s with %s", call_names[f->kind], f->nth,
                     f->count == FOR_EVER ? "for ever" : f->count == 1 ? "once" : "often",
                     f->error == SHORT ? "less than asked for" : strerror(f->error));
    for (f++; f <= p->faults + BESIDES && f->count > 0; f++)
        n += snprintf(title + n, sizeof title - (size_t)n, ", without %s", call_names[f->kind]);
    start_child(title, run_all, p, sizeof *p);
}

/* Each of the first calls, and after that every fifth one. */
static int after(int nth)
{
    return nth < 12 ? nth + 1 : nth + 5;
}

/* `passing` errors are over at some time, `lasting` ones may stay for ever; both end with 0. A call that is made only
 * where another one is refused has that as its second fault. */
typedef struct {
    call_kind kind;
    fault besides[BESIDES];
    int passing[10], lasting[6];
    bool is_short, may_reset;
} kind_of_fault;

static const kind_of_fault kinds[] = {
    { CALL_SETUP, NOTHING, { EINTR, EAGAIN }, { ENOMEM, EPERM, ENOSYS, EMFILE, EINVAL }, false, false },
    { CALL_ENTER, NOTHING, { EINTR, EAGAIN, EBUSY, ENOMEM }, { EAGAIN, EBUSY, EPERM, ENOSYS, EINTR }, true, false },
    { CALL_RING_SEND, NOTHING, { EAGAIN, EINTR, ENOMEM, ENOBUFS }, { 0 }, true, false },
    { CALL_SENDTO, NOTHING, { EAGAIN, EINTR, ENOMEM, ENOBUFS }, { EPERM, ENOSYS, EACCES }, true, false },
    { CALL_WRITE, REFUSED(CALL_SENDTO), { EAGAIN, EINTR, ENOMEM, ENOBUFS }, { 0 }, true, false },
    { CALL_EPOLL_CREATE, NOTHING, { ENOMEM }, { EMFILE, ENFILE, EPERM, ENOSYS }, false, false },
    { CALL_EVENTFD, NOTHING, { ENOMEM }, { EMFILE, ENFILE, EPERM, ENOSYS }, false, false },
    { CALL_EPOLL_CTL, NOTHING, { ENOMEM }, { ENOSPC, EPERM, ENOSYS, ENOMEM }, false, false },
    { CALL_PWAIT2, NOTHING, { EINTR }, { EPERM, ENOSYS, EACCES, ENOMEM }, false, false },
    { CALL_PPOLL, REFUSED(CALL_PWAIT2), { EINTR }, { EPERM, ENOSYS, ENOMEM }, false, false },
    { CALL_EPOLL_WAIT, REFUSED(CALL_PWAIT2), { EINTR }, { EPERM, ENOSYS }, false, false },
    { CALL_EPOLL_CTL, REFUSED(CALL_PWAIT2), { ENOMEM }, { ENOSPC, ENOMEM }, false, false },
    { CALL_EPOLL_CTL, NO_WAIT, { ENOMEM }, { ENOSPC }, false, false },
    { CALL_DUPLICATE, NOTHING, { 0 }, { EMFILE, EPERM }, false, true },
    { CALL_GET_FLAGS, NOTHING, { 0 }, { EPERM, ENOSYS }, false, false },
    { CALL_GET_FLAGS, REFUSED(CALL_SENDTO), { EAGAIN }, { EPERM }, false, false },
    { CALL_POLL, NOTHING, { EINTR, ENOMEM }, { ENOMEM, EPERM, ENOSYS }, false, false },
    { CALL_POLL, REFUSED(CALL_SENDTO), { EINTR, ENOMEM }, { 0 }, false, false },
    { CALL_MMAP, NOTHING, { EAGAIN }, { ENOMEM, EPERM }, false, false },
    { CALL_THREAD, NOTHING, { 0 }, { EAGAIN }, false, false },
};

static void start_with(const kind_of_fault *k, int nth, int count, int error, bool outlasts)
{
    plan p = { .faults = { { k->kind, nth, count, error } }, .outlasts = outlasts, .may_reset = k->may_reset };
    memcpy(p.faults + 1, k->besides, sizeof k->besides);
    start_plan(&p);
}

static void start_nth(const kind_of_fault *k, int nth)
{
    for (const int *error = k->lasting; *error != 0; error++) {
        start_with(k, nth, 1, *error, true);
        start_with(k, nth, FOR_EVER, *error, true);
    }
    for (const int *error = k->passing; *error != 0; error++) {
        start_with(k, nth, 1, *error, true);
        start_with(k, nth, 20, *error, true);
        if (*error != EINTR)
            start_with(k, nth, FOR_EVER, *error, false);
    }
    if (k->is_short) {
        start_with(k, nth, 1, SHORT, true);
        start_with(k, nth, 20, SHORT, true);
    }
}

static void each_call_may_fail_and_every_byte_arrives(void **unused)
{
    (void)unused;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        plan without = { .outlasts = true };
        memcpy(without.faults + 1, kinds[k].besides, sizeof kinds[k].besides);
        int calls = run_child("no fault", run_all, &without, sizeof without).calls[kinds[k].kind];
        assert_true(calls > 0);
        for (int nth = 1; nth <= calls; nth = after(nth))
            start_nth(&kinds[k], nth);
        await_children();
        printf("%s: %d calls\n", call_names[kinds[k].kind], calls);
    }
    finish_children();
}

static void each_allocation_may_fail_and_every_byte_arrives(void **unused)
{
    (void)unused;
    plan p = { .nth_allocation = 1, .outlasts = true, .may_reset = true };
    int count = 0;
    for (; run_child("an allocation fails", run_all, &p, sizeof p).allocation_failed; p.nth_allocation++)
        count++;
    assert_true(count > 3);
    p.nth_allocation = FOR_EVER;
    p.outlasts = false; /* what is owed can't be handed over */
    run_child("all allocations fail", run_all, &p, sizeof p);
    finish_children();
}

/* ---- errors that say that the connection is lost ---- */

typedef struct {
    fault fault;
    bool is_alone, by_read;
} lost;

static void be_told_once(const void *argument)
{
    const lost *l = argument;
    run r = { .plan = &(plan){ .outlasts = true } };
    open_batch(&r);
    connect_all(&r);
    assert_int_equal(activate(r.batch, self), 0);
    inject(l->fault);
    put(&r, A, 100);
    for (int i = B; !l->is_alone && i < CONNECTIONS; i++)
        put(&r, i, 100);
    end_turn(&r);
    assert_int_equal(faults_met(), 1);
    conn *c = &r.all[A];
    c->written = 0; /* they are lost */
    unsigned char byte;
    long told = l->by_read ? read_as(self, c->near, &byte, 1) : conn_write(c, self, 10);
    assert_int_equal(told, -l->fault.error);
    assert_int_equal(read_as(self, c->near, &byte, 1), -EAGAIN);
    put(&r, A, 10);
    end_turn(&r);
    for (int i = A; i < CONNECTIONS; i++)
        hear_all(&r, i);
}

static void a_lost_connection_is_told_once_and_its_neighbours_are_well(void **unused)
{
    (void)unused;
    static const int errors[] = { ECONNRESET, EPIPE, ETIMEDOUT, EHOSTUNREACH, ENETDOWN, ENETUNREACH, ECONNREFUSED };
    for (size_t k = 0; k < sizeof errors / sizeof *errors; k++) {
        for (int way = 0; way < 4; way++) {
            lost l = { .is_alone = way & 1, .by_read = way & 2 };
            l.fault = (fault){ l.is_alone ? CALL_SENDTO : CALL_RING_SEND, 1, 1, errors[k] };
            start_child(strerror(errors[k]), be_told_once, &l, sizeof l);
        }
    }
    finish_children();
}

const struct CMUnitTest fault_tests[] = {
    cmocka_unit_test(each_call_may_fail_and_every_byte_arrives),
    cmocka_unit_test(each_allocation_may_fail_and_every_byte_arrives),
    cmocka_unit_test(a_lost_connection_is_told_once_and_its_neighbours_are_well),
    { 0 },
};
