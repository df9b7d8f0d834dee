/* SPDX-License-Identifier: Apache-2.0
 *
 * sys/event.h: kqueue(2) and kevent(2), emulated over epoll(7): see ../kqueue.c. Values and layout are macOS's.
 */
#ifndef EMULATED_SYS_EVENT_H
#define EMULATED_SYS_EVENT_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h> /* before close is something else */

struct kevent {
    uintptr_t ident;
    int16_t filter;
    uint16_t flags;
    uint32_t fflags;
    intptr_t data;
    void *udata;
};

#define EVFILT_READ (-1)
#define EVFILT_WRITE (-2)
#define EVFILT_USER (-10)

#define EV_ADD 0x0001
#define EV_DELETE 0x0002
#define EV_ENABLE 0x0004
#define EV_DISABLE 0x0008
#define EV_ONESHOT 0x0010
#define EV_CLEAR 0x0020
#define EV_DISPATCH 0x0080
#define EV_OOBAND 0x2000
#define EV_ERROR 0x4000
#define EV_EOF 0x8000

#define NOTE_LOWAT 0x00000001
#define NOTE_TRIGGER 0x01000000

int kqueue(void);
int kevent(int kq, const struct kevent *changes, int change_count, struct kevent *events, int event_count,
           const struct timespec *timeout);

/* Closing a kqueue gives back what the emulation has beside it. */
int kqueue_emulation_close(int fd);
#define close(fd) kqueue_emulation_close(fd)

/* fstat(2), where the family's pipes have no inode. */
struct stat;
int kqueue_emulation_fstat(int fd, struct stat *status);
#define fstat(fd, status) kqueue_emulation_fstat(fd, status)

/* For tests. How often kevent has been called; the changes of EVFILT_READ, EVFILT_WRITE and EVFILT_USER that are
 * refused: the nth addition from now on, and each of the same filter after it, with this errno; 0: none. */
int kqueue_emulation_calls(void);
void kqueue_emulation_refuse(int nth, int error);

/* How the kernels of one family differ from the others. */
typedef struct {
    const char *name;
    int broken_pipe_error; /* of EVFILT_WRITE for a pipe whose reader is gone; 0: it is taken */
    bool has_user;         /* EVFILT_USER; two families got it late */
    bool drops_broken;     /* EVFILT_WRITE is gone when it has reported that the reader is */
    bool misses_broken;    /* EVFILT_WRITE of a full pipe sleeps on when the reader goes */
    bool lingers;          /* the queue stays readable until a kevent finds nothing */
    bool adjacent;         /* the events of a descriptor come one after the other */
    bool needs_lowat;      /* of character devices: else EINVAL */
    bool no_pipe_inodes;   /* fstat(2) of a pipe says that its inode and device are 0 */
} kqueue_family;

/* The families; the last one's name is NULL. What queues are that are opened from now on: at first the family that the
 * environment variable POLLUX_KQUEUE_FAMILY names, or else the first. */
extern const kqueue_family kqueue_families[];
void kqueue_emulation_be(const kqueue_family *family);
const kqueue_family *kqueue_emulation_is(void);

#endif
