/* SPDX-License-Identifier: Apache-2.0
 *
 * devpoll.c: /dev/poll, illumos and Solaris: poll(7D), since illumos' renumbering poll(4D).
 *
 * - A write adds what it says to what is registered, so each new interest follows a removal, in the same write; the
 *   removal of what is unknown is ignored. A write blocks while another thread is inside DP_POLL (old Solaris):
 *   changes are for the awaiting thread only.
 * - A descriptor that is closed when it is added is accepted and never reported (illumos), so we check it before.
 *   One that is closed later is POLLNVAL until removed. A number that is used again is polled without a word, under the
 *   cookie of the one before.
 * - DP_POLL refuses room for as many entries as files may be open, or more, with EINVAL (old Solaris), and takes no
 *   room at all for a wish to sleep. It goes on where it stopped: no descriptor starves.
 * - To poll the device is POLLERR, so there is no PLX_CAP_POLLABLE.
 * - The device belongs to the process that opened it. A child has its descriptor, and EACCES from every call.
 */
#include "mechanism/mechanism.h"
#ifdef PLX_SUN
#include "system/array.h"
#include "system/waker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/devpoll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#ifndef O_CLOEXEC /* Solaris 10 */
#define O_CLOEXEC 0
#endif

_Static_assert(POLLREMOVE == 0x0800, "not the value that <poll.h> has on Linux");
_Static_assert(sizeof(struct pollfd) <= sizeof(plx_event), "an event fits where it is spread out");

typedef struct {
    plx_set head;
    plx_waker waker;
    int device;
    uint64_t *cookies; /* cookies[fd], PLX_NO_COOKIE if it is not watched */
    int places;        /* of cookies */
} devpoll_set;

/* Writes a removal and, unless events is negative, the new interest: 0 or -code. */
static int register_events(const devpoll_set *set, int fd, int events)
{
    const struct pollfd change[] = { { .fd = fd, .events = POLLREMOVE }, { .fd = fd, .events = (short)events } };
    const char *rest = (const char *)change;
    size_t left = events < 0 ? sizeof *change : sizeof change;
    while (left > 0) {
        ssize_t n = write(set->device, rest, left);
        if (n < 0 && errno != EINTR)
            return -errno;
        if (n > 0) {
            rest += n;
            left -= (size_t)n;
        }
    }
    return 0;
}

