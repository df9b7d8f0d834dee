/* SPDX-License-Identifier: Apache-2.0
 *
 * test_devpoll_emulation.c: the emulated /dev/poll behaves as poll(7D) and illumos' driver say of the real one, traps included.
 */
#include "devpoll_emulation.h"
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/devpoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int device(void)
{
    int fd = open("/dev/poll", O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    return fd;
}

static void enter(int dp, int fd, int events)
{
    struct pollfd entry = { fd, (short)events, 0 };
    assert_int_equal(write(dp, &entry, sizeof entry), sizeof entry);
}

static int poll_with(int dp, struct pollfd *fds, nfds_t room, int timeout)
{
    struct dvpoll wait = { fds, room, timeout };
    int n = ioctl(dp, DP_POLL, &wait);
    return n < 0 ? -errno : n;
}

#define expect(dp, fd, events) check(dp, fd, events, __FILE__, __LINE__)
static void check(int dp, int fd, int events, const char *file, int line)
{
    struct pollfd fds[MANY];
    _assert_int_equal((uintmax_t)poll_with(dp, fds, MANY, 0), events != 0, file, line);
    if (events != 0) {
        _assert_int_equal((uintmax_t)fds[0].fd, (uintmax_t)fd, file, line);
        _assert_int_equal((uintmax_t)fds[0].revents, (uintmax_t)events, file, line);
    }
}

static void a_write_adds_events(plx_set *none)
{
    int dp = device(), fd = counter(true);
    (void)none;
    enter(dp, fd, POLLOUT);
    expect(dp, fd, POLLOUT);
    enter(dp, fd, POLLIN);
    expect(dp, fd, POLLIN | POLLOUT);
    enter(dp, fd, 0);
    expect(dp, fd, POLLIN | POLLOUT);
    close(fd);
    close(dp);
}

static void a_removal_takes_all_away(plx_set *none)
{
    int dp = device(), fd = counter(true);
    const struct pollfd both[] = { { fd, POLLREMOVE, 0 }, { fd, POLLOUT, 0 } };
    (void)none;
    assert_int_equal(POLLREMOVE, 0x0800);
    enter(dp, fd, POLLREMOVE);
    enter(dp, 19999, POLLREMOVE);
    enter(dp, fd, POLLIN | POLLOUT);
    assert_int_equal(write(dp, both, sizeof both), sizeof both);
    expect(dp, fd, POLLOUT);
    enter(dp, fd, POLLREMOVE);
    expect(dp, fd, 0);
    enter(dp, fd, POLLREMOVE);
    close(fd);
    close(dp);
}

static void it_reports_as_long_as_it_is_true(plx_set *none)
{
    int dp = device(), fd = counter(true);
    eventfd_t value;
    (void)none;
    enter(dp, fd, POLLIN);
    expect(dp, fd, POLLIN);
    expect(dp, fd, POLLIN);
    eventfd_read(fd, &value);
    expect(dp, fd, 0);
    close(fd);
    close(dp);
}

static void hang_up_and_error_come_unasked(plx_set *none)
{
    int dp = device(), in[2], out[2];
    (void)none;
    pipe_pair(in);
    pipe_pair(out);
    enter(dp, in[0], 0);
    close(in[1]);
    expect(dp, in[0], POLLHUP);
    enter(dp, in[0], POLLREMOVE);
    enter(dp, out[1], 0);
    close(out[0]);
    expect(dp, out[1], POLLERR);
    close(in[0]);
    close(out[1]);
    close(dp);
}

static void a_closed_descriptor_is_invalid_until_removed(plx_set *none)
{
    int dp = device(), fd = counter(true);
    (void)none;
    enter(dp, fd, POLLIN);
    close(fd);
    expect(dp, fd, POLLNVAL);
    expect(dp, fd, POLLNVAL);
    enter(dp, fd, POLLREMOVE);
    expect(dp, fd, 0);
    close(dp);
}

static void a_number_used_again_is_polled(plx_set *none)
{
    int dp = device(), fd = counter(false);
    (void)none;
    enter(dp, fd, POLLIN | POLLOUT);
    close(fd);
    expect(dp, fd, POLLNVAL);
    assert_int_equal(counter(true), fd);
    expect(dp, fd, POLLIN | POLLOUT);
    close(fd);
    close(dp);
}

/* The driver has no file to look at, not even to forget. */
static void what_is_closed_when_added_is_never_reported(plx_set *none)
{
    int dp = device(), low = counter(true), fd;
    (void)none;
    enter(dp, low, POLLPRI); /* so that the table reaches so far */
    fd = closed_descriptor();
    enter(dp, fd, POLLOUT);
    expect(dp, fd, 0);
    enter(dp, fd, POLLREMOVE);
    assert_int_equal(counter(true), fd);
    expect(dp, fd, 0);
    enter(dp, fd, POLLIN);
    expect(dp, fd, POLLIN | POLLOUT);
    close(fd);
    close(low);
    close(dp);
}

static void no_room_is_a_sleep(plx_set *none)
{
    int dp = device(), fd = counter(true);
    (void)none;
    enter(dp, fd, POLLIN);
    int64_t start = now();
    assert_int_equal(poll_with(dp, NULL, 0, 30), 0);
    assert_true(now() - start >= MILLIS(30));
    assert_int_equal(poll_with(dp, NULL, 0, 0), 0);
    close(fd);
    close(dp);
}

static void room_for_all_files_is_refused_or_cut(plx_set *none)
{
    int dp = device(), fd = counter(true);
    struct rlimit limit;
    struct pollfd fds[2];
    (void)none;
    getrlimit(RLIMIT_NOFILE, &limit);
    enter(dp, fd, POLLIN);
    assert_int_equal(poll_with(dp, fds, limit.rlim_cur - 1, 0), 1);
    assert_int_equal(poll_with(dp, fds, limit.rlim_cur, 0), -EINVAL);
    assert_int_equal(poll_with(dp, fds, limit.rlim_cur, -1), -EINVAL);
    devpoll_emulated.illumos = true;
    int n = poll_with(dp, fds, limit.rlim_cur, 0);
    devpoll_emulated.illumos = false;
    assert_int_equal(n, 1);
    close(fd);
    close(dp);
}

static void a_write_is_whole_entries(plx_set *none)
{
    int dp = device(), fd = counter(true);
    const struct pollfd entries[] = { { fd, POLLIN, 0 }, { fd, POLLIN, 0 } };
    (void)none;
    for (size_t n = 1; n < sizeof entries; n++)
        if (n != sizeof *entries) {
            assert_int_equal(write(dp, entries, n), -1);
            assert_int_equal(errno, EINVAL);
        }
    expect(dp, fd, 0);
    close(fd);
    close(dp);
}

static void a_write_of_more_entries_than_files_is_refused(plx_set *none)
{
    int dp = device();
    struct rlimit limit, lower;
    const struct pollfd entries[200] = { { dp, POLLREMOVE, 0 } };
    (void)none;
    getrlimit(RLIMIT_NOFILE, &limit);
    lower = limit;
    lower.rlim_cur = 199;
    setrlimit(RLIMIT_NOFILE, &lower);
    ssize_t fitting = write(dp, entries, 199 * sizeof *entries), n = write(dp, entries, sizeof entries);
    int error = errno;
    setrlimit(RLIMIT_NOFILE, &limit);
    assert_int_equal(fitting, 199 * sizeof *entries);
    assert_int_equal(n, -1);
    assert_int_equal(error, EINVAL);
    close(dp);
}

static void it_goes_on_where_it_stopped(plx_set *none)
{
    int dp = device(), fds[10], seen[10] = { 0 };
    struct pollfd some[3];
    (void)none;
    for (int i = 0; i < 10; i++) {
        fds[i] = counter(true);
        enter(dp, fds[i], POLLIN);
    }
    for (int round = 0; round < 10; round++) {
        assert_int_equal(poll_with(dp, some, 3, 0), 3);
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < 10; i++)
                seen[i] += fds[i] == some[k].fd;
    }
    for (int i = 0; i < 10; i++) {
        assert_int_equal(seen[i], 3);
        close(fds[i]);
    }
    close(dp);
}

