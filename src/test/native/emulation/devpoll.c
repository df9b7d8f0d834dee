/* SPDX-License-Identifier: Apache-2.0
 *
 * emulation/devpoll.c: /dev/poll of illumos and Solaris over poll(2), for tests, by the linker's --wrap of open, write,
 * ioctl and close. See poll(7D), and the traps in the tests of test_devpoll_emulation.c.
 *
 * The handle is an eventfd, by which a write reaches a thread that sleeps in poll(2). A device's table is indexed by
 * descriptor. Whatever is not the device goes through untouched, without a lock.
 */
#include "devpoll_device.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

int __real_open(const char *path, int flags, ...);
ssize_t __real_write(int fd, const void *bytes, size_t n);
int __real_ioctl(int fd, unsigned long request, ...);
int __real_close(int fd);
int __wrap_open(const char *path, int flags, ...);
ssize_t __wrap_write(int fd, const void *bytes, size_t n);
int __wrap_ioctl(int fd, unsigned long request, ...);
int __wrap_close(int fd);

devpoll_emulation devpoll_emulated;

enum { MAX_DESCRIPTORS = 1 << 20 };
static _Atomic(devpoll_device *) devices[MAX_DESCRIPTORS];

static devpoll_device *device_of(int fd)
{
    return fd >= 0 && fd < MAX_DESCRIPTORS ? atomic_load(&devices[fd]) : NULL;
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
    devpoll_device *d = fd < MAX_DESCRIPTORS ? calloc(1, sizeof *d) : NULL;
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
static int reserve(devpoll_device *d, const struct pollfd *entries, size_t count)
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
    devpoll_interest *bigger = realloc(d->table, (size_t)wanted * sizeof *bigger);
    if (bigger == NULL)
        return fail(ENOMEM);
    memset(bigger + d->room, 0, (size_t)(wanted - d->room) * sizeof *bigger);
    d->table = bigger;
    d->room = wanted;
    return 0;
}

static void apply(devpoll_device *d, const struct pollfd *entry)
{
    if (entry->fd < 0 || entry->fd >= d->room)
        return;
    devpoll_interest *held = &d->table[entry->fd];
    if (entry->events != POLLREMOVE) {
        held->events |= entry->events;
        held->known |= is_open(entry->fd);
    } else if (held->known) {
        *held = (devpoll_interest){ 0, false };
    }
}

static ssize_t write_entries(devpoll_device *d, int fd, const struct pollfd *entries, size_t n)
{
    size_t count = n / sizeof *entries;
    if (syscall(SYS_getppid) < 0) /* what strace(1) sees of a write, and may have fail */
        return -1;
    if (d->owner != getpid())
        return fail(EACCES);
    if (n % sizeof *entries != 0 || count > devpoll_most_files())
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

int __wrap_open(const char *path, int flags, ...)
{
    mode_t mode = 0;
    if ((flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE) {
        va_list rest;
        va_start(rest, flags);
        mode = va_arg(rest, mode_t);
        va_end(rest);
    }
    return strcmp(path, "/dev/poll") == 0 ? open_device(flags) : __real_open(path, flags, mode);
}

ssize_t __wrap_write(int fd, const void *bytes, size_t n)
{
    devpoll_device *d = device_of(fd);
    return d != NULL ? write_entries(d, fd, bytes, n) : __real_write(fd, bytes, n);
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
    va_list rest;
    va_start(rest, request);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    devpoll_device *d = device_of(fd);
    if (d == NULL)
        return __real_ioctl(fd, request, argument);
    if (d->owner != getpid())
        return fail(EACCES);
    return request == DP_POLL       ? devpoll_poll(d, fd, *(const struct dvpoll *)argument)
           : request == DP_ISPOLLED ? devpoll_is_polled(d, argument)
                                    : fail(EINVAL);
}

int __wrap_close(int fd)
{
    devpoll_device *d = device_of(fd);
    if (d != NULL) {
        atomic_store(&devices[fd], NULL);
        pthread_cond_destroy(&d->left);
        pthread_mutex_destroy(&d->lock);
        free(d->table);
        free(d);
    }
    return __real_close(fd);
}
