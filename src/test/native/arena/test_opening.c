/* SPDX-License-Identifier: Apache-2.0
 *
 * test_opening.c: what an arena is opened with, says of itself, and takes over.
 */
#include "injection.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static void the_best_mechanism_runs_unless_one_is_named(rig *r)
{
    rig_open(r, NULL);
    if (r->mechanism != NULL)
        assert_string_equal(plx_arena_name(r->arena), r->mechanism);
    else
        assert_string_equal(plx_arena_name(r->arena), "epoll");
}

static void it_says_why_there_is_no_io_uring(rig *r)
{
    rig_open(r, NULL);
    const char *why = strstr(plx_arena_features(r->arena), "no io_uring: ");
    if (r->mechanism != NULL) {
        assert_null(why);
        return;
    }
    assert_non_null(why);
    assert_true(strstr(why, "ENOSYS") != NULL || strstr(why, "EPERM") != NULL);
    char reason[128];
    plx_arena *none;
    int code = plx_arena_open("io_uring", NULL, &none);
    assert_true(code == -ENOSYS || code == -EPERM);
    assert_string_equal(plx_arena_strerror("io_uring", -code, reason, sizeof reason), why + strlen("no io_uring: "));
    assert_string_not_equal(plx_arena_strerror(NULL, -code, reason, sizeof reason), why + strlen("no io_uring: "));
    assert_null(none);
}

/* Opens the best arena where the kernel answers io_uring's calls with an error. */
static void expect_fallback(rig *r, fault_kind call, int error, const char *reason)
{
    char expected[200];
    fail_next(r, call, 1, error);
    assert_int_equal(plx_arena_open(NULL, NULL, &r->arena), 0);
    assert_int_equal(faults_left(call), 0);
    assert_string_equal(plx_arena_name(r->arena), "epoll");
    snprintf(expected, sizeof expected, "; no io_uring: %s", reason);
    const char *found = strstr(plx_arena_features(r->arena), "; no io_uring: ");
    assert_non_null(found);
    assert_string_equal(found, expected);
    rig_close(r);
}

static void each_reason_for_no_io_uring_has_words(rig *r)
{
    struct rlimit before, limit;
    set_uring_disabled("2\n");
    expect_fallback(r, FAULT_SETUP, EPERM, "kernel.io_uring_disabled is 2 (EPERM)");
    set_uring_disabled("1\n");
    expect_fallback(r, FAULT_SETUP, EPERM,
                    "kernel.io_uring_disabled is 1 and this process is not of kernel.io_uring_group (EPERM)");
    set_uring_disabled("0\n");
    expect_fallback(r, FAULT_SETUP, EPERM, "a sandbox refuses it (EPERM)");
    set_uring_disabled("nonsense");
    expect_fallback(r, FAULT_REGISTER, EPERM, "a sandbox refuses it (EPERM)");
    expect_fallback(r, FAULT_SETUP, ENOSYS, "the kernel has none, or a sandbox hides it (ENOSYS)");
    expect_fallback(r, FAULT_SETUP, EINVAL, "this kernel's is older than Linux 6.1");
    assert_int_equal(getrlimit(RLIMIT_MEMLOCK, &before), 0);
    limit = (struct rlimit){ .rlim_cur = 100 << 10, .rlim_max = before.rlim_max };
    assert_int_equal(setrlimit(RLIMIT_MEMLOCK, &limit), 0);
    expect_fallback(r, FAULT_SETUP, ENOMEM,
                    "out of memory (ENOMEM): it locks 140 KiB, and ulimit -l permits this user 100 KiB in all");
    expect_fallback(r, FAULT_REGISTER, ENOMEM,
                    "out of memory (ENOMEM): it locks 140 KiB, and ulimit -l permits this user 100 KiB in all");
    assert_int_equal(setrlimit(RLIMIT_MEMLOCK, &before), 0);
}

/* In a child: 0 if all is well, 1 if not, 2 if the kernel does not count. */
static int try_without_locked_memory(void)
{
    const struct rlimit none = { 0, 0 };
    plx_arena *arena;
    char text[256];
    if (setrlimit(RLIMIT_MEMLOCK, &none) != 0 || (geteuid() == 0 && setuid(65534) != 0))
        return 1;
    int code = plx_arena_open("io_uring", NULL, &arena);
    if (code == 0)
        return 2;
    if (code != -ENOMEM || strstr(plx_strerror(-code, text, sizeof text), "ulimit -l") == NULL)
        return 1;
    if (plx_arena_open(NULL, NULL, &arena) != 0)
        return 1;
    return strstr(plx_arena_features(arena), "ulimit -l permits this user 0 KiB") == NULL;
}

