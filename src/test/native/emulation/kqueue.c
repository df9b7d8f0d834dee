/* SPDX-License-Identifier: Apache-2.0
 *
 * kqueue.c: kqueue(2) and kevent(2) for tests on Linux, as the manuals of macOS and FreeBSD have them.
 *
 * - The queue's descriptor is an epoll that watches two others, one for each filter, and an eventfd for EVFILT_USER:
 *   it is pollable, and closed descriptors leave it by themselves, as they leave a kqueue.
 * - epoll keeps a registration whose open file lives on under another descriptor, a kqueue does not: such events are
 *   dropped, and the inner epoll is made anew (rebuild).
 * - The read filter reports urgent data with EV_OOBAND and the number of bytes before the mark, and at the mark without
 *   any, as old releases of macOS did; later ones report urgent data only where EV_OOBAND goes in.
 * - Each kevent makes one call of getppid(2), for whoever counts from outside.
 * - Not as it is on a BSD: regular files are EPERM; fflags with EV_EOF is ECONNRESET for every error, because the true one
 *   can't be had without taking it from the socket; a fresh TCP socket is at EV_EOF.
 */
#include <sys/event.h>
#undef close

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

enum { MOST_QUEUES = 1 << 16, READ = 0, WRITE = 1 };
static const uint32_t interest[] = { EPOLLIN | EPOLLRDHUP | EPOLLPRI, EPOLLOUT };

/* What the epolls cannot keep of a registration. */
typedef struct {
    bool present, disabled;
    uint16_t flags; /* EV_CLEAR, EV_ONESHOT, EV_DISPATCH */
    void *udata;
} note;

typedef struct {
    int outer, inner[2], user_fd;
    note *notes[2]; /* by descriptor */
    int count[2];
    note user;
    int turn; /* which of the three sources is asked first */
    pthread_mutex_t lock;
} queue;

static queue *_Atomic queues[MOST_QUEUES];
static atomic_int calls, refuse_nth, refuse_error, without_user;

int kqueue_emulation_calls(void)
{
    return calls;
}

void kqueue_emulation_refuse(int nth, int error)
{
    refuse_error = error;
    refuse_nth = nth;
}

void kqueue_emulation_have_user(int yes)
{
    without_user = !yes;
}

int kqueue_emulation_has_user(void)
{
    return !without_user;
}

static queue *queue_of(int fd)
{
    return fd >= 0 && fd < MOST_QUEUES ? queues[fd] : NULL;
}

static void dispose(queue *q)
{
    int saved = errno;
    close(q->outer);
    close(q->inner[READ]);
    close(q->inner[WRITE]);
    close(q->user_fd);
    pthread_mutex_destroy(&q->lock);
    free(q->notes[READ]);
    free(q->notes[WRITE]);
    free(q);
    errno = saved;
}

int kqueue_emulation_close(int fd)
{
    queue *q = queue_of(fd);
    if (q == NULL)
        return close(fd);
    queues[fd] = NULL;
    dispose(q);
    return 0;
}

static int watch_inner(const queue *q, int fd)
{
    struct epoll_event e = { .events = EPOLLIN };
    return fd < 0 || fcntl(fd, F_SETFL, O_NONBLOCK) < 0 ? -1 : epoll_ctl(q->outer, EPOLL_CTL_ADD, fd, &e);
}

int kqueue(void)
{
    queue *q = calloc(1, sizeof *q);
    if (q == NULL) {
        errno = ENOMEM;
        return -1;
    }
    pthread_mutex_init(&q->lock, NULL);
    q->inner[READ] = q->inner[WRITE] = q->user_fd = -1;
    q->outer = epoll_create1(0);
    if (!without_user)
        q->user_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (q->outer < 0 || (!without_user && watch_inner(q, q->user_fd) < 0) || (q->inner[READ] = epoll_create1(EPOLL_CLOEXEC)) < 0 ||
        (q->inner[WRITE] = epoll_create1(EPOLL_CLOEXEC)) < 0 || watch_inner(q, q->inner[READ]) < 0 ||
        watch_inner(q, q->inner[WRITE]) < 0) {
        dispose(q);
        return -1;
    }
    if (q->outer >= MOST_QUEUES) {
        dispose(q);
        errno = EMFILE;
        return -1;
    }
    queues[q->outer] = q;
    return q->outer;
}

