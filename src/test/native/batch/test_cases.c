/* SPDX-License-Identifier: Apache-2.0
 *
 * test_cases.c: sandboxes, limits and processes in which the batch has lost bytes, or sent them twice.
 */
#include "suites.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ORDINARY = 212992 }; /* net.core.wmem_max where nobody has changed it */

static const void *const self = &self;
static plx_batch *batch;

static void open_active(void)
{
    assert_int_equal(plx_batch_open(&batch), 0);
    inject_into(batch);
    assert_int_equal(activate(batch, self), 0);
}

static void open_one(conn *c, uint32_t seed)
{
    conn_open(c, seed, true);
    plx_batch_adopt(batch, c->near);
}

static void hear_all(conn *c)
{
    for (int64_t until = now() + SECONDS(20); conn_hear(c), !conn_heard_all(c); nap(MILLIS(1) / 5))
        if (now() > until)
            fail_msg("%llu bytes of %llu", (unsigned long long)c->heard, (unsigned long long)c->written);
}

static void hear_end(conn *c)
{
    for (int64_t until = now() + SECONDS(20); conn_hear(c), !c->has_ended; nap(MILLIS(1) / 5))
        assert_true(now() < until && !c->was_reset);
    assert_true(conn_heard_all(c));
}

/* Without a further call, and while nobody can say when there is room. */
static void leave_a_rest(void)
{
    conn kept, shut, closed;
    int calls;
    limit_send_buffers(1024); /* what is closed leaves an orphan */
    open_active();
    open_one(&kept, 1);
    open_one(&shut, 2);
    open_one(&closed, 3);
    conn_fill(&kept, self);
    conn_fill(&shut, self);
    conn_fill(&closed, self);
    shut_as(shut.near);
    conn_close(&closed);
    calls = flusher_calls();
    nap(MILLIS(200));
    assert_in_range(flusher_calls() - calls, 0, 5000); /* 24 000 in a second, once */
    hear_all(&kept);
    hear_end(&shut);
    hear_end(&closed);
    assert_true(faults_met() > 0);
    assert_in_range(limit_reads(), 0, 1); /* none if the rest has left before the socket was closed */
}

static void leave_a_rest_in_spite_of(const void *argument)
{
    inject(*(const fault *)argument);
    leave_a_rest();
}

static void a_rest_leaves_where_epoll_pwait2_is_refused(void **unused)
{
    static const fault faults[] = { { CALL_PWAIT2, 1, FOR_EVER, EPERM }, { CALL_PWAIT2, 1, FOR_EVER, ENOSYS } };
    (void)unused;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        start_child("refused", leave_a_rest_in_spite_of, &faults[i], sizeof faults[i]);
    finish_children();
}

static void a_rest_leaves_at_the_limit_of_what_may_be_watched(void **unused)
{
    static const fault no_watch = { CALL_EPOLL_CTL, 2, FOR_EVER, ENOSPC };
    (void)unused;
    start_child("max_user_watches", leave_a_rest_in_spite_of, &no_watch, sizeof no_watch);
    finish_children();
}

static void open_without_eventfd(void)
{
    inject((fault){ CALL_EVENTFD, 1, FOR_EVER, EPERM });
    for (int tries = 0; tries < 3; tries++)
        assert_int_equal(plx_batch_open(&batch), -EPERM);
    lift_faults();
    assert_int_equal(plx_batch_open(&batch), 0);
}

static void where_eventfd2_is_refused_a_batch_can_t_be_opened(void **unused)
{
    (void)unused;
    run_alone("eventfd2", open_without_eventfd);
}

static void go_without_ring(void)
{
    conn all[3];
    int told = 0;
    assert_int_equal(plx_batch_open(&batch), 0);
    inject((fault){ CALL_SETUP, 2, FOR_EVER, ENOMEM });
    for (uint32_t i = 0; i < 3; i++)
        open_one(&all[i], i);
    for (int turn = 0; turn < 200; turn++) {
        for (int i = 0; i < 3; i++) {
            assert_int_equal(conn_write(&all[i], self, 100), 100);
            conn_hear(&all[i]);
            if (turn > PLX_BATCH_TURNS_OF_ONE_THREAD)
                assert_true(conn_heard_all(&all[i])); /* nothing is deferred */
        }
        int code = plx_batch_end_turn(batch, self);
        assert_true(code == 0 || code == -ENOMEM);
        told += code < 0;
    }
    assert_int_equal(told, 1);
    assert_int_equal(calls_of(CALL_SETUP), 2);
    plx_batch_close(batch);
    lift_faults();
    open_active(); /* another selector may have more luck */
}