static void a_timeout_touches_nothing(plx_set *none)
{
    int dp = device(), fd = counter(false);
    struct pollfd p = { 4711, 0x55, 0x55 };
    (void)none;
    enter(dp, fd, POLLIN);
    int64_t start = now();
    assert_int_equal(poll_with(dp, &p, 1, 25), 0);
    assert_true(now() - start >= MILLIS(25));
    assert_int_equal(p.fd, 4711);
    assert_int_equal(p.events, 0x55);
    assert_int_equal(p.revents, 0x55);
    close(fd);
    close(dp);
}

static void it_says_what_is_polled(plx_set *none)
{
    int dp = device(), fd = counter(true);
    struct pollfd p = { fd, 0, 0x55 };
    (void)none;
    assert_int_equal(ioctl(dp, DP_ISPOLLED, &p), 0);
    assert_int_equal(p.revents, 0x55);
    enter(dp, fd, POLLIN | POLLPRI);
    assert_int_equal(ioctl(dp, DP_ISPOLLED, &p), 1);
    assert_int_equal(p.events, 0);
    assert_int_equal(p.revents, POLLIN | POLLPRI);
    assert_int_equal(ioctl(dp, DPIOC | 99, &p), -1);
    assert_int_equal(errno, EINVAL);
    close(fd);
    close(dp);
}

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