static int arm(const queue *q, int which, int op, int fd)
{
    const note *n = &q->notes[which][fd];
    struct epoll_event e = { .data.fd = fd };
    e.events = n->disabled ? (uint32_t)EPOLLET /* hanging up comes all the same, once */
                           : interest[which] | (n->flags & EV_CLEAR ? (uint32_t)EPOLLET : 0);
    return epoll_ctl(q->inner[which], op, fd, &e) < 0 ? errno : 0;
}

static int reserve(queue *q, int which, int fd)
{
    if (fd < q->count[which])
        return 0;
    int count = fd + 64;
    note *larger = realloc(q->notes[which], (size_t)count * sizeof *larger);
    if (larger == NULL)
        return ENOMEM;
    memset(larger + q->count[which], 0, (size_t)(count - q->count[which]) * sizeof *larger);
    q->notes[which] = larger;
    q->count[which] = count;
    return 0;
}

static bool must_refuse(void)
{
    return refuse_nth > 0 && --refuse_nth == 0;
}

static void modify(note *n, const struct kevent *c)
{
    if (c->flags & EV_ADD) {
        n->present = true;
        n->flags = c->flags & (EV_CLEAR | EV_ONESHOT | EV_DISPATCH);
        n->udata = c->udata;
        n->disabled = false;
    }
    if (c->flags & EV_ENABLE)
        n->disabled = false;
    if (c->flags & EV_DISABLE)
        n->disabled = true;
}

static int change_user(queue *q, const struct kevent *c)
{
    if (q->user_fd < 0)
        return EINVAL;
    if (c->flags & EV_ADD && must_refuse())
        return refuse_error;
    if (!q->user.present && !(c->flags & EV_ADD))
        return ENOENT;
    if (c->flags & EV_DELETE)
        q->user.present = false;
    else
        modify(&q->user, c);
    if (c->fflags & NOTE_TRIGGER)
        eventfd_write(q->user_fd, 1);
    return 0;
}

static int change_file(queue *q, int which, const struct kevent *c)
{
    int fd = (int)c->ident, error;
    if (c->ident > INT_MAX || fcntl(fd, F_GETFD) < 0)
        return EBADF;
    if (c->flags & EV_ADD && must_refuse())
        return refuse_error;
    error = reserve(q, which, fd);
    if (error != 0)
        return error;
    note *n = &q->notes[which][fd], before = *n;
    if (c->flags & EV_DELETE) {
        if (!n->present)
            return ENOENT;
        n->present = false;
        return epoll_ctl(q->inner[which], EPOLL_CTL_DEL, fd, NULL) < 0 ? ENOENT : 0;
    }
    if (!n->present && !(c->flags & EV_ADD))
        return ENOENT;
    modify(n, c);
    error = before.present ? arm(q, which, EPOLL_CTL_MOD, fd) : ENOENT;
    if (before.present && error == ENOENT && !(c->flags & EV_ADD)) {
        n->present = false; /* the number is another file's by now */
        return ENOENT;
    }
    if (error == ENOENT) {
        if (before.present)
            modify(memset(n, 0, sizeof *n), c);
        error = arm(q, which, EPOLL_CTL_ADD, fd);
    }
    if (error == EEXIST)
        error = arm(q, which, EPOLL_CTL_MOD, fd);
    if (error != 0)
        *n = before;
    return error;
}

