/* SPDX-License-Identifier: Apache-2.0
 *
 * test_devpoll_emulation.c: the emulated /dev/poll behaves as poll(7D) and illumos' driver say of the real one, traps
 * included: what is registered and reported. How it deals with threads and processes: test_devpoll_sharing.c.
 */
#include "devpoll_calls.h"
#include "devpoll_emulation.h"

#include <sys/eventfd.h>
#include <sys/resource.h>

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

static const plx_test devpoll_emulation_tests[] = {
    { "emulated /dev/poll: a write adds events to what is registered", a_write_adds_events, 0 },
    { "emulated /dev/poll: POLLREMOVE takes all away, and what is unknown is ignored", a_removal_takes_all_away, 0 },
    { "emulated /dev/poll: it reports as long as it is true", it_reports_as_long_as_it_is_true, 0 },
    { "emulated /dev/poll: hang-up and error come unasked", hang_up_and_error_come_unasked, 0 },
    { "emulated /dev/poll: a closed descriptor is invalid until removed",
      a_closed_descriptor_is_invalid_until_removed, 0 },
    { "emulated /dev/poll: a number used again is polled without a word", a_number_used_again_is_polled, 0 },
    { "emulated /dev/poll: what is closed when added is never reported",
      what_is_closed_when_added_is_never_reported, 0 },
    { "emulated /dev/poll: no room is a sleep", no_room_is_a_sleep, 0 },
    { "emulated /dev/poll: room for all files is refused, or cut on illumos", room_for_all_files_is_refused_or_cut, 0 },
    { "emulated /dev/poll: a write is whole entries", a_write_is_whole_entries, 0 },
    { "emulated /dev/poll: a write of more entries than files is refused",
      a_write_of_more_entries_than_files_is_refused, 0 },
    { "emulated /dev/poll: it goes on where it stopped", it_goes_on_where_it_stopped, 0 },
    { "emulated /dev/poll: a timeout touches nothing", a_timeout_touches_nothing, 0 },
    { "emulated /dev/poll: it says what is polled", it_says_what_is_polled, 0 },
};
const plx_suite devpoll_emulation_suite = SUITE(devpoll_emulation_tests);