static void the_limit_of_locked_memory_is_named(rig *r)
{
    int status;
    (void)r;
    pid_t child = fork();
    if (child == 0)
        _exit(try_without_locked_memory());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 2)
        skip_this("this kernel does not count what an io_uring locks");
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* A sandbox may let a ring be set up, and then refuse to use it. */
static void a_ring_that_cannot_be_entered_is_no_ring(rig *r)
{
    expect_fallback(r, FAULT_ENTER, EPERM, "a sandbox refuses it (EPERM)");
    expect_fallback(r, FAULT_ENTER, ENOSYS, "the kernel has none, or a sandbox hides it (ENOSYS)");
}

static void an_unknown_mechanism_is_refused(rig *r)
{
    assert_int_equal(plx_arena_open("carrier pigeon", NULL, &r->arena), -ENODEV);
    assert_null(r->arena);
}

static void sizes_that_cannot_be_are_refused(rig *r)
{
    static const plx_arena_sizes wrong[] = {
        { .connections = UINT32_MAX },   { .buffers = 3 },      { .buffers = 1u << 31 },
        { .buffer_size = UINT32_MAX },   { .completions = 5 },  { .request_limit = UINT32_MAX },
        { .pending_limit = UINT32_MAX }, { .space = UINT32_MAX }, { .buffers = 32768, .buffer_size = 1 << 20 },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(plx_arena_open(r->mechanism, &wrong[i], &r->arena), -EINVAL);
        assert_null(r->arena);
    }
}

static void all_lies_in_one_block(rig *r)
{
    rig_open(r, NULL);
    uintptr_t from = (uintptr_t)r->v.memory, to = from + r->v.memory_size;
    assert_true((uintptr_t)r->v.arrivals >= from &&
                (uintptr_t)(r->v.arrivals + r->v.max_arrivals) <= (uintptr_t)r->v.orders);
    assert_true((uintptr_t)(r->v.orders + r->v.max_orders) <= (uintptr_t)r->v.space);
    assert_true((uintptr_t)r->v.space + r->v.space_size < to);
    assert_true(r->v.max_orders >= 2 * r->v.max_arrivals);
    int fd;
    uint64_t c = accepted(r, &fd);
    peer_send(fd, "where", 5);
    const plx_arrival *data = expect_data(r, c, "where", 5);
    assert_true(data->address >= from && data->address + data->length <= to);
    close(fd);
}

static void no_memory_is_an_answer(rig *r)
{
    int code = -ENOMEM;
    for (int nth = 1; code == -ENOMEM; nth++) {
        fail_allocation(nth);
        code = plx_arena_open(r->mechanism, NULL, &r->arena);
        bool failed = allocation_failed();
        fail_allocation(0);
        if (failed && r->mechanism != NULL) {
            assert_int_equal(code, -ENOMEM);
            assert_null(r->arena);
        }
        assert_true(nth < 100);
    }
    assert_int_equal(code, 0);
}

/* Beside the kernel's own. Most of it is for turns in which all of them take part. */
static void a_connection_costs_less_than_a_kilobyte(rig *r)
{
    size_t taken[2];
    for (uint32_t k = 0; k < 2; k++) {
        const plx_arena_sizes sizes = { .connections = 1000 * (k + 1) };
        all_allocations();
        assert_int_equal(plx_arena_open(r->mechanism, &sizes, &r->arena), 0);
        taken[k] = all_allocations();
        rig_close(r);
    }
    assert_true(taken[1] - taken[0] < 1000 * 1024);
}

static void what_is_no_stream_socket_is_refused(rig *r)
{
    rig_open(r, NULL);
    int file = regular_file(), datagram = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    assert_int_equal(plx_arena_adopt(r->arena, file, NULL, 0), -ENOTSOCK);
    assert_int_equal(plx_arena_adopt(r->arena, datagram, NULL, 0), -EOPNOTSUPP);
    assert_int_equal(plx_arena_adopt(r->arena, closed_descriptor(), NULL, 0), -EBADF);
    assert_int_equal(plx_arena_listen(r->arena, -1), -EBADF);
    expect_silence(r);
    close(file);
    close(datagram);
}