static int open_device(void)
{
    int fd = open("/dev/poll", O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    if (O_CLOEXEC == 0)
        fcntl(fd, F_SETFD, FD_CLOEXEC);
    return fd;
}

/* No such file, no driver behind it, or it is not permitted here (a zone, a sandbox). */
static bool is_missing(int code)
{
    return code == -ENOENT || code == -ENXIO || code == -ENODEV || code == -EACCES || code == -EPERM;
}

static int open_poll_instead(plx_set **result)
{
    int code = plx_poll.open(result);
    if (code == 0)
        (*result)->mechanism = &plx_poll;
    return code;
}

static int devpoll_open(plx_set **result)
{
    int code;
    devpoll_set *set = calloc(1, sizeof *set);
    if (set == NULL)
        return -ENOMEM;
    code = set->device = open_device();
    if (code < 0)
        goto free_set;
    code = plx_waker_open_pipe(&set->waker);
    if (code < 0)
        goto close_device;
    code = register_events(set, set->waker.read_fd, POLLIN);
    if (code < 0)
        goto close_waker;
    *result = &set->head;
    return 0;

close_waker:
    plx_waker_close(&set->waker);
close_device:
    close(set->device);
free_set:
    free(set);
    return is_missing(code) ? open_poll_instead(result) : code;
}

static void devpoll_close(plx_set *base)
{
    devpoll_set *set = (devpoll_set *)base;
    plx_waker_close(&set->waker);
    close(set->device);
    free(set->cookies);
    free(set);
}

static const char *devpoll_features(const plx_set *base)
{
    (void)base;
    return "pipe, DP_POLL";
}

static bool devpoll_owns(const plx_set *base, int fd)
{
    const devpoll_set *set = (const devpoll_set *)base;
    return fd == set->device || plx_waker_owns(&set->waker, fd);
}

static int reserve(devpoll_set *set, int fd)
{
    void *cookies = set->cookies;
    int before = set->places, code = plx_grow(&cookies, sizeof *set->cookies, &set->places, fd + 1);
    set->cookies = cookies;
    for (int i = before; i < set->places; i++)
        set->cookies[i] = PLX_NO_COOKIE;
    return code;
}

static bool is_watched(const devpoll_set *set, int fd)
{
    return fd < set->places && set->cookies[fd] != PLX_NO_COOKIE;
}

static int devpoll_add(plx_set *base, int fd, uint32_t want, uint64_t cookie)
{
    devpoll_set *set = (devpoll_set *)base;
    if (!plx_is_open(fd))
        return -EBADF;
    int code = reserve(set, fd);
    if (code < 0)
        return code;
    code = register_events(set, fd, plx_poll_events(want));
    if (code == 0)
        set->cookies[fd] = cookie;
    return code;
}

static int devpoll_modify(plx_set *base, int fd, uint32_t want, uint64_t cookie)
{
    return is_watched((const devpoll_set *)base, fd) ? devpoll_add(base, fd, want, cookie) : -ENOENT;
}

static int devpoll_remove(plx_set *base, int fd)
{
    devpoll_set *set = (devpoll_set *)base;
    if (!is_watched(set, fd))
        return 0;
    int code = register_events(set, fd, -1);
    if (code == 0)
        set->cookies[fd] = PLX_NO_COOKIE;
    return code;
}

/* 0 or more entries, or -code. */
static int poll_device(const devpoll_set *set, plx_event *events, int room, int64_t ns)
{
    struct dvpoll wait = {
        .dp_fds = (void *)events,
        .dp_nfds = (nfds_t)room,
        .dp_timeout = plx_millis(ns),
    };
    int n = ioctl(set->device, DP_POLL, &wait);
    return n < 0 ? -errno : n;
}

/* What is left of the room where this is too much, else 0. */
static int allowed_room(int room)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) < 0 || files.rlim_cur < 2 || files.rlim_cur > (rlim_t)room)
        return 0;
    return (int)files.rlim_cur - 1;
}

static plx_event event_of(const devpoll_set *set, const struct pollfd *p)
{
    if (p->fd == set->waker.read_fd) {
        plx_waker_drain(&set->waker);
        return plx_wakeup_event();
    }
    return plx_poll_event(set->cookies[p->fd], p->revents);
}

/* The events are received in the caller's buffer and spread out from the last to the first. */
static int devpoll_await(plx_set *base, plx_event *events, int max_events, int64_t ns)
{
    const devpoll_set *set = (const devpoll_set *)base;
    int room, n = poll_device(set, events, max_events, ns);
    if (n == -EINVAL && (room = allowed_room(max_events)) > 0)
        n = poll_device(set, events, room, ns);
    for (int i = n - 1; i >= 0; i--) {
        struct pollfd p;
        memcpy(&p, (const char *)events + (size_t)i * sizeof p, sizeof p);
        if (p.fd == set->waker.read_fd && !(p.revents & POLLIN))
            return -EBADF; /* the program has closed it, or its other end */
        events[i] = event_of(set, &p);
    }
    return n;
}

static int devpoll_wakeup(plx_set *base)
{
    return plx_waker_signal(&((devpoll_set *)base)->waker);
}

const plx_mechanism plx_devpoll = {
    .change_call = "write to /dev/poll",
    .await_call = "ioctl(DP_POLL)",
    .caps = PLX_CAP_MERGED,
    .open = devpoll_open,
    .features = devpoll_features,
    .owns = devpoll_owns,
    .add = devpoll_add,
    .modify = devpoll_modify,
    .remove = devpoll_remove,
    .await = devpoll_await,
    .wakeup = devpoll_wakeup,
    .close = devpoll_close,
};
#endif
