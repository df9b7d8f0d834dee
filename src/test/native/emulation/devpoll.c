/* SPDX-License-Identifier: Apache-2.0
 *
 * emulation/devpoll.c: /dev/poll of illumos and Solaris over poll(2), for tests, by the linker's --wrap of open, write, ioctl
 * and close. See poll(7D), and the traps in the tests of test_devpoll_emulation.c.
 *
 * The handle is an eventfd, by which a write reaches a thread that sleeps in poll(2). A device's table is indexed by
 * descriptor. Whatever is not the device goes through untouched, without a lock.
 */
#include "devpoll_emulation.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/devpoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

int __real_open(const char *path, int flags, ...);
ssize_t __real_write(int fd, const void *bytes, size_t n);
int __real_ioctl(int fd, unsigned long request, ...);
int __real_close(int fd);
int __wrap_open(const char *path, int flags, ...);
ssize_t __wrap_write(int fd, const void *bytes, size_t n);
int __wrap_ioctl(int fd, unsigned long request, ...);
int __wrap_close(int fd);

/* known: the descriptor was open when it was written; without that nothing is polled, and a removal does nothing. */
typedef struct {
    short events;
    bool known;
} interest;

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t left;
    pid_t owner;
    int inside; /* threads in DP_POLL */
    interest *table;
    int room; /* of table */
    int next; /* where the next scan starts */
} device;

devpoll_emulation devpoll_emulated;

enum { MOST_DESCRIPTORS = 1 << 20 };
static _Atomic(device *) devices[MOST_DESCRIPTORS];

static device *device_of(int fd)
{
    return fd >= 0 && fd < MOST_DESCRIPTORS ? atomic_load(&devices[fd]) : NULL;
}

bool devpoll_is_open(int fd)
{
    return device_of(fd) != NULL;
}

static int fail(int error)
{
    errno = error;
    return -1;
}

static bool is_open(int fd)
{
    return fcntl(fd, F_GETFD) >= 0;
}

static size_t most_files(void)
{
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    return files.rlim_cur;
}

static bool take(atomic_int *remaining)
{
    int n = *remaining;
    while (n > 0 && !atomic_compare_exchange_weak(remaining, &n, n - 1))
        continue;
    return n > 0;
}

static int open_device(int flags)
{
    int error = devpoll_emulated.open_error;
    if (error != 0)
        return fail(error);
    int fd = eventfd(0, EFD_NONBLOCK | (flags & O_CLOEXEC ? EFD_CLOEXEC : 0));
    if (fd < 0)
        return -1;
    device *d = fd < MOST_DESCRIPTORS ? calloc(1, sizeof *d) : NULL;
    if (d == NULL) {
        __real_close(fd);
        return fail(ENOMEM);
    }
    pthread_mutex_init(&d->lock, NULL);
    pthread_cond_init(&d->left, NULL);
    d->owner = getpid();
    atomic_store(&devices[fd], d);
    return fd;
}

/* Room for every open descriptor among the entries, 0 or -1; numbers beyond what is open need none. */
static int reserve(device *d, const struct pollfd *entries, size_t count)
{
    int highest = d->room - 1;
    for (size_t i = 0; i < count; i++)
        if (entries[i].fd > highest && is_open(entries[i].fd))
            highest = entries[i].fd;
    if (highest < d->room)
        return 0;
    int wanted = d->room > 0 ? d->room : 64;
    while (wanted <= highest)
        wanted *= 2;
    interest *bigger = realloc(d->table, (size_t)wanted * sizeof *bigger);
    if (bigger == NULL)
        return fail(ENOMEM);
    memset(bigger + d->room, 0, (size_t)(wanted - d->room) * sizeof *bigger);
    d->table = bigger;
    d->room = wanted;
    return 0;
}

static void apply(device *d, const struct pollfd *entry)
{
    if (entry->fd < 0 || entry->fd >= d->room)
        return;
    interest *held = &d->table[entry->fd];
    if (entry->events != POLLREMOVE) {
        held->events |= entry->events;
        held->known |= is_open(entry->fd);
    } else if (held->known) {
        *held = (interest){ 0, false };
    }
}

