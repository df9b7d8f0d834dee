// SPDX-License-Identifier: Apache-2.0
/*
 * A ring of pipes, as in xpoll's test: a byte read from one pipe is written to the next, round and round. Both ends of
 * each pipe are in the set; a writing end is enabled when there is a byte for it, and idle again once that has been
 * written. However many pipes there are, only the few with a byte are active. Prints one line of JSON.
 *
 *   ring pollux-epoll 1000 1 0.5 5      on pollux.h, by a mechanism; pipes, bytes on their way, seconds of
 *                                       warming up and of measuring
 *   ring epoll 1000 1 0.5 5             its floor: the same loop on the system calls themselves; or poll
 *   ring epoll-raw 1000 1 0.5 5         the same, which waits through syscall(2); or poll-raw
 *   ring                                prints the mechanisms of pollux.h, separated by commas
 *
 * A second thread sleeps, then ends the loop, which need not look at a clock; the C library's waiting calls are
 * cancellation points, which cost more in a process of several threads, as every virtual machine is.
 */
#define _GNU_SOURCE
#include "common.h"
#include "pollux/pollux.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_epoll_wait /* younger architectures: with two more arguments, which the older call does not look at */
#define SYS_epoll_wait SYS_epoll_pwait
#endif
#define IN_LINE static inline __attribute__((always_inline))
enum { EVENTS = 256, SPARE_FILES = 16 };
enum kind { POLLUX, EPOLL, POLL };

static const char *mechanism;
static bool raw;
static int pipes, tokens;

/* End 2i reads from pipe i, end 2i + 1 writes to it. waiting[i]: how many bytes are to be written to pipe i. */
static int ends, *fds, *waiting;
static long reads;
static atomic_bool over;
static int epfd;
static struct pollfd *pollfds; /* by end */
static plx_set *set;

static void ensure(bool ok, const char *what, int error)
{
    char text[256];
    if (!ok) {
        fprintf(stderr, "ring: %s: %s\n", what, plx_strerror(error, text, sizeof text));
        exit(1);
    }
}

/* From now on an end is reported for these events of poll(2)'s; with 0 it stays in the set. */
IN_LINE void ask(enum kind kind, int end, short events, bool added)
{
    if (kind == POLL) {
        pollfds[end] = (struct pollfd){ .fd = fds[end], .events = events };
    } else if (kind == EPOLL) {
        struct epoll_event e = { .events = (uint32_t)events, .data.u32 = (uint32_t)end };
        ensure(epoll_ctl(epfd, added ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, fds[end], &e) == 0, "epoll_ctl", errno);
    } else {
        int code = added ? plx_add(set, fds[end], (uint32_t)events, (uint32_t)end)
                         : plx_modify(set, fds[end], (uint32_t)events, (uint32_t)end);
        ensure(code == 0, plx_change_call(set), -code);
    }
}

IN_LINE void handle(enum kind kind, int end)
{
    char byte = 0;
    if (end % 2 == 0) {
        int next = end + 2 < ends ? end + 2 : 0;
        ensure(read(fds[end], &byte, 1) == 1, "read", errno);
        reads++;
        if (waiting[next / 2]++ == 0)
            ask(kind, next + 1, POLLOUT, false);
    } else {
        ensure(write(fds[end], &byte, 1) == 1, "write", errno);
        if (--waiting[end / 2] == 0)
            ask(kind, end, 0, false);
    }
}