static int change(queue *q, const struct kevent *c)
{
    switch (c->filter) {
    case EVFILT_READ:
        return change_file(q, READ, c);
    case EVFILT_WRITE:
        return change_file(q, WRITE, c);
    case EVFILT_USER:
        return change_user(q, c);
    default:
        return EINVAL;
    }
}

/* Leaves behind what is registered under a descriptor that has been closed, while its open file lives on; later, if it
 * can't be done now. The new epoll takes over the old one's number: none that a test expects is used up. */
static void rebuild(queue *q, int which)
{
    int old = q->inner[which], fresh = epoll_create1(EPOLL_CLOEXEC), error = watch_inner(q, fresh) < 0;
    q->inner[which] = fresh;
    for (int fd = 0; fd < q->count[which] && error == 0; fd++)
        if (q->notes[which][fd].present) {
            error = arm(q, which, EPOLL_CTL_ADD, fd);
            if (error == EBADF || error == EPERM || fd == fresh) { /* closed, or another file by now, or the new epoll itself */
                q->notes[which][fd].present = false;
                error = 0;
            }
        }
    q->inner[which] = old;
    if (error == 0) {
        epoll_ctl(q->outer, EPOLL_CTL_DEL, fresh, NULL);
        if (dup3(fresh, old, O_CLOEXEC) < 0 || watch_inner(q, old) < 0)
            abort();
    }
    if (fresh >= 0)
        close(fresh);
}

static void fill(struct kevent *out, int which, int fd, uint32_t events)
{
    int bytes = 0;
    if (which == WRITE || ioctl(fd, FIONREAD, &bytes) < 0)
        bytes = events & (EPOLLIN | EPOLLOUT) ? 1 : 0;
    out->data = bytes;
    if (events & (EPOLLHUP | EPOLLERR | EPOLLRDHUP))
        out->flags |= EV_EOF;
    if (events & EPOLLERR)
        out->fflags = ECONNRESET;
    if (events & EPOLLPRI)
        out->flags |= EV_OOBAND;
}

/* Whether the epoll has the file that is under that descriptor now, as it says when asked to change it, and whether that
 * file is ready: else the event was of one that was there before. */
static bool is_there(const queue *q, int which, int fd, uint32_t events)
{
    struct pollfd p = { fd, (short)interest[which], 0 };
    if (poll(&p, 1, 0) <= 0 || ((uint32_t)p.revents & events) == 0)
        return false;
    int error = arm(q, which, EPOLL_CTL_MOD, fd);
    return error != ENOENT && error != EBADF;
}

static int scan_file(queue *q, int which, struct kevent *events, int room)
{
    struct epoll_event *ready = malloc((size_t)room * sizeof *ready);
    int written = 0, n = epoll_wait(q->inner[which], ready, room, 0);
    bool ghosts = false;
    for (int i = 0; i < n; i++) {
        int fd = ready[i].data.fd;
        note *at = &q->notes[which][fd];
        if (at->disabled)
            continue;
        if (!at->present || (!(at->flags & EV_CLEAR) && !is_there(q, which, fd, ready[i].events))) {
            ghosts = true;
            continue;
        }
        struct kevent *e = &events[written++];
        *e = (struct kevent){ .ident = (uintptr_t)fd, .udata = at->udata, .flags = at->flags };
        e->filter = which == READ ? EVFILT_READ : EVFILT_WRITE;
        fill(e, which, fd, ready[i].events);
        if (at->flags & EV_DISPATCH) {
            at->disabled = true;
            arm(q, which, EPOLL_CTL_MOD, fd);
        }
        if (at->flags & EV_ONESHOT) {
            at->present = false;
            epoll_ctl(q->inner[which], EPOLL_CTL_DEL, fd, NULL);
        }
    }
    free(ready);
    if (ghosts)
        rebuild(q, which);
    return written;
}

