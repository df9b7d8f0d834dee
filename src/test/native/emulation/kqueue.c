/* SPDX-License-Identifier: Apache-2.0
 *
 * kqueue.c: kqueue(2) and kevent(2) for tests on Linux, as the manuals of macOS and the BSDs have them, and as their
 * kernels differ (kqueue_families).
 *
 * - The queue's descriptor is an epoll that watches two others, one for each filter, an eventfd for EVFILT_USER, and
 *   one for what those can't say (standing): it is pollable, and closed descriptors leave it by themselves, as they
 *   leave a kqueue.
 * - epoll keeps a registration whose open file lives on under another descriptor, a kqueue does not: such events are
 *   dropped, and the inner epoll is made anew (rebuild).
 * - epoll refuses regular files. They can be written, and read up to their end; each scan looks at them.
 * - The read filter reports out-of-band data with EV_OOBAND and the number of bytes before the mark, and at the mark
 *   without any, as old releases of macOS did; later ones report out-of-band data only where EV_OOBAND goes in.
 * - Each kevent makes one call of getppid(2), for whoever counts from outside.
 * - Not as it is on a BSD: a queue that would watch itself is refused (NetBSD takes it); what was ready, but is not any
 *   more, makes no queue readable; fflags with EV_EOF is ECONNRESET for every error of a socket, because the true one
 *   can't be had without taking it from the socket; a fresh TCP socket is at EV_EOF.
 */
#include <sys/event.h>
#undef close
#undef fstat

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
#include <sys/stat.h>
#include <sys/syscall.h>

enum { MAX_QUEUES = 1 << 16, READ = 0, WRITE = 1 };
static const uint32_t interest[] = { EPOLLIN | EPOLLRDHUP | EPOLLPRI, EPOLLOUT };

/* What the epolls cannot keep of a registration. */
typedef struct {
    bool present, disabled;
    bool regular;   /* a regular file, which no epoll has */
    uint16_t flags; /* EV_CLEAR, EV_ONESHOT, EV_DISPATCH */
    unsigned queued; /* the scan that reported it, if it stays in the queue */
    void *udata;
    dev_t device; /* the file, which may be closed and its number another's by now */
    ino_t inode;
} note;

typedef struct {
    const kqueue_family *family;
    int outer, inner[2], user_fd;
    int standing; /* an eventfd */
    bool stands;  /* it is readable */
    int regular;  /* notes of regular files */
    int queued;   /* notes that the last scan reported, and that stay in the queue */
    unsigned scans;
    note *notes[2]; /* by descriptor */
    int count[2];
    note user;
    int turn; /* which of the three sources is asked first */
    pthread_mutex_t lock;
} queue;

static queue *_Atomic queues[MAX_QUEUES];
static atomic_int calls, refuse_nth, refuse_error, refused_filter;
static atomic_uintptr_t refused_ident;
static const kqueue_family *_Atomic current;

const kqueue_family kqueue_families[] = {
    { .name = "macos", .has_user = true, .needs_lowat = true },
    { .name = "freebsd", .broken_pipe_error = EPIPE, .has_user = true, .drops_broken = true, .lingers = true,
      .adjacent = true },
    { .name = "openbsd", .broken_pipe_error = EPIPE, .lingers = true, .no_pipe_inodes = true },
    { .name = "netbsd", .broken_pipe_error = EBADF, .misses_broken = true, .lingers = true, .adjacent = true,
      .no_pipe_inodes = true },
    { .name = NULL },
};

int kqueue_emulation_calls(void)
{
    return calls;
}

void kqueue_emulation_refuse(int nth, int error)
{
    refuse_error = error;
    refused_filter = 0;
    refuse_nth = nth;
}

void kqueue_emulation_be(const kqueue_family *family)
{
    current = family;
}

const kqueue_family *kqueue_emulation_is(void)
{
    const char *name = getenv("POLLUX_KQUEUE_FAMILY");
    const kqueue_family *family = current;
    if (family != NULL)
        return family;
    for (family = kqueue_families; name != NULL && strcmp(name, family->name) != 0; family++)
        if (family[1].name == NULL)
            abort(); /* no test runs as something else than it says */
    current = family;
    return family;
}

int kqueue_emulation_fstat(int fd, struct stat *status)
{
    int result = fstat(fd, status);
    if (result == 0 && S_ISFIFO(status->st_mode) && kqueue_emulation_is()->no_pipe_inodes) {
        status->st_ino = 0;
        status->st_dev = 0;
    }
    return result;
}

static queue *queue_of(int fd)
{
    return fd >= 0 && fd < MAX_QUEUES ? queues[fd] : NULL;
}