static const plx_test devpoll_emulation_tests[] = {
    { "emulated /dev/poll: a write adds events to what is registered", a_write_adds_events, 0 },
    { "emulated /dev/poll: POLLREMOVE takes all away, and what is unknown is ignored", a_removal_takes_all_away, 0 },
    { "emulated /dev/poll: it reports as long as it is true", it_reports_as_long_as_it_is_true, 0 },
    { "emulated /dev/poll: hang-up and error come unasked", hang_up_and_error_come_unasked, 0 },
    { "emulated /dev/poll: a closed descriptor is invalid until removed", a_closed_descriptor_is_invalid_until_removed, 0 },
    { "emulated /dev/poll: a number used again is polled without a word", a_number_used_again_is_polled, 0 },
    { "emulated /dev/poll: what is closed when added is never reported", what_is_closed_when_added_is_never_reported, 0 },
    { "emulated /dev/poll: no room is a sleep", no_room_is_a_sleep, 0 },
    { "emulated /dev/poll: room for all files is refused, or cut on illumos", room_for_all_files_is_refused_or_cut, 0 },
    { "emulated /dev/poll: a write is whole entries", a_write_is_whole_entries, 0 },
    { "emulated /dev/poll: a write of more entries than files is refused", a_write_of_more_entries_than_files_is_refused, 0 },
    { "emulated /dev/poll: it goes on where it stopped", it_goes_on_where_it_stopped, 0 },
    { "emulated /dev/poll: a timeout touches nothing", a_timeout_touches_nothing, 0 },
    { "emulated /dev/poll: it says what is polled", it_says_what_is_polled, 0 },
    { "emulated /dev/poll: old Solaris has a write wait for whoever polls", old_solaris_has_a_write_wait, 0 },
    { "emulated /dev/poll: illumos tells whoever polls of a write", illumos_tells_whoever_polls, 0 },
    { "emulated /dev/poll: a child may only close it", a_child_may_only_close_it, 0 },
    { "emulated /dev/poll: closing forgets everything", closing_forgets_everything, 0 },
    { "emulated /dev/poll: the device can be missing", the_device_can_be_missing, 0 },
    { "emulated /dev/poll: a signal ends a poll", a_signal_ends_a_poll, 0 },
    { "emulated /dev/poll: everything else passes through", everything_else_passes_through, 0 },
};
const plx_suite devpoll_emulation_suite = SUITE(devpoll_emulation_tests);
