/* SPDX-License-Identifier: Apache-2.0
 *
 * support.c: see support.h.
 */
#include "support.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return SECONDS(t.tv_sec) + t.tv_nsec;
}

void nap(int64_t ns)
{
    struct timespec t = { ns / SECONDS(1), ns % SECONDS(1) };
    while (nanosleep(&t, &t) < 0)
        continue;
}

void stream_pair(int fds[2])
{
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds), 0);
}

void pipe_pair(int fds[2])
{
    assert_int_equal(pipe2(fds, O_NONBLOCK | O_CLOEXEC), 0);
}

int broken_pipe(void)
{
    int fds[2];
    pipe_pair(fds);
    close(fds[0]);
    return fds[1];
}

int terminal(int *other)
{
    int fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(unlockpt(fd), 0);
    *other = open(ptsname(fd), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    assert_true(*other >= 0);
    return fd;
}

void tcp_pair(int fds[2])
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, length), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &length), 0);
    fds[0] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(fds[0], (struct sockaddr *)&address, length), 0);
    fds[1] = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    assert_true(fds[1] >= 0);
    assert_int_equal(fcntl(fds[0], F_SETFL, O_NONBLOCK), 0);
    close(listener);
}

int counter(bool readable)
{
    int fd = eventfd(readable, EFD_NONBLOCK | EFD_CLOEXEC | EFD_SEMAPHORE);
    assert_true(fd >= 0);
    return fd;
}

int regular_file(void)
{
    char path[] = "/tmp/pollux-test-XXXXXX";
    int fd = mkostemp(path, O_CLOEXEC);
    assert_true(fd >= 0);
    unlink(path);
    return fd;
}

int closed_descriptor(void)
{
    int fd = counter(false);
    close(fd);
    return fd;
}

void close_both(int fds[2])
{
    close(fds[0]);
    close(fds[1]);
}

void replace(int fd, int by)
{
    assert_int_equal(dup2(by, fd), fd);
    close(by);
}

void list_descriptors(descriptors *list)
{
    memset(list, 0, sizeof *list);
    DIR *directory = opendir("/proc/self/fd");
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        int fd = atoi(entry->d_name);
        if (entry->d_name[0] == '.' || fd == dirfd(directory))
            continue;
        assert_in_range(fd, 0, sizeof list->bits * 8 - 1);
        list->bits[fd / 64] |= UINT64_C(1) << fd % 64;
    }
    closedir(directory);
}

bool has_descriptor(const descriptors *list, int fd)
{
    return list->bits[fd / 64] >> fd % 64 & 1;
}

bool is(const plx_set *set, const char *mechanism)
{
    return strcmp(plx_name(set), mechanism) == 0;
}

int add(plx_set *set, int fd, uint32_t gen, uint32_t want)
{
    return plx_add(set, fd, want, cookie(fd, gen));
}

int modify(plx_set *set, int fd, uint32_t gen, uint32_t want)
{
    return plx_modify(set, fd, want, cookie(fd, gen));
}

/* What has become of a change with that result: a kqueue finds out no sooner than it waits. */
static int outcome(plx_set *set, int fd, uint32_t gen, uint32_t want, int code)
{
    plx_event e[MANY];
    if (code < 0 || !is(set, "kqueue"))
        return code;
    int n = plx_await(set, e, MANY, 0);
    if (n == 0 || !(e[0].events & PLX_FAILED))
        return 0;
    assert_int_equal(n, 1);
    assert_int_equal(e[0].cookie, cookie(fd, gen));
    assert_int_equal(e[0].events, PLX_FAILED | want);
    assert_true(e[0].error > 0);
    return -e[0].error;
}

int add_and_await(plx_set *set, int fd, uint32_t gen, uint32_t want)
{
    return outcome(set, fd, gen, want, add(set, fd, gen, want));
}

int modify_and_await(plx_set *set, int fd, uint32_t gen, uint32_t want)
{
    return outcome(set, fd, gen, want, modify(set, fd, gen, want));
}

void check_event(plx_set *set, uint64_t cookie, uint32_t events, const char *file, int line)
{
    plx_event e[MANY];
    int n = plx_await(set, e, MANY, SECONDS(30));
    uint32_t merged = 0;
    _assert_in_range((uintmax_t)n, 1, plx_caps(set) & PLX_CAP_MERGED || events & PLX_WAKEUP ? 1 : 3, file, line);
    for (int i = 0; i < n; i++) {
        _assert_int_equal(e[i].cookie, cookie, file, line);
        _assert_int_equal((uintmax_t)e[i].error, events & PLX_NVAL ? EBADF : 0, file, line);
        merged |= e[i].events;
    }
    _assert_int_equal(merged, events, file, line);
}

void check_nothing(plx_set *set, const char *file, int line)
{
    plx_event e[MANY];
    int n = plx_await(set, e, MANY, 0);
    if (n > 0)
        fprintf(stderr, "unexpected: fd %d, gen %u, events %#x\n", fd_of(e[0]), gen_of(e[0]), e[0].events);
    _assert_int_equal((uintmax_t)n, 0, file, line);
}

uint32_t events_of(const plx_event *events, int n, int fd)
{
    uint32_t merged = 0;
    for (int i = 0; i < n; i++)
        if (!is_wakeup(events[i]) && fd_of(events[i]) == fd)
            merged |= events[i].events;
    return merged;
}

bool is_wakeup(plx_event event)
{
    return event.events == PLX_WAKEUP && event.cookie == 0 && event.error == 0;
}

int wakeups_in(const plx_event *events, int n)
{
    int wakeups = 0;
    for (int i = 0; i < n; i++)
        wakeups += is_wakeup(events[i]);
    return wakeups;
}

static void *wait_once(void *argument)
{
    waiter *w = argument;
    int64_t start = now();
    w->tid = (int)syscall(SYS_gettid);
    w->result = plx_await(w->set, w->events, MANY, w->ns);
    w->elapsed = now() - start;
    return NULL;
}

/* proc(5): the state follows the last parenthesis of the command's name. */
static bool sleeps(int tid)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", tid);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return true; /* it has ended */
    size_t n = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[n] = 0;
    const char *end = strrchr(text, ')');
    return end != NULL && end[1] == ' ' && end[2] == 'S';
}

void waiter_start(waiter *w, plx_set *set, int64_t ns)
{
    memset(w, 0, sizeof *w);
    w->set = set;
    w->ns = ns;
    assert_int_equal(pthread_create(&w->thread, NULL, wait_once, w), 0);
    while (w->tid == 0 || !sleeps(w->tid))
        nap(MILLIS(1) / 10);
}

void waiter_join(waiter *w)
{
    assert_int_equal(pthread_join(w->thread, NULL), 0);
}
