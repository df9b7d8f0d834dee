/* SPDX-License-Identifier: Apache-2.0
 *
 * support.h: what the tests share: descriptors, cookies, changes, expectations, threads that wait, faults.
 */
#ifndef SUPPORT_H
#define SUPPORT_H

#include "suite.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#define MILLIS(n) ((int64_t)(n)*1000000)
#define SECONDS(n) ((int64_t)(n)*1000000000)
enum { MANY = 64 };

int64_t now(void);        /* CLOCK_MONOTONIC in ns */
void nap(int64_t ns);

/* Descriptors, all non-blocking; failure to make them fails the test. */
void stream_pair(int fds[2]); /* socketpair(2) */
void tcp_pair(int fds[2]);    /* over the loopback */
void pipe_pair(int fds[2]);
int broken_pipe(void);        /* the end for writing, when nobody has the other one */
int terminal(int *other);     /* a character device that can be written to: a pseudoterminal's two ends */
int counter(bool readable);   /* eventfd(2), EFD_SEMAPHORE: readable or not, writable */
int regular_file(void);       /* unlinked, empty */
int closed_descriptor(void);  /* a number that nothing has open */
void close_both(int fds[2]);
void replace(int fd, int by); /* fd is now what by was: its number reused */

/* The open descriptors of this process as a bit set; those of /proc itself are not in it. */
typedef struct {
    uint64_t bits[1024];
} descriptors;
void list_descriptors(descriptors *list);
bool has_descriptor(const descriptors *list, int fd);

bool is(const plx_set *set, const char *mechanism);

/* The tests' own cookies: the descriptor's number, and a generation that tells it from others that had it. */
static inline uint64_t cookie(int fd, uint32_t gen)
{
    return (uint64_t)gen << 32 | (uint32_t)fd;
}
static inline int fd_of(plx_event event)
{
    return (int)(uint32_t)event.cookie;
}
static inline uint32_t gen_of(plx_event event)
{
    return (uint32_t)(event.cookie >> 32);
}

/* plx_add and plx_modify with such a cookie: 0 or -code. */
int add(plx_set *set, int fd, uint32_t gen, uint32_t want);
int modify(plx_set *set, int fd, uint32_t gen, uint32_t want);
#define add_ok(...) assert_int_equal(add(__VA_ARGS__), 0)
#define modify_ok(...) assert_int_equal(modify(__VA_ARGS__), 0)
#define remove_ok(...) assert_int_equal(plx_remove(__VA_ARGS__), 0)
/* The same, and if the change was kept for the next await: 0 or -code as that reports it, for all of want. */
int add_and_await(plx_set *set, int fd, uint32_t gen, uint32_t want);
int modify_and_await(plx_set *set, int fd, uint32_t gen, uint32_t want);

/* The next await reports this descriptor alone, with exactly these events. */
#define expect_event(set, fd, gen, events) check_event(set, cookie(fd, gen), events, __FILE__, __LINE__)
#define expect_cookie(set, cookie, events) check_event(set, cookie, events, __FILE__, __LINE__)
void check_event(plx_set *set, uint64_t cookie, uint32_t events, const char *file, int line);
/* The next await reports one wakeup and nothing else. */
#define expect_wake(set) check_event(set, 0, PLX_WAKEUP, __FILE__, __LINE__)
/* There is nothing to report now. */
#define expect_nothing(set) check_nothing(set, __FILE__, __LINE__)
void check_nothing(plx_set *set, const char *file, int line);
/* Merges the events of one await by descriptor: those of fd, 0 if it has none. */
uint32_t events_of(const plx_event *events, int n, int fd);
bool is_wakeup(plx_event event);
int wakeups_in(const plx_event *events, int n);

/* A thread inside one await. */
typedef struct {
    pthread_t thread;
    plx_set *set;
    int64_t ns, elapsed;
    atomic_int tid;
    int result;
    plx_event events[MANY];
} waiter;
void waiter_start(waiter *w, plx_set *set, int64_t ns); /* returns when the kernel says that it sleeps */
void waiter_join(waiter *w);

/* Faults. The nth allocation from now on by calloc or realloc of this thread fails, 0: none does. True if it did. */
void fail_allocation(int nth);
bool allocation_failed(void);
/* From now on each allocation of each thread fails, or no longer. */
void fail_allocations(bool do_fail);
/* The largest request since the last call. */
size_t largest_allocation(void);
/* The sum of what was allocated since the last call, freed or not. */
size_t all_allocations(void);
/* From now on the kernel answers error to this thread's system call, and to its children's: true if that could be
 * arranged. There is no way back, hence the second form, which runs body on a thread of its own. */
bool deny_here(long call, int error);
/* The same for eventfd2, unless its flags have EFD_SEMAPHORE: the tests keep their counters. */
bool deny_eventfd_here(int error);
int with_denied(long call, int error, int (*body)(plx_set *), plx_set *set);

#endif
