/* SPDX-License-Identifier: Apache-2.0
 *
 * test_devpoll.c: how devpoll.c deals with what is peculiar to /dev/poll, on the emulated device.
 */
#include "devpoll_emulation.h"
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/devpoll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* A set, and the device that opening it opens. */
static plx_set *open_set(int *device)
{
    descriptors before, after;
    plx_set *set;
    list_descriptors(&before);
    assert_int_equal(plx_open("/dev/poll", &set), 0);
    list_descriptors(&after);
    for (*device = 0; !devpoll_is_open(*device) || has_descriptor(&before, *device); ++*device)
        assert_true(*device < 20000);
    assert_string_equal(plx_name(set), "/dev/poll");
    return set;
}

/* What the device holds for a descriptor, -1 if nothing. */
static int held(int device, int fd)
{
    struct pollfd p = { .fd = fd };
    return ioctl(device, DP_ISPOLLED, &p) == 1 ? p.revents : -1;
}

static void interest_shrinks_in_the_device(plx_set *set)
{
    int device, fd = counter(true);
    set = open_set(&device);
    add_ok(set, fd, 1, PLX_IN | PLX_OUT | PLX_PRI);
    assert_int_equal(held(device, fd), POLLIN | POLLOUT | POLLPRI);
    modify_ok(set, fd, 1, PLX_OUT);
    assert_int_equal(held(device, fd), POLLOUT);
    modify_ok(set, fd, 1, PLX_IN);
    assert_int_equal(held(device, fd), POLLIN);
    remove_ok(set, fd);
    assert_int_equal(held(device, fd), -1);
    plx_close(set);
    close(fd);
}

static void a_change_is_one_write(plx_set *set)
{
    int device, fd = counter(true);
    set = open_set(&device);
    devpoll_emulated.written = 0;
    add_ok(set, fd, 1, PLX_IN);
    modify_ok(set, fd, 1, PLX_OUT);
    assert_int_equal(devpoll_emulated.written, 4);
    remove_ok(set, fd);
    assert_int_equal(devpoll_emulated.written, 5);
    plx_close(set);
    close(fd);
}

static void interrupted_and_short_writes_are_completed(plx_set *set)
{
    int device, fd = counter(true);
    set = open_set(&device);
    add_ok(set, fd, 1, PLX_IN);
    for (int i = 0; i < 10; i++) {
        uint32_t want = i % 2 == 0 ? PLX_OUT : PLX_IN;
        devpoll_emulated.interrupted = i % 4;
        devpoll_emulated.shortened = i > 2;
        modify_ok(set, fd, 1, want);
        assert_int_equal(held(device, fd), want);
        assert_int_equal(devpoll_emulated.interrupted, 0);
        assert_int_equal(devpoll_emulated.shortened, 0);
    }
    devpoll_emulated.interrupted = 5;
    remove_ok(set, fd);
    assert_int_equal(held(device, fd), -1);
    plx_close(set);
    close(fd);
}

/* The device would take it without a word, and keep its events for whoever has the number next. */
static void a_closed_descriptor_leaves_nothing_behind(plx_set *set)
{
    int device, low = counter(false), fd;
    set = open_set(&device);
    add_ok(set, low, 1, PLX_PRI);
    fd = closed_descriptor();
    assert_int_equal(add(set, fd, 2, PLX_OUT), -EBADF);
    assert_int_equal(counter(true), fd);
    add_ok(set, fd, 3, PLX_IN);
    assert_int_equal(held(device, fd), POLLIN);
    close(fd);
    assert_int_equal(modify(set, fd, 4, PLX_OUT), -EBADF);
    expect_event(set, fd, 3, PLX_NVAL);
    remove_ok(set, fd);
    assert_int_equal(held(device, fd), -1);
    plx_close(set);
    close(low);
}

static void a_missing_device_is_replaced_by_poll(plx_set *set)
{
    static const int errors[] = { ENOENT, ENXIO, ENODEV, EACCES, EPERM };
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        int fd = counter(true);
        devpoll_emulated.open_error = errors[i];
        int code = plx_open("/dev/poll", &set);
        devpoll_emulated.open_error = 0;
        assert_int_equal(code, 0);
        assert_string_equal(plx_name(set), "poll");
        assert_string_equal(plx_await_call(set), "poll");
        assert_non_null(strstr(plx_features(set), "poll"));
        add_ok(set, fd, 7, PLX_IN);
        expect_event(set, fd, 7, PLX_IN);
        remove_ok(set, fd);
        assert_int_equal(plx_wakeup(set), 0);
        expect_wake(set);
        plx_close(set);
        close(fd);
    }
}

