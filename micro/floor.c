// SPDX-License-Identifier: Apache-2.0
/*
 * The floor of the benchmarks: the system calls that a selection can't do without, and nothing else. See epoll_wait(2),
 * poll(2), eventfd(2).
 *
 *   floor BENCHMARK epoll|poll READY/CHANNELS MILLISECONDS
 *
 * prints one line per figure: its name and nanoseconds. A second thread sleeps all the time: glibc's waiting calls are
 * cancellation points and cost more in a process of several threads, as every virtual machine is.
 */
#define _GNU_SOURCE
#include "common.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { EVENTS = 1024, PER_LISTENER = 100, BATCHES = 5, CLOCK_EVERY = 16, MAX_SAMPLES = 1 << 20 };

/* One set of descriptors; the eventfd that any selector needs is entry 0. */
struct set {
    int poll;
    int epfd, wakefd;
    struct pollfd *fds;
    int count, room;
    struct epoll_event *events;
};

struct floor {
    struct set set;
    int ready;
    int fd;                     /* the idle channel that some benchmarks change */
};

static double now(void) { return nanos(CLOCK_MONOTONIC); }
static double cpu_now(void) { return nanos(CLOCK_THREAD_CPUTIME_ID); }

static void set_ctl(struct set *s, int op, int fd, uint32_t events)
{
    struct epoll_event e = { .events = events, .data.fd = fd };
    require(epoll_ctl(s->epfd, op, fd, &e) == 0, "epoll_ctl");
}

static void set_add(struct set *s, int fd, uint32_t events)
{
    if (s->count == s->room) {
        s->room = s->room ? 2 * s->room : 16;
        s->fds = realloc(s->fds, (size_t)s->room * sizeof *s->fds);
        require(s->fds != NULL, "realloc");
    }
    s->fds[s->count++] = (struct pollfd){ .fd = fd, .events = (short)(events & (EPOLLIN | EPOLLOUT)) };
    if (!s->poll)
        set_ctl(s, EPOLL_CTL_ADD, fd, events);
}

static void set_open(struct set *s, int use_poll)
{
    memset(s, 0, sizeof *s);
    s->poll = use_poll;
    s->events = calloc(EVENTS, sizeof *s->events);
    require(s->events != NULL, "calloc");
    s->epfd = use_poll ? -1 : epoll_create1(EPOLL_CLOEXEC);
    s->wakefd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    require((use_poll || s->epfd >= 0) && s->wakefd >= 0, "open");
    set_add(s, s->wakefd, EPOLLIN | EPOLLET);
}

static void set_close(struct set *s)
{
    close(s->wakefd);
    if (s->epfd >= 0)
        close(s->epfd);
    s->epfd = s->wakefd = -1;
    free(s->fds);
    free(s->events);
}

/* Waits once, looks at each event, and ends the program if they are not as many as expected. */
static void set_wait(struct set *s, int timeout, int expected)
{
    int seen = 0;
    if (s->poll) {
        int left = poll(s->fds, (nfds_t)s->count, timeout);
        for (int i = 0; left > 0 && i < s->count; i++)
            if (s->fds[i].revents) {
                left--;
                seen += s->fds[i].fd >= 0;
            }
    } else {
        int n = epoll_wait(s->epfd, s->events, EVENTS, timeout);
        for (int i = 0; i < n; i++)
            seen += s->events[i].data.fd >= 0;
    }
    require(seen == expected, "unexpected number of events");
}

/* Peers of idle channels stay in the listener's backlog, where they need no descriptor. */
enum { BACKLOG = PER_LISTENER + 28 };

static int connect_ready(void)
{
    struct sockaddr_in address;
    int server = listener(&address, BACKLOG);
    int fd = connect_to(&address);
    int peer = accept(server, NULL, NULL);
    require(peer >= 0 && write(peer, "x", 1) == 1, "peer");
    close(server);
    return fd;
}