static ssize_t write_entries(device *d, int fd, const struct pollfd *entries, size_t n)
{
    size_t count = n / sizeof *entries;
    if (d->owner != getpid())
        return fail(EACCES);
    if (n % sizeof *entries != 0 || count > most_files())
        return fail(EINVAL);
    if (take(&devpoll_emulated.interrupted))
        return fail(EINTR);
    if (count > 1 && take(&devpoll_emulated.shortened))
        count = 1;
    pthread_mutex_lock(&d->lock);
    while (d->inside > 0 && !devpoll_emulated.illumos)
        pthread_cond_wait(&d->left, &d->lock);
    int code = reserve(d, entries, count);
    for (size_t i = 0; i < count && code == 0; i++)
        apply(d, &entries[i]);
    if (d->inside > 0)
        eventfd_write(fd, 1);
    pthread_mutex_unlock(&d->lock);
    devpoll_emulated.written += (int)count;
    return code < 0 ? -1 : (ssize_t)(count * sizeof *entries);
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
    size_t part = most_files();
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
    return count > most_files() ? poll_in_parts(fds, count, timeout) : poll(fds, count, timeout);
}

/* The handle, then everything known, from d->next on and once around; NULL without memory. */
static struct pollfd *copy_table(const device *d, int fd, size_t *count)
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

static int report(device *d, const struct pollfd *fds, size_t count, struct pollfd *room, size_t most)
{
    size_t n = 0;
    for (size_t i = 1; i < count && n < most; i++)
        if (fds[i].revents != 0) {
            room[n++] = fds[i];
            d->next = n == most ? fds[i].fd + 1 : d->next;
        }
    return (int)n;
}

/* One look at the table with the lock held, which it lets go to sleep: entries, 0, -1, or -2 if the table was changed. */
static int look(device *d, int fd, const struct dvpoll *wait, int timeout)
{
    size_t count;
    eventfd_t changes;
    struct pollfd *fds = copy_table(d, fd, &count);
    if (fds == NULL)
        return fail(ENOMEM);
    pthread_mutex_unlock(&d->lock);
    int n = poll_any(fds, count, timeout);
    pthread_mutex_lock(&d->lock);
    if (n > 0)
        n = fds[0].revents != 0 && eventfd_read(fd, &changes) == 0 ? -2 : report(d, fds, count, wait->dp_fds, wait->dp_nfds);
    free(fds);
    return n;
}

static int poll_device(device *d, int fd, struct dvpoll wait)
{
    int64_t deadline = now_millis() + wait.dp_timeout + 1;
    int timeout = wait.dp_timeout, n;
    size_t most = most_files();
    devpoll_emulated.room = wait.dp_nfds < INT_MAX ? (int)wait.dp_nfds : INT_MAX;
    if (wait.dp_nfds == 0)
        return poll(NULL, 0, timeout);
    if (wait.dp_nfds >= most) {
        if (!devpoll_emulated.illumos)
            return fail(EINVAL);
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

static int is_polled(device *d, struct pollfd *asked)
{
    pthread_mutex_lock(&d->lock);
    bool known = asked->fd >= 0 && asked->fd < d->room && d->table[asked->fd].known;
    if (known)
        asked->revents = d->table[asked->fd].events;
    pthread_mutex_unlock(&d->lock);
    return known;
}

int __wrap_open(const char *path, int flags, ...)
{
    mode_t mode = 0;
    if (flags & (O_CREAT | O_TMPFILE)) {
        va_list rest;
        va_start(rest, flags);
        mode = va_arg(rest, mode_t);
        va_end(rest);
    }
    return strcmp(path, "/dev/poll") == 0 ? open_device(flags) : __real_open(path, flags, mode);
}

ssize_t __wrap_write(int fd, const void *bytes, size_t n)
{
    device *d = device_of(fd);
    return d != NULL ? write_entries(d, fd, bytes, n) : __real_write(fd, bytes, n);
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
    va_list rest;
    va_start(rest, request);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    device *d = device_of(fd);
    if (d == NULL)
        return __real_ioctl(fd, request, argument);
    if (d->owner != getpid())
        return fail(EACCES);
    return request == DP_POLL       ? poll_device(d, fd, *(const struct dvpoll *)argument)
           : request == DP_ISPOLLED ? is_polled(d, argument)
                                    : fail(EINVAL);
}

int __wrap_close(int fd)
{
    device *d = device_of(fd);
    if (d != NULL) {
        atomic_store(&devices[fd], NULL);
        pthread_cond_destroy(&d->left);
        pthread_mutex_destroy(&d->lock);
        free(d->table);
        free(d);
    }
    return __real_close(fd);
}