static void a_limit_is_no_missing_device(plx_set *set)
{
    static const int errors[] = { EMFILE, ENFILE, ENOMEM };
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        devpoll_emulated.open_error = errors[i];
        int code = plx_open("/dev/poll", &set);
        devpoll_emulated.open_error = 0;
        assert_int_equal(code, -errors[i]);
        assert_null(set);
    }
}

static void a_child_is_told_to_open_its_own(plx_set *set)
{
    int device, fd = counter(true), status;
    set = open_set(&device);
    add_ok(set, fd, 1, PLX_IN);
    pid_t child = fork();
    if (child == 0) {
        plx_event e;
        char text[256];
        int wrong = plx_await(set, &e, 1, -1) != -EACCES;
        wrong |= modify(set, fd, 2, PLX_OUT) != -EACCES || add(set, fd, 2, PLX_OUT) != -EACCES;
        wrong |= plx_remove(set, fd) != -EACCES;
        wrong |= strstr(plx_strerror(EACCES, text, sizeof text), "fork") == NULL;
        plx_close(set);
        wrong |= plx_open("/dev/poll", &set) != 0 || add(set, fd, 2, PLX_OUT) != 0;
        wrong |= plx_await(set, &e, 1, -1) != 1 || e.cookie != cookie(fd, 2) || e.events != PLX_OUT;
        _exit(wrong);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    expect_event(set, fd, 1, PLX_IN);
    plx_close(set);
    close(fd);
}

/* The most room that the device takes is asked for only when it has refused more. */
static void room_is_what_the_limit_allows(plx_set *set)
{
    static plx_event e[1000];
    struct rlimit limit, lower;
    int device, fds[10];
    set = open_set(&device);
    for (uint32_t i = 0; i < 10; i++) {
        fds[i] = counter(true);
        add_ok(set, fds[i], i, PLX_IN);
    }
    assert_int_equal(plx_await(set, e, 1000, 0), 10);
    assert_int_equal(devpoll_emulated.room, 1000);
    getrlimit(RLIMIT_NOFILE, &limit);
    for (int cur = 499; cur <= 1000; cur += 501) {
        lower = (struct rlimit){ (rlim_t)cur, limit.rlim_max };
        setrlimit(RLIMIT_NOFILE, &lower);
        int n = plx_await(set, e, 1000, -1), room = devpoll_emulated.room;
        setrlimit(RLIMIT_NOFILE, &limit);
        assert_int_equal(n, 10);
        assert_int_equal(room, cur - 1);
        for (int i = 0; i < n; i++)
            assert_int_equal(fd_of(e[i]), fds[gen_of(e[i])]);
    }
    for (int i = 0; i < 10; i++)
        close(fds[i]);
    plx_close(set);
}

/* The caller's buffer is the kernel's: what is behind the last entry stays as it was. */
static void nothing_is_written_behind_the_room(plx_set *set)
{
    plx_event e[8];
    int device, fds[6];
    set = open_set(&device);
    for (uint32_t i = 0; i < 6; i++) {
        fds[i] = counter(true);
        add_ok(set, fds[i], i + 100, PLX_IN | PLX_OUT);
    }
    for (int cap = 1; cap <= 6; cap++) {
        memset(e, 0x55, sizeof e);
        assert_int_equal(plx_await(set, e, cap, 0), cap);
        assert_int_equal(devpoll_emulated.room, cap);
        for (int i = 0; i < cap; i++)
            assert_int_equal(fd_of(e[i]), fds[gen_of(e[i]) - 100]);
        assert_int_equal(e[cap].cookie, 0x5555555555555555);
    }
    for (int i = 0; i < 6; i++)
        close(fds[i]);
    plx_close(set);
}

static const plx_test devpoll_tests[] = {
    { "/dev/poll: interest shrinks in the device", interest_shrinks_in_the_device, 0 },
    { "/dev/poll: a change is a removal and an interest, a removal is itself", a_change_is_one_write, 0 },
    { "/dev/poll: interrupted and short writes are completed", interrupted_and_short_writes_are_completed, 0 },
    { "/dev/poll: a closed descriptor leaves nothing behind", a_closed_descriptor_leaves_nothing_behind, 0 },
    { "/dev/poll: a missing device is replaced by poll, which is said", a_missing_device_is_replaced_by_poll, 0 },
    { "/dev/poll: a limit that is reached is no missing device", a_limit_is_no_missing_device, 0 },
    { "/dev/poll: a child is refused and told to open its own", a_child_is_told_to_open_its_own, 0 },
    { "/dev/poll: room for events is what the limit allows, where it is refused", room_is_what_the_limit_allows, 0 },
    { "/dev/poll: nothing is written behind the room for events", nothing_is_written_behind_the_room, 0 },
};
const plx_suite devpoll_suite = SUITE(devpoll_tests);