static void connect_all(struct floor *f, int channels)
{
    struct sockaddr_in address;
    int made = 0, idle = 0;
    for (int i = 0; i < channels; i++) {
        int ready = made < f->ready && (long)i * f->ready >= (long)made * channels;
        if (!ready && idle++ % PER_LISTENER == 0)
            (void)listener(&address, BACKLOG);
        int fd = ready ? connect_ready() : connect_to(&address);
        made += ready;
        if (!ready)
            f->fd = fd;
        set_add(&f->set, fd, EPOLLIN);
    }
}

/* poll(2) with a timeout queues itself on each descriptor before it looks: where something is ready, 0 is the floor. */
static void op_select(struct floor *f) { set_wait(&f->set, f->set.poll ? 0 : -1, f->ready); }
static void op_now(struct floor *f) { set_wait(&f->set, 0, 0); }
static void op_select_twice(struct floor *f) { op_select(f); op_select(f); }

/* Changes what the entry of that number is watched for. */
static void want(struct set *s, int at, uint32_t events)
{
    if (s->poll)
        s->fds[at].events = (short)events;
    else
        set_ctl(s, EPOLL_CTL_MOD, s->fds[at].fd, events);
}

static void op_write_on_off(struct floor *f)
{
    struct set *s = &f->set;
    want(s, s->count - 1, EPOLLIN | EPOLLOUT);
    set_wait(s, -1, 1);
    want(s, s->count - 1, EPOLLIN);
    set_wait(s, 0, 0);
}

/* Behind the eventfd each pipe has two entries, the reading end and the writing one. */
static void make_ring(struct set *s, int pipes)
{
    raise_limit();
    while (pipes-- > 0) {
        int ends[2];
        require(pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0, "pipe2");
        set_add(s, ends[0], EPOLLIN);
        set_add(s, ends[1], 0);
    }
    want(s, 2, EPOLLOUT);
}

static void op_ring(struct floor *f)
{
    static int at = 1; /* the reading end of the pipe that the byte is for */
    struct set *s = &f->set;
    char byte = 0;
    set_wait(s, -1, 1);
    require(write(s->fds[at + 1].fd, &byte, 1) == 1, "write");
    want(s, at + 1, 0);
    set_wait(s, -1, 1);
    require(read(s->fds[at].fd, &byte, 1) == 1, "read");
    at = at + 2 < s->count ? at + 2 : 1;
    want(s, at + 1, EPOLLOUT);
}

static void op_register_cancel(struct floor *f)
{
    struct set *s = &f->set;
    op_now(f);
    s->count--;
    if (!s->poll)
        set_ctl(s, EPOLL_CTL_DEL, f->fd, 0);
    op_now(f);
    set_add(s, f->fd, EPOLLIN);
}

static void op_register_many(struct floor *f)
{
    struct set *all = &f->set, fresh;
    if (all->epfd >= 0) {       /* no channel may be in two sets: the kernel would have twice the work */
        close(all->epfd);
        all->epfd = -1;
    }
    set_open(&fresh, all->poll);
    for (int i = 1; i < all->count; i++)
        set_add(&fresh, all->fds[i].fd, EPOLLIN);
    set_wait(&fresh, 0, 0);
    set_close(&fresh);
}

static void op_open_close(struct floor *f)
{
    int epfd = f->set.poll ? -1 : epoll_create1(EPOLL_CLOEXEC);
    int wakefd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    struct epoll_event e = { .events = EPOLLIN | EPOLLET };
    require(wakefd >= 0 && (epfd < 0 || epoll_ctl(epfd, EPOLL_CTL_ADD, wakefd, &e) == 0), "open");
    close(wakefd);
    if (epfd >= 0)
        close(epfd);
}

/* The two sides of the round trip: each sleeps in its own set. */
static struct set there, here;

static void wake(struct set *s)
{
    uint64_t one = 1;
    require(write(s->wakefd, &one, sizeof one) == sizeof one, "write");
}

static void sleep_until_woken(struct set *s)
{
    uint64_t value;
    set_wait(s, -1, 1);
    if (s->poll)                /* poll has no edges */
        require(read(s->wakefd, &value, sizeof value) == sizeof value, "read");
}

static void *echo(void *unused)
{
    for (;;) {
        sleep_until_woken(&there);
        wake(&here);
    }
    return unused;
}