static void without_memory_for_a_ring_it_is_said_once_and_writes_go_through(void **unused)
{
    (void)unused;
    run_alone("no ring", go_without_ring);
}

/* The number that is closed is all there is. */
static void close_at_the_limit(const void *argument)
{
    conn c;
    limit_send_buffers(1024);
    inject((fault){ CALL_DUPLICATE, 1, FOR_EVER, EMFILE });
    open_active();
    conn_open(&c, 4, *(const bool *)argument);
    plx_batch_adopt(batch, c.near);
    int fd = c.near;
    conn_fill(&c, self);
    assert_int_equal(plx_batch_end_turn(batch, self), 0);
    fail_allocations(true);
    conn_close(&c);
    fail_allocations(false);
    hear_end(&c);
    for (int64_t until = now() + SECONDS(20); fcntl(fd, F_GETFD) >= 0; nap(MILLIS(1) / 5))
        assert_true(now() < until); /* it is free again */
}

static void a_full_socket_is_closed_without_loss_where_no_descriptor_and_no_memory_is_left(void **unused)
{
    (void)unused;
    for (int is_tcp = 0; is_tcp < 2; is_tcp++)
        start_child("closes", close_at_the_limit, &(bool){ is_tcp }, sizeof(bool));
    finish_children();
}

/* ---- processes ---- */

static void defer(conn *all, int count)
{
    for (int i = 0; i < count; i++) {
        assert_int_equal(conn_write(&all[i], self, 1000), 1000);
        assert_int_equal(plx_owed_for(&plx_streams[all[i].near]), PLX_OWED_DEFERRED);
    }
}

/* The child has the parent's memory, what is deferred too, and ends as any C program does. */
static void fork_with_deferred(const void *argument)
{
    int count = *(const int *)argument, status;
    conn all[4], full;
    open_active();
    open_one(&full, 7);
    for (uint32_t i = 0; i < 4; i++)
        open_one(&all[i], i);
    conn_fill(&full, self);
    hold_flusher();
    assert_int_equal(activate(batch, self), 0); /* it may have been late */
    conn_hear(&full); /* the child could send this rest */
    defer(all, count);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        exit(0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    for (int i = 0; i < count; i++) {
        conn_hear(&all[i]);
        assert_int_equal(all[i].heard, 0); /* the parent has not sent it yet */
    }
    release_flusher();
    assert_int_equal(plx_batch_end_turn(batch, self), 0);
    hear_all(&full);
    conn_close(&full);
    hear_end(&full);
    for (int i = 0; i < count; i++) {
        hear_all(&all[i]);
        conn_close(&all[i]);
        hear_end(&all[i]);
    }
}

static void a_forked_child_that_exits_sends_nothing_again(void **unused)
{
    (void)unused;
    for (int count = 1; count <= 4; count += 3)
        start_child("a child of it exits", fork_with_deferred, &count, sizeof count);
    finish_children();
}

/* The flusher is held: what arrives was sent at the end of the process. */
static void exit_with_deferred(const void *argument)
{
    const conn *given = argument;
    conn all[2] = { given[0], given[1] };
    open_active();
    for (int i = 0; i < 2; i++)
        plx_batch_adopt(batch, all[i].near);
    hold_flusher();
    defer(all, 2);
    exit(0);
}

static void what_is_deferred_leaves_when_the_process_exits(void **unused)
{
    conn all[2];
    (void)unused;
    for (uint32_t i = 0; i < 2; i++)
        conn_open(&all[i], i, true);
    start_child("exits", exit_with_deferred, all, sizeof all);
    for (int i = 0; i < 2; i++) {
        close(all[i].near);
        all[i].written = 1000;
        hear_end(&all[i]);
        close(all[i].far);
    }
    finish_children();
}

/* ---- buffers ---- */

static int buffer_of(int fd)
{
    int size = 0;
    socklen_t length = sizeof size;
    assert_int_equal(getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, &length), 0);
    return size;
}