static void dispose(queue *q)
{
    int saved = errno;
    close(q->outer);
    close(q->inner[READ]);
    close(q->inner[WRITE]);
    close(q->standing);
    if (q->user_fd >= 0)
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
    q->family = kqueue_emulation_is();
    q->scans = 1;
    q->inner[READ] = q->inner[WRITE] = q->standing = q->user_fd = -1;
    q->outer = epoll_create1(0);
    bool failed = q->outer < 0 || watch_inner(q, q->standing = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) < 0;
    if (!failed && q->family->has_user)
        failed = watch_inner(q, q->user_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) < 0;
    for (int i = READ; i <= WRITE && !failed; i++)
        failed = watch_inner(q, q->inner[i] = epoll_create1(EPOLL_CLOEXEC)) < 0;
    if (failed) {
        dispose(q);
        return -1;
    }
    if (q->outer >= MAX_QUEUES) {
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

static bool must_refuse(const struct kevent *c)
{
    if (!(c->flags & EV_ADD))
        return false;
    if (refuse_nth > 0 && --refuse_nth == 0) {
        refused_filter = c->filter;
        refused_ident = c->ident;
    }
    return refused_filter != 0 && refused_filter == c->filter && refused_ident == c->ident;
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
    if (must_refuse(c))
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

static void forget(queue *q, note *n)
{
    if (n->present && n->queued == q->scans)
        q->queued--;
    q->regular -= n->present && n->regular;
    n->present = n->regular = false;
}

static bool is_same(const note *n, const struct stat *status)
{
    return n->device == status->st_dev && n->inode == status->st_ino;
}

static bool is_broken_pipe(int fd, const struct stat *status)
{
    struct pollfd p = { fd, 0, 0 };
    return S_ISFIFO(status->st_mode) && poll(&p, 1, 0) > 0 && p.revents & POLLERR;
}

/* What the kernel says to a filter that is new to it: 0 or an error. */
static int attach(queue *q, int which, const struct kevent *c, const struct stat *status)
{
    note *n = &q->notes[which][c->ident];
    const kqueue_family *family = q->family;
    if (family->needs_lowat && S_ISCHR(status->st_mode) && !(c->fflags & NOTE_LOWAT && c->data == 1))
        return EINVAL;
    if (which == WRITE && family->broken_pipe_error != 0 && is_broken_pipe((int)c->ident, status))
        return family->broken_pipe_error;
    modify(memset(n, 0, sizeof *n), c);
    n->device = status->st_dev;
    n->inode = status->st_ino;
    if (S_ISREG(status->st_mode)) {
        q->regular++;
        n->regular = true;
        return 0;
    }
    int error = arm(q, which, EPOLL_CTL_ADD, (int)c->ident);
    if (error == EEXIST)
        error = arm(q, which, EPOLL_CTL_MOD, (int)c->ident);
    n->present = error == 0;
    return error;
}

static int detach(queue *q, int which, int fd)
{
    bool regular = q->notes[which][fd].regular;
    forget(q, &q->notes[which][fd]);
    return regular || epoll_ctl(q->inner[which], EPOLL_CTL_DEL, fd, NULL) == 0 ? 0 : ENOENT;
}

static int change_file(queue *q, int which, const struct kevent *c)
{
    struct stat status;
    int fd = (int)c->ident, error;
    if (c->ident > INT_MAX || fstat(fd, &status) < 0)
        return EBADF;
    if (fd == q->outer)
        return EINVAL;
    if (must_refuse(c))
        return refuse_error;
    error = reserve(q, which, fd);
    if (error != 0)
        return error;
    note *n = &q->notes[which][fd], before = *n;
    if (n->present && !is_same(n, &status))
        forget(q, n);
    if (n->present && c->flags & EV_DELETE)
        return detach(q, which, fd);
    if (n->present) {
        modify(n, c);
        error = n->regular ? 0 : arm(q, which, EPOLL_CTL_MOD, fd);
        if (error != 0)
            *n = before;
        if (error != ENOENT)
            return error;
        forget(q, n); /* the number is another file's by now */
    }
    return c->flags & EV_ADD ? attach(q, which, c, &status) : ENOENT;
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
        if (q->notes[which][fd].present && !q->notes[which][fd].regular) {
            struct stat status;
            bool gone = fd == fresh || fstat(fd, &status) < 0 || !is_same(&q->notes[which][fd], &status);
            error = gone ? EBADF : arm(q, which, EPOLL_CTL_ADD, fd);
            if (error == EBADF) {
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

static bool is_pipe(int fd)
{
    struct stat status;
    return fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode);
}

static void fill(struct kevent *out, int which, int fd, uint32_t events)
{
    int bytes = 0;
    if (which == WRITE || ioctl(fd, FIONREAD, &bytes) < 0)
        bytes = events & (EPOLLIN | EPOLLOUT) ? 1 : 0;
    out->data = bytes;
    if (events & (EPOLLHUP | EPOLLERR | EPOLLRDHUP))
        out->flags |= EV_EOF;
    if (events & EPOLLERR && !is_pipe(fd))
        out->fflags = ECONNRESET;
    if (events & EPOLLPRI)
        out->flags |= EV_OOBAND;
}

/* Whether the epoll has the file that is under that descriptor now, as it says when asked to change it, and whether
 * that file is ready: else the event was of one that was there before. */
static bool is_there(const queue *q, int which, int fd, uint32_t events)
{
    struct pollfd p = { fd, (short)interest[which], 0 };
    if (poll(&p, 1, 0) <= 0 || ((uint32_t)p.revents & events) == 0)
        return false;
    int error = arm(q, which, EPOLL_CTL_MOD, fd);
    return error != ENOENT && error != EBADF;
}

/* Whether the other end of a pipe is gone in a way that the kernel does not tell: it will say nothing until it is asked
 * again. */
static bool misses(const queue *q, int which, int fd, uint32_t events)
{
    if (!q->family->misses_broken || which == READ || (events & (EPOLLERR | EPOLLOUT)) != EPOLLERR || !is_pipe(fd))
        return false;
    q->notes[which][fd].disabled = true;
    arm(q, which, EPOLL_CTL_MOD, fd);
    return true;
}

/* One event of a file, and what that makes of its note. */
static void report(queue *q, int which, int fd, uint32_t ready, struct kevent *e)
{
    note *n = &q->notes[which][fd];
    if (q->family->drops_broken && which == WRITE && ready & EPOLLERR && is_pipe(fd))
        n->flags |= EV_ONESHOT;
    *e = (struct kevent){ .ident = (uintptr_t)fd, .udata = n->udata, .flags = n->flags };
    e->filter = which == READ ? EVFILT_READ : EVFILT_WRITE;
    fill(e, which, fd, ready);
    if (n->flags & EV_DISPATCH || (n->regular && n->flags & EV_CLEAR))
        n->disabled = true;
    if (n->flags & EV_DISPATCH && !n->regular)
        arm(q, which, EPOLL_CTL_MOD, fd);
    if (n->flags & EV_ONESHOT)
        detach(q, which, fd);
    if (!(n->flags & (EV_CLEAR | EV_ONESHOT | EV_DISPATCH))) {
        n->queued = q->scans;
        q->queued++;
    }
}

/* Whether it is still there, and ready: a regular file can be read up to its end. */
static bool regular_is_ready(queue *q, int which, int fd)
{
    note *n = &q->notes[which][fd];
    struct stat status;
    if (!n->present || !n->regular)
        return false;
    if (fstat(fd, &status) < 0 || !is_same(n, &status)) {
        forget(q, n);
        return false;
    }
    return !n->disabled && (which == WRITE || lseek(fd, 0, SEEK_CUR) != status.st_size);
}

static int scan_regular(queue *q, int which, struct kevent *events, int room)
{
    int written = 0;
    for (int fd = 0; q->regular > 0 && fd < q->count[which] && written < room; fd++)
        if (regular_is_ready(q, which, fd))
            report(q, which, fd, 0, &events[written++]);
    return written;
}

/* Keeps the queue readable for what the other descriptors can't say. */
static void stand(queue *q)
{
    eventfd_t value;
    bool stands = q->family->lingers && q->queued > 0;
    for (int which = READ; which <= WRITE && q->regular > 0 && !stands; which++)
        for (int fd = 0; fd < q->count[which] && !stands; fd++)
            stands = regular_is_ready(q, which, fd);
    if (stands != q->stands && (stands ? eventfd_write(q->standing, 1) : eventfd_read(q->standing, &value)) < 0)
        abort();
    q->stands = stands;
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
        if (!misses(q, which, fd, ready[i].events))
            report(q, which, fd, ready[i].events, &events[written++]);
    }
    free(ready);
    if (ghosts)
        rebuild(q, which);
    return written + scan_regular(q, which, events + written, room - written);
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

static int by_descriptor(const void *a, const void *b)
{
    const struct kevent *first = a, *second = b;
    return first->ident < second->ident ? -1 : first->ident > second->ident;
}

/* The sources take turns in coming first, so that none of them starves when there is little room. */
static int scan(queue *q, struct kevent *events, int room)
{
    int written = 0, first = q->turn++ % 3;
    q->scans++;
    q->queued = 0;
    for (int i = 0; i < 3; i++) {
        int source = (first + i) % 3;
        if (written < room)
            written += source == 2 ? scan_user(q, events + written)
                                   : scan_file(q, source, events + written, room - written);
    }
    stand(q);
    if (q->family->adjacent)
        qsort(events, (size_t)written, sizeof *events, by_descriptor);
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
    return n == 1 && room == 0 && changes->filter == EVFILT_USER && changes->flags == 0 &&
           changes->fflags == NOTE_TRIGGER && q->user_fd >= 0;
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
        if (error != 0 && written == event_count) {
            stand(q);
            pthread_mutex_unlock(&q->lock);
            errno = error;
            return -1;
        }
        if (error != 0) {
            c.flags = EV_ERROR;
            c.data = error;
            events[written++] = c;
        }
    }
    stand(q);
    pthread_mutex_unlock(&q->lock);
    return written > 0 || event_count == 0 ? written : wait_until(q, events, event_count, timeout);
}