static void round_trips(int use_poll, double time)
{
    pthread_t thread;
    double *samples = malloc(MAX_SAMPLES * sizeof *samples);
    double end = now() + time;
    int n = 0;
    set_open(&here, use_poll);
    set_open(&there, use_poll);
    require(samples != NULL && pthread_create(&thread, NULL, echo, NULL) == 0, "thread");
    while (n < MAX_SAMPLES && (n == 0 || now() < end)) {
        double start = now();
        wake(&there);
        sleep_until_woken(&here);
        samples[n++] = now() - start;
    }
    qsort(samples, (size_t)n, sizeof *samples, ascending);
    printf("p50 %.1f\np99 %.1f\n", samples[n / 2], samples[(int)(n * 0.99)]);
}

/* Prints nanoseconds per operation, elapsed and of the processor, each the median of some batches, as the Java side
 * takes it of its iterations. */
static void measure(struct floor *f, void (*op)(struct floor *), double time)
{
    double wall[BATCHES + 1], cpu[BATCHES + 1];
    for (int b = 0; b <= BATCHES; b++) {        /* batch 0 warms up */
        double start = now(), cpu_start = cpu_now(), spent = 0;
        long done = 0;
        while (spent < time / (BATCHES + 1)) {
            for (int i = 0; i < CLOCK_EVERY; i++)
                op(f);
            done += CLOCK_EVERY;
            spent = now() - start;
        }
        wall[b] = spent / (double)done;
        cpu[b] = (cpu_now() - cpu_start) / (double)done;
    }
    qsort(wall + 1, BATCHES, sizeof *wall, ascending);
    qsort(cpu + 1, BATCHES, sizeof *cpu, ascending);
    printf("wall %.1f\ncpu %.1f\n", wall[1 + BATCHES / 2], cpu[1 + BATCHES / 2]);
}

static void *idle(void *unused)
{
    for (;;)
        pause();
    return unused;
}

static const struct bench {
    const char *name;
    void (*op)(struct floor *);
    int ready, channels;        /* -1: as the command line says */
} benches[] = {
    { "SelectOne", op_select, -1, -1 },
    { "SelectKeys", op_select, -1, -1 },
    { "SelectConsumer", op_select, -1, -1 },
    { "ReplacedKeySet", op_select, 1000, 1000 },
    { "SelectorWakeup", op_now, 0, 0 },
    { "SelectNowEmpty", op_now, 0, 1 },
    { "InterestSelect", op_select_twice, 1, 2 },
    { "InterestNow", op_now, 0, 1 },
    { "WriteOnOff", op_write_on_off, 0, 1 },
    { "RegisterCancel", op_register_cancel, 0, 1 },
    { "RegisterMany", op_register_many, 0, -1 },
    { "OpenClose", op_open_close, 0, 0 },
    { "Ring", op_ring, 0, -1 },
    { "ByteRoundTrip", NULL, 0, 0 },
    { "WakeupRoundTrip", NULL, 0, 0 },
};

static const struct bench *find(const char *name)
{
    for (size_t i = 0; i < sizeof benches / sizeof *benches; i++)
        if (strcmp(benches[i].name, name) == 0)
            return &benches[i];
    errx(2, "no benchmark %s", name);
}

int main(int argc, char **argv)
{
    struct floor f = { .fd = -1 };
    pthread_t thread;
    int ready = 0, channels = 0;
    if (argc != 5 || sscanf(argv[3], "%d/%d", &ready, &channels) != 2)
        errx(2, "usage: floor BENCHMARK epoll|poll READY/CHANNELS MILLISECONDS");
    const struct bench *b = find(argv[1]);
    int use_poll = strcmp(argv[2], "poll") == 0;
    double time = atof(argv[4]) * 1e6;
    require(pthread_create(&thread, NULL, idle, NULL) == 0, "thread");
    if (b->op == NULL) {
        round_trips(use_poll, time);
        return 0;
    }
    set_open(&f.set, use_poll);
    f.ready = b->ready < 0 ? ready : b->ready;
    channels = b->channels < 0 ? channels : b->channels;
    if (b->op == op_ring)
        make_ring(&f.set, channels);
    else
        connect_all(&f, channels);
    measure(&f, b->op, time);
    return 0;
}