/* The kernel's own choice is larger than what an ordinary user may ask for. */
static void close_with_buffer(const void *argument)
{
    bool is_tuned = *(const bool *)argument;
    int fds[2];
    conn c;
    limit_send_buffers(ORDINARY);
    open_active();
    tcp_pair(fds);
    c = (conn){ .near = fds[1], .far = fds[0], .seed = 5 };
    if (!is_tuned)
        assert_int_equal(setsockopt(c.near, SOL_SOCKET, SO_SNDBUF, &(int){ 4096 }, sizeof(int)), 0);
    else if (buffer_of(c.near) <= 2 * ORDINARY)
        return; /* this kernel chooses less */
    int before = buffer_of(c.near);
    plx_batch_adopt(batch, c.near);
    conn_fill(&c, self);
    int copy = dup(c.near);
    conn_close(&c);
    if (is_tuned)
        assert_true(buffer_of(copy) >= before); /* the kernel may have gone on tuning */
    else
        assert_true(buffer_of(copy) > before);
    close(copy);
    hear_end(&c);
}

static void a_buffer_never_shrinks_when_its_socket_closes(void **unused)
{
    (void)unused;
    for (int is_tuned = 0; is_tuned < 2; is_tuned++)
        start_child("closes", close_with_buffer, &(bool){ is_tuned }, sizeof(bool));
    finish_children();
}

static void hand_over(void)
{
    conn c;
    char *bytes;
    open_active();
    open_one(&c, 9);
    assert_int_equal(plx_stream_take_owed(&plx_streams[c.near], c.near, &bytes), 0);
    assert_null(bytes);
    conn_fill(&c, self);
    long length = plx_stream_take_owed(&plx_streams[c.near], c.near, &bytes);
    assert_true(length > 0);
    assert_int_equal(plx_owed_for(&plx_streams[c.near]), PLX_OWED_NOTHING);
    plx_batch_release(c.near);
    uint64_t taken = c.written;
    c.written -= (uint64_t)length;
    hear_all(&c);
    nap(MILLIS(20));
    conn_hear(&c); /* none of them comes from the flusher */
    for (long i = 0; i < length; i++)
        assert_int_equal((unsigned char)bytes[i], byte_at(c.seed, c.heard + (uint64_t)i));
    assert_int_equal(c.heard + (uint64_t)length, taken);
    free(bytes);
    inject((fault){ CALL_SENDTO, calls_of(CALL_SENDTO) + 1, 1, ECONNRESET });
    open_one(&c, 10);
    assert_int_equal(conn_write(&c, self, 10), 10);
    assert_int_equal(plx_stream_take_owed(&plx_streams[c.near], c.near, &bytes), -ECONNRESET);
    assert_null(bytes);
    assert_int_equal(plx_stream_take_owed(&plx_streams[c.near], c.near, &bytes), 0);
}

static void another_owner_is_handed_what_is_owed(void **unused)
{
    (void)unused;
    run_alone("hands over", hand_over);
}

const struct CMUnitTest case_tests[] = {
    cmocka_unit_test(a_rest_leaves_where_epoll_pwait2_is_refused),
    cmocka_unit_test(a_rest_leaves_at_the_limit_of_what_may_be_watched),
    cmocka_unit_test(where_eventfd2_is_refused_a_batch_can_t_be_opened),
    cmocka_unit_test(without_memory_for_a_ring_it_is_said_once_and_writes_go_through),
    cmocka_unit_test(a_full_socket_is_closed_without_loss_where_no_descriptor_and_no_memory_is_left),
    cmocka_unit_test(a_forked_child_that_exits_sends_nothing_again),
    cmocka_unit_test(what_is_deferred_leaves_when_the_process_exits),
    cmocka_unit_test(a_buffer_never_shrinks_when_its_socket_closes),
    cmocka_unit_test(another_owner_is_handed_what_is_owed),
    { 0 },
};