/* Else no one would hear of it before the first connection comes, or ever. */
static void one_that_listens_is_told_from_one_that_does_not(rig *r)
{
    int fds[2];
    rig_open(r, NULL);
    stream_pair(fds);
    assert_int_equal(plx_arena_listen(r->arena, fds[0]), -EINVAL);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(plx_arena_listen(r->arena, listener), -EINVAL);
    assert_int_equal(listen(listener, 8), 0);
    assert_int_equal(plx_arena_adopt(r->arena, listener, NULL, 0), -EINVAL);
    assert_int_equal(plx_arena_adopt(r->arena, listener, "bytes", 5), -EINVAL);
    expect_silence(r);
    assert_true(plx_arena_listen(r->arena, listener) >= 0);
    assert_true(plx_arena_adopt(r->arena, fds[0], NULL, 0) >= 0);
    close(fds[1]);
}

static void an_adopted_socket_brings_what_was_read(rig *r)
{
    int fds[2];
    rig_open(r, NULL);
    stream_pair(fds);
    int64_t c = plx_arena_adopt(r->arena, fds[0], "read before, ", 13);
    assert_true(c >= 0);
    const plx_arrival *data = expect_data(r, (uint64_t)c, "read before, ", 13);
    order(r, (uint64_t)c, PLX_ORDER_KEEP, bytes_of(data), data->length);
    peer_send(fds[1], "read after", 10);
    expect_data(r, (uint64_t)c, "read before, read after", 23);
    close(fds[1]);
}

static void *open_it(void *argument)
{
    rig *r = argument;
    assert_int_equal(plx_arena_open(r->mechanism, NULL, &r->arena), 0);
    return NULL;
}

static void it_may_be_opened_in_another_thread(rig *r)
{
    pthread_t thread;
    int fds[2];
    assert_int_equal(pthread_create(&thread, NULL, open_it, r), 0);
    pthread_join(thread, NULL);
    plx_arena_map(r->arena, &r->v);
    stream_pair(fds);
    int64_t c = plx_arena_adopt(r->arena, fds[0], NULL, 0);
    peer_send(fds[1], "x", 1);
    expect_data(r, (uint64_t)c, "x", 1);
    close(fds[1]);
}

static void *close_it(void *argument)
{
    rig_close(argument);
    return NULL;
}

static void it_may_be_closed_in_another_thread(rig *r)
{
    pthread_t thread;
    int fd;
    rig_open(r, NULL);
    accepted(r, &fd);
    assert_int_equal(pthread_create(&thread, NULL, close_it, r), 0);
    pthread_join(thread, NULL);
    peer_expect_end(fd);
    close(fd);
    nap(MILLIS(50)); /* the kernel ends what another thread's ring was doing in its own time */
}

static void closing_it_closes_everything(rig *r)
{
    int fds[3];
    rig_open(r, NULL);
    for (int i = 0; i < 3; i++)
        accepted(r, &fds[i]);
    rig_close(r);
    for (int i = 0; i < 3; i++) {
        peer_expect_end(fds[i]);
        close(fds[i]);
    }
}

static const arena_test tests[] = {
    { "the best mechanism runs unless one is named", the_best_mechanism_runs_unless_one_is_named, NULL },
    { "it says why there is no io_uring", it_says_why_there_is_no_io_uring, NULL },
    { "each reason for no io_uring has words", each_reason_for_no_io_uring_has_words, "io_uring" },
    { "the limit of locked memory is named", the_limit_of_locked_memory_is_named, "io_uring" },
    { "a ring that cannot be entered is no ring", a_ring_that_cannot_be_entered_is_no_ring, "io_uring" },
    { "an unknown mechanism is refused", an_unknown_mechanism_is_refused, NULL },
    { "sizes that cannot be are refused", sizes_that_cannot_be_are_refused, NULL },
    { "all lies in one block", all_lies_in_one_block, NULL },
    { "no memory is an answer", no_memory_is_an_answer, NULL },
    { "a connection costs less than a kilobyte", a_connection_costs_less_than_a_kilobyte, NULL },
    { "what is no stream socket is refused", what_is_no_stream_socket_is_refused, NULL },
    { "one that listens is told from one that does not", one_that_listens_is_told_from_one_that_does_not, NULL },
    { "an adopted socket brings what was read", an_adopted_socket_brings_what_was_read, NULL },
    { "it may be opened in another thread", it_may_be_opened_in_another_thread, NULL },
    { "it may be closed in another thread", it_may_be_closed_in_another_thread, NULL },
    { "closing it closes everything", closing_it_closes_everything, NULL },
};
const arena_suite opening_suite = SUITE(tests);
