/* SPDX-License-Identifier: Apache-2.0
 *
 * emulation/devpoll_poll.c: what ioctl(2) does with an emulated /dev/poll.
 */
#include "devpoll_device.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <time.h>

size_t devpoll_most_files(void)
{
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    return files.rlim_cur;
}

static int64_t now_millis(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000) + t.tv_nsec / 1000000;
}

/* poll(2) refuses more entries than files may be open, which /dev/poll does not. */
static int poll_in_parts(struct pollfd *fds, size_t count, int timeout)
{
    size_t part = devpoll_most_files();
    int64_t deadline = now_millis() + timeout + 1; /* it counts whole ones */
    for (;;) {
        int ready = 0;
        for (size_t i = 0; i < count; i += part)
            ready += poll(fds + i, count - i < part ? count - i : part, 0);
        if (ready > 0 || timeout == 0 || (timeout > 0 && now_millis() > deadline))
            return ready;
        if (poll(NULL, 0, 1) < 0)
            return -1;
    }
}

static int poll_any(struct pollfd *fds, size_t count, int timeout)
{
    return count > devpoll_most_files() ? poll_in_parts(fds, count, timeout) : poll(fds, count, timeout);
}

/* The handle, then everything known, from d->next on and once around; NULL without memory. */
static struct pollfd *copy_table(const devpoll_device *d, int fd, size_t *count)
{
    struct pollfd *fds = malloc(((size_t)d->room + 1) * sizeof *fds);
    if (fds == NULL)
        return NULL;
    fds[0] = (struct pollfd){ .fd = fd, .events = POLLIN };
    *count = 1;
    for (int i = 0; i < d->room; i++) {
        int k = (d->next + i) % d->room;
        if (d->table[k].known)
            fds[(*count)++] = (struct pollfd){ .fd = k, .events = d->table[k].events };
    }
    return fds;
}

static int report(devpoll_device *d, const struct pollfd *fds, size_t count, struct pollfd *room, size_t most)
{
    size_t n = 0;
    for (size_t i = 1; i < count && n < most; i++)
        if (fds[i].revents != 0) {
            room[n++] = fds[i];
            d->next = n == most ? fds[i].fd + 1 : d->next;
        }
    return (int)n;
}

/* Looks at the table once. The lock is held, and released to sleep: entries, 0, -1, or -2 if the table was changed. */
static int look(devpoll_device *d, int fd, const struct dvpoll *wait, int timeout)
{
    size_t count;
    eventfd_t changes;
    struct pollfd *fds = copy_table(d, fd, &count);
    if (fds == NULL)
        return errno = ENOMEM, -1;
    pthread_mutex_unlock(&d->lock);
    int n = poll_any(fds, count, timeout);
    pthread_mutex_lock(&d->lock);
    if (n > 0)
        n = fds[0].revents != 0 && eventfd_read(fd, &changes) == 0
                ? -2
                : report(d, fds, count, wait->dp_fds, wait->dp_nfds);
    free(fds);
    return n;
}

int devpoll_poll(devpoll_device *d, int fd, struct dvpoll wait)
{
    int64_t deadline = now_millis() + wait.dp_timeout + 1;
    int timeout = wait.dp_timeout, n;
    size_t most = devpoll_most_files();
    devpoll_emulated.room = wait.dp_nfds < INT_MAX ? (int)wait.dp_nfds : INT_MAX;
    if (wait.dp_nfds == 0)
        return poll(NULL, 0, timeout);
    if (wait.dp_nfds >= most) {
        if (!devpoll_emulated.illumos)
            return errno = EINVAL, -1;
        wait.dp_nfds = most;
    }
    pthread_mutex_lock(&d->lock);
    d->inside++;
    while ((n = look(d, fd, &wait, timeout)) == -2) {
        int64_t left = deadline - now_millis();
        timeout = wait.dp_timeout <= 0 ? wait.dp_timeout : left > 0 ? (int)left : 0;
    }
    d->inside--;
    pthread_cond_broadcast(&d->left);
    pthread_mutex_unlock(&d->lock);
    return n;
}

int devpoll_is_polled(devpoll_device *d, struct pollfd *asked)
{
    pthread_mutex_lock(&d->lock);
    bool known = asked->fd >= 0 && asked->fd < d->room && d->table[asked->fd].known;
    if (known)
        asked->revents = d->table[asked->fd].events;
    pthread_mutex_unlock(&d->lock);
    return known;
}