static int scan_user(queue *q, struct kevent *events)
{
    eventfd_t value;
    if (q->user_fd < 0 || !q->user.present || q->user.disabled)
        return 0;
    struct pollfd p = { q->user_fd, POLLIN, 0 };
    if (poll(&p, 1, 0) <= 0)
        return 0;
    if (q->user.flags & (EV_CLEAR | EV_ONESHOT))
        eventfd_read(q->user_fd, &value);
    events[0] = (struct kevent){ .filter = EVFILT_USER, .flags = q->user.flags, .udata = q->user.udata };
    if (q->user.flags & EV_ONESHOT)
        q->user.present = false;
    if (q->user.flags & EV_DISPATCH)
        q->user.disabled = true;
    return 1;
}

/* The sources take turns in coming first, so that none of them starves when there is little room. */
static int scan(queue *q, struct kevent *events, int room)
{
    int written = 0, first = q->turn++ % 3;
    for (int i = 0; i < 3; i++) {
        int source = (first + i) % 3;
        if (written < room)
            written += source == 2 ? scan_user(q, events + written) : scan_file(q, source, events + written, room - written);
    }
    return written;
}

static int wait_until(queue *q, struct kevent *events, int room, const struct timespec *timeout)
{
    struct timespec now, end = { 0, 0 }, left = { 0, 0 };
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (timeout != NULL) {
        end = (struct timespec){ now.tv_sec + timeout->tv_sec, now.tv_nsec + timeout->tv_nsec };
        left = *timeout;
    }
    for (;;) {
        pthread_mutex_lock(&q->lock);
        int n = scan(q, events, room);
        pthread_mutex_unlock(&q->lock);
        if (n > 0 || (timeout != NULL && left.tv_sec == 0 && left.tv_nsec == 0))
            return n;
        struct pollfd p = { q->outer, POLLIN, 0 };
        if (ppoll(&p, 1, timeout == NULL ? NULL : &left, NULL) < 0)
            return -1;
        clock_gettime(CLOCK_MONOTONIC, &now);
        int64_t nanos = (int64_t)(end.tv_sec - now.tv_sec) * 1000000000 + (end.tv_nsec - now.tv_nsec);
        left = nanos <= 0 ? (struct timespec){ 0, 0 } : (struct timespec){ nanos / 1000000000, nanos % 1000000000 };
    }
}

static bool is_trigger(const queue *q, const struct kevent *changes, int n, int room)
{
    return n == 1 && room == 0 && changes->filter == EVFILT_USER && changes->flags == 0 && changes->fflags == NOTE_TRIGGER &&
           q->user_fd >= 0;
}

int kevent(int kq, const struct kevent *changes, int change_count, struct kevent *events, int event_count,
           const struct timespec *timeout)
{
    queue *q = queue_of(kq);
    int written = 0;
    calls++;
    syscall(SYS_getppid);
    if (q == NULL) {
        errno = EBADF;
        return -1;
    }
    if (timeout != NULL && (timeout->tv_sec < 0 || timeout->tv_sec > 100000000 || timeout->tv_nsec < 0 ||
                            timeout->tv_nsec >= 1000000000)) {
        errno = EINVAL;
        return -1;
    }
    if (is_trigger(q, changes, change_count, event_count)) /* from any thread and from signal handlers: no lock */
        return eventfd_write(q->user_fd, 1) < 0 && errno != EAGAIN ? -1 : 0;
    pthread_mutex_lock(&q->lock);
    for (int i = 0; i < change_count; i++) {
        struct kevent c = changes[i]; /* both lists may be the same */
        int error = change(q, &c);
        if (error == 0 && !(c.flags & EV_RECEIPT))
            continue;
        if (written < event_count) {
            c.flags = EV_ERROR;
            c.data = error;
            events[written++] = c;
        } else if (error != 0) {
            pthread_mutex_unlock(&q->lock);
            errno = error;
            return -1;
        }
    }
    pthread_mutex_unlock(&q->lock);
    return written > 0 || event_count == 0 ? written : wait_until(q, events, event_count, timeout);
}
