/* SPDX-License-Identifier: Apache-2.0
 *
 * injection.h: system calls of the batch that fail, by the linker's --wrap, and how many were made. The tests' own
 * calls are those of the C library, and are left alone. All this is the process's; each test runs in one of its own.
 */
#ifndef BATCH_INJECTION_H
#define BATCH_INJECTION_H

#include "rig.h"

typedef enum {
    CALL_SETUP,     /* io_uring_setup(2) */
    CALL_ENTER,     /* io_uring_enter(2) */
    CALL_RING_SEND, /* one request of a ring */
    CALL_SENDTO,
    CALL_WRITE, /* to a socket */
    CALL_EPOLL_CREATE,
    CALL_EVENTFD,
    CALL_EPOLL_CTL,
    CALL_PWAIT2, /* epoll_pwait2(2) */
    CALL_PPOLL,
    CALL_EPOLL_WAIT,
    CALL_DUPLICATE, /* fcntl(2) with F_DUPFD_CLOEXEC */
    CALL_GET_FLAGS, /* with F_GETFL */
    CALL_POLL,
    CALL_MMAP,
    CALL_THREAD, /* pthread_create(3) */
    CALLS
} call_kind;
extern const char *const call_names[CALLS];

enum { FOR_EVER = 1 << 30, SHORT = 0 };

/* From the nth one on so many fail. With SHORT they do less than they are told: a byte, one request of a ring. */
typedef struct {
    call_kind kind;
    int nth, count, error;
} fault;

void inject(fault f);
/* The same, instead of all that was said before. */
void inject_again(fault f);
void lift_faults(void);
/* How many calls have failed. */
int faults_met(void);
int calls_of(call_kind kind);
/* All calls of the flusher, and those that wait. */
int flusher_calls(void);
int flusher_waits(void);
/* Whose requests may fail. */
void inject_into(plx_batch *batch);
/* This thread is not the flusher: its calls are not counted as those. */
void be_test_thread(void);
/* Stops the flusher where it waits; lets it go on. */
void hold_flusher(void);
void release_flusher(void);
/* Calls this each time when this thread has unlocked this lock, until it is told otherwise; not from within itself. */
void after_unlock(pthread_mutex_t *lock, void (*what)(void));
/* As for an ordinary user: SO_SNDBUFFORCE is refused, and SO_SNDBUF has this limit. */
void limit_send_buffers(int most);
/* How often the system was asked for that limit. */
int limit_reads(void);

#endif