IN_LINE void loop(enum kind kind)
{
    plx_event events[EVENTS];
    struct epoll_event kernels[EVENTS];
    while (!atomic_load_explicit(&over, memory_order_relaxed)) {
        int n = kind == POLLUX  ? plx_await(set, events, EVENTS, -1)
                : kind == EPOLL ? raw ? (int)syscall(SYS_epoll_wait, epfd, kernels, EVENTS, -1, NULL, 0L)
                                      : epoll_wait(epfd, kernels, EVENTS, -1)
                : raw           ? (int)syscall(SYS_ppoll, pollfds, (long)ends, NULL, NULL, 0L)
                                : poll(pollfds, (nfds_t)ends, -1);
        ensure(n >= 0, "wait", kind == POLLUX ? -n : errno);
        for (int i = 0; n > 0; i++)
            if (kind != POLL || pollfds[i].revents != 0) {
                handle(kind, kind == POLLUX ? (int)events[i].cookie : kind == EPOLL ? (int)kernels[i].data.u32 : i);
                n--;
            }
    }
}

static void *sleep_and_end(void *duration)
{
    usleep((useconds_t)(*(double *)duration * 1e6));
    over = true;
    return NULL;
}

static void run_for(double duration, enum kind kind)
{
    pthread_t thread;
    reads = 0;
    over = false;
    ensure(pthread_create(&thread, NULL, sleep_and_end, &duration) == 0, "pthread_create", errno);
    kind == POLLUX ? loop(POLLUX) : kind == EPOLL ? loop(EPOLL) : loop(POLL);
    pthread_join(thread, NULL);
}

static void make_ring(enum kind kind)
{
    int code = kind == POLLUX ? plx_open(mechanism, &set) : kind == EPOLL ? (epfd = epoll_create1(EPOLL_CLOEXEC)) : 0;
    ensure(code >= 0, "open", kind == POLLUX ? -code : errno);
    ends = 2 * pipes;
    fds = calloc((size_t)ends, sizeof *fds);
    waiting = calloc((size_t)pipes, sizeof *waiting);
    pollfds = calloc((size_t)ends, sizeof *pollfds);
    ensure(fds != NULL && waiting != NULL && pollfds != NULL, "calloc", errno);
    for (int end = 0; end < ends; end += 2) {
        ensure(pipe2(&fds[end], O_CLOEXEC | O_NONBLOCK) == 0, "pipe2", errno);
        ask(kind, end, POLLIN, true);
        ask(kind, end + 1, 0, true);
    }
    for (long i = 0; i < tokens; i++) /* one begins in the middle: a poll(2) that finds something early costs less */
        ensure(write(fds[(i * pipes / tokens + pipes / 2) % pipes * 2 + 1], "", 1) == 1, "write", errno);
}

int main(int argc, char **argv)
{
    if (argc == 1) {
        puts(plx_mechanisms());
        return 0;
    }
    if (argc != 6 || (pipes = atoi(argv[2])) < 2 || (tokens = atoi(argv[3])) < 1 || tokens > pipes)
        errx(2, "usage: ring [epoll|poll|epoll-raw|poll-raw|pollux-MECHANISM PIPES TOKENS WARM-UP SECONDS]");
    enum kind kind = strncmp(argv[1], "epoll", 5) == 0 ? EPOLL : strncmp(argv[1], "pollux-", 7) == 0 ? POLLUX : POLL;
    mechanism = kind == POLLUX ? argv[1] + 7 : NULL;
    raw = strstr(argv[1], "-raw") != NULL;
    if (raise_limit() < 2 * (unsigned long)pipes + SPARE_FILES)
        errx(1, "%d pipes need %d open files, more than the hard limit (ulimit -Hn)", pipes, 2 * pipes + SPARE_FILES);
    make_ring(kind);
    run_for(atof(argv[4]), kind);
    double start = nanos(CLOCK_MONOTONIC), start_cpu = nanos(CLOCK_THREAD_CPUTIME_ID);
    run_for(atof(argv[5]), kind);
    double cpu = nanos(CLOCK_THREAD_CPUTIME_ID) - start_cpu, elapsed = nanos(CLOCK_MONOTONIC) - start;
    printf("{\"seconds\": %.3f, \"cpuSeconds\": %.3f, \"reads\": %ld}\n", elapsed / 1e9, cpu / 1e9, reads);
    plx_close(set);
    return 0;
}
