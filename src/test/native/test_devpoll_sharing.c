/* SPDX-License-Identifier: Apache-2.0
 *
 * test_devpoll_sharing.c: the emulated /dev/poll among threads, processes and other files.
 */
#include "devpoll_calls.h"
#include "devpoll_emulation.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/wait.h>

typedef struct {
    int dp, fd, result;
    atomic_bool done;
} other_thread;

static void *poll_for_ever(void *argument)
{
    other_thread *t = argument;
    struct pollfd p;
    t->result = poll_with(t->dp, &p, 1, -1);
    t->fd = p.fd;
    t->done = true;
    return NULL;
}

static void *write_an_entry(void *argument)
{
    other_thread *t = argument;
    enter(t->dp, t->fd, POLLOUT);
    t->done = true;
    return NULL;
}

/* A thread inside DP_POLL, as a write to the device finds it. */
static pthread_t start_polling(other_thread *t, int dp)
{
    pthread_t thread;
    *t = (other_thread){ .dp = dp };
    assert_int_equal(pthread_create(&thread, NULL, poll_for_ever, t), 0);
    nap(MILLIS(30));
    assert_false(t->done);
    return thread;
}

static void old_solaris_has_a_write_wait(plx_set *none)
{
    int dp = device(), awaited = counter(false), added = counter(false);
    other_thread poller, writer = { .dp = dp, .fd = added };
    pthread_t writing, polling;
    (void)none;
    enter(dp, awaited, POLLIN);
    polling = start_polling(&poller, dp);
    assert_int_equal(pthread_create(&writing, NULL, write_an_entry, &writer), 0);
    nap(MILLIS(30));
    assert_false(writer.done);
    assert_false(poller.done);
    eventfd_write(awaited, 1);
    pthread_join(polling, NULL);
    pthread_join(writing, NULL);
    assert_int_equal(poller.fd, awaited);
    enter(dp, awaited, POLLREMOVE);
    expect(dp, added, POLLOUT);
    close(awaited);
    close(added);
    close(dp);
}

static void illumos_tells_whoever_polls(plx_set *none)
{
    int dp = device(), fd = counter(false), silent = counter(false);
    other_thread poller;
    (void)none;
    devpoll_emulated.illumos = true;
    pthread_t polling = start_polling(&poller, dp);
    enter(dp, silent, POLLIN);
    nap(MILLIS(10));
    assert_false(poller.done);
    enter(dp, fd, POLLOUT);
    pthread_join(polling, NULL);
    devpoll_emulated.illumos = false;
    assert_int_equal(poller.result, 1);
    assert_int_equal(poller.fd, fd);
    close(silent);
    close(fd);
    close(dp);
}

static void a_child_may_only_close_it(plx_set *none)
{
    int dp = device(), fd = counter(true), status;
    (void)none;
    enter(dp, fd, POLLIN);
    pid_t child = fork();
    if (child == 0) {
        struct pollfd p = { fd, POLLOUT, 0 };
        int wrong = 0;
        wrong |= write(dp, &p, sizeof p) != -1 || errno != EACCES;
        wrong |= poll_with(dp, &p, 1, -1) != -EACCES;
        wrong |= ioctl(dp, DP_ISPOLLED, &p) != -1 || errno != EACCES;
        wrong |= close(dp) != 0;
        dp = open("/dev/poll", O_RDWR);
        wrong |= write(dp, &p, sizeof p) != (ssize_t)sizeof p || poll_with(dp, &p, 1, -1) != 1;
        _exit(wrong);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    expect(dp, fd, POLLIN);
    close(fd);
    close(dp);
}

static void closing_forgets_everything(plx_set *none)
{
    int dp = device(), other = device(), fd = counter(true);
    (void)none;
    enter(dp, fd, POLLIN);
    expect(other, fd, 0);
    close(dp);
    assert_false(devpoll_is_open(dp));
    assert_int_equal(device(), dp);
    expect(dp, fd, 0);
    close(fd);
    close(other);
    close(dp);
}

static void the_device_can_be_missing(plx_set *none)
{
    (void)none;
    devpoll_emulated.open_error = ENXIO;
    int fd = open("/dev/poll", O_RDWR), error = errno;
    devpoll_emulated.open_error = 0;
    assert_int_equal(fd, -1);
    assert_int_equal(error, ENXIO);
}

static void nothing_to_do(int signal)
{
    (void)signal;
}

static void a_signal_ends_a_poll(plx_set *none)
{
    struct sigaction action = { .sa_handler = nothing_to_do, .sa_flags = SA_RESTART }, before;
    int dp = device();
    other_thread poller;
    (void)none;
    sigaction(SIGUSR1, &action, &before);
    pthread_t polling = start_polling(&poller, dp);
    pthread_kill(polling, SIGUSR1);
    pthread_join(polling, NULL);
    sigaction(SIGUSR1, &before, NULL);
    assert_int_equal(poller.result, -EINTR);
    close(dp);
}

static void everything_else_passes_through(plx_set *none)
{
    char path[] = "/tmp/pollux-test-XXXXXX", name[64];
    int fds[2], readable;
    struct stat status;
    (void)none;
    assert_non_null(mkdtemp(path));
    snprintf(name, sizeof name, "%s/poll", path);
    mode_t mask = umask(0);
    int fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
    umask(mask);
    assert_true(fd >= 0);
    assert_int_equal(fstat(fd, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0640);
    assert_int_equal(write(fd, "abc", 3), 3);
    assert_int_equal(close(fd), 0);
    assert_int_equal(close(fd), -1);
    assert_int_equal(errno, EBADF);
    assert_int_equal(write(-1, "abc", 3), -1);
    unlink(name);
    rmdir(path);
    pipe_pair(fds);
    assert_int_equal(write(fds[1], "abc", 3), 3);
    assert_int_equal(ioctl(fds[0], FIONREAD, &readable), 0);
    assert_int_equal(readable, 3);
    assert_int_equal(ioctl(fds[0], DP_POLL, &readable), -1);
    close_both(fds);
}

static const plx_test devpoll_sharing_tests[] = {
    { "emulated /dev/poll: old Solaris has a write wait for whoever polls", old_solaris_has_a_write_wait, 0 },
    { "emulated /dev/poll: illumos tells whoever polls of a write", illumos_tells_whoever_polls, 0 },
    { "emulated /dev/poll: a child may only close it", a_child_may_only_close_it, 0 },
    { "emulated /dev/poll: closing forgets everything", closing_forgets_everything, 0 },
    { "emulated /dev/poll: the device can be missing", the_device_can_be_missing, 0 },
    { "emulated /dev/poll: a signal ends a poll", a_signal_ends_a_poll, 0 },
    { "emulated /dev/poll: everything else passes through", everything_else_passes_through, 0 },
};
const plx_suite devpoll_sharing_suite = SUITE(devpoll_sharing_tests);
