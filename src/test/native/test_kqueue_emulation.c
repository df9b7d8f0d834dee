/* SPDX-License-Identifier: Apache-2.0
 *
 * test_kqueue_emulation.c: the emulated kqueue does what the manuals kqueue(2) of macOS and the BSDs say, and differs
 * from family to family as their kernels do.
 */
#include "support.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/event.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

static const struct timespec at_once = { 0, 0 };

static struct kevent on(int fd, int filter, int flags, uintptr_t udata)
{
    return (struct kevent){ .ident = (uintptr_t)fd, .filter = (int16_t)filter, .flags = (uint16_t)flags,
                            .udata = (void *)udata };
}

/* One change with no room for an answer: 0 or the error. */
static int change_one(int kq, int fd, int filter, int flags, uintptr_t udata)
{
    struct kevent c = on(fd, filter, flags, udata);
    return kevent(kq, &c, 1, NULL, 0, NULL) < 0 ? errno : 0;
}

static int ready(int kq, struct kevent *events)
{
    return kevent(kq, NULL, 0, events, MANY, &at_once);
}

/* What is ready now is this event alone, which is returned. */
static struct kevent expect(int kq, int fd, int filter, uintptr_t udata)
{
    struct kevent e[MANY];
    assert_int_equal(ready(kq, e), 1);
    assert_int_equal(e->ident, fd);
    assert_int_equal(e->filter, filter);
    assert_int_equal((uintptr_t)e->udata, udata);
    assert_int_equal(e->flags & EV_ERROR, 0);
    return *e;
}

static void expect_none(int kq)
{
    struct kevent e[MANY];
    assert_int_equal(ready(kq, e), 0);
}

static void changes_are_made_in_their_order(plx_set *set)
{
    int kq = kqueue(), fd = counter(true);
    struct kevent changes[] = { on(fd, EVFILT_READ, EV_ADD, 1), on(fd, EVFILT_READ, EV_DELETE, 0),
                                on(fd, EVFILT_READ, EV_ADD, 2), on(fd, EVFILT_READ, EV_ADD, 3) };
    (void)set;
    assert_int_equal(kevent(kq, changes, 4, NULL, 0, NULL), 0);
    expect(kq, fd, EVFILT_READ, 3);
    close(fd);
    close(kq);
}

static void adding_again_modifies(plx_set *set)
{
    int kq = kqueue(), fd = counter(true);
    (void)set;
    assert_int_equal(change_one(kq, fd, EVFILT_READ, EV_ADD, 1), 0);
    expect(kq, fd, EVFILT_READ, 1);
    assert_int_equal(change_one(kq, fd, EVFILT_READ, EV_ADD, 2), 0);
    expect(kq, fd, EVFILT_READ, 2);
    assert_int_equal(change_one(kq, fd, EVFILT_READ, EV_DELETE, 0), 0);
    expect_none(kq);
    close(fd);
    close(kq);
}

static void what_is_not_there_is_enoent(plx_set *set)
{
    static const int flags[] = { EV_DELETE, EV_ENABLE, EV_DISABLE, 0 };
    int kq = kqueue(), fd = counter(true);
    (void)set;
    for (int i = 0; i < 4; i++) {
        assert_int_equal(change_one(kq, fd, EVFILT_READ, flags[i], 0), ENOENT);
        if (kqueue_emulation_is()->has_user)
            assert_int_equal(change_one(kq, 0, EVFILT_USER, flags[i], 0), ENOENT);
    }
    assert_int_equal(change_one(kq, fd, EVFILT_READ, EV_ADD, 0), 0);
    assert_int_equal(change_one(kq, fd, EVFILT_WRITE, EV_DELETE, 0), ENOENT);
    assert_int_equal(change_one(kq, closed_descriptor(), EVFILT_READ, EV_ADD, 0), EBADF);
    assert_int_equal(change_one(kq, fd, -99, EV_ADD, 0), EINVAL);
    close(fd);
    close(kq);
}

static void a_refused_change_is_an_entry_and_nothing_waits(plx_set *set)
{
    int kq = kqueue(), fd = counter(true);
    struct kevent list[4] = { on(fd, EVFILT_READ, EV_DELETE, 7), on(fd, EVFILT_READ, EV_ADD, 8),
                              on(closed_descriptor(), EVFILT_WRITE, EV_ADD, 9) };
    (void)set;
    assert_int_equal(kevent(kq, list, 3, list, 4, NULL), 2); /* one array for both, and without a timeout */
    for (int i = 0; i < 2; i++) {
        assert_int_equal(list[i].flags, EV_ERROR);
        assert_int_equal(list[i].data, i == 0 ? ENOENT : EBADF);
        assert_int_equal((uintptr_t)list[i].udata, i == 0 ? 7 : 9);
        assert_int_equal(list[i].filter, i == 0 ? EVFILT_READ : EVFILT_WRITE);
    }
    expect(kq, fd, EVFILT_READ, 8);
    close(fd);
    close(kq);
}

static void without_room_the_first_refusal_ends_the_call(plx_set *set)
{
    int kq = kqueue(), a = counter(true), b = counter(true);
    struct kevent changes[] = { on(a, EVFILT_READ, EV_ADD, 1), on(a, EVFILT_WRITE, EV_DELETE, 0),
                                on(b, EVFILT_READ, EV_ADD, 2) };
    (void)set;
    assert_int_equal(kevent(kq, changes, 3, NULL, 0, NULL), -1);
    assert_int_equal(errno, ENOENT);
    expect(kq, a, EVFILT_READ, 1);
    close(a);
    close(b);
    close(kq);
}

static void reading_and_writing_are_apart(plx_set *set)
{
    int kq = kqueue(), fd = counter(true), other = counter(true);
    struct kevent changes[] = { on(fd, EVFILT_READ, EV_ADD, 1), on(fd, EVFILT_WRITE, EV_ADD, 2),
                                on(other, EVFILT_READ, EV_ADD, 3), on(other, EVFILT_WRITE, EV_ADD, 4) };
    struct kevent e[MANY];
    int seen = 0;
    (void)set;
    assert_int_equal(kevent(kq, changes, 4, NULL, 0, NULL), 0);
    assert_int_equal(ready(kq, e), 4);
    for (int i = 0; i < 4; i++) {
        int k = (int)(uintptr_t)e[i].udata;
        assert_int_equal(e[i].filter, k % 2 == 1 ? EVFILT_READ : EVFILT_WRITE);
        assert_int_equal(e[i].ident, k <= 2 ? fd : other);
        seen |= 1 << k;
        if (kqueue_emulation_is()->adjacent)
            assert_int_equal(e[i].ident, e[i ^ 1].ident);
        else
            assert_true(i == 3 || e[i].ident != e[i + 1].ident);
    }
    assert_int_equal(seen, 30);
    close(fd);
    close(other);
    close(kq);
}

static void one_shot_is_once(plx_set *set)
{
    int kq = kqueue(), fd = counter(true);
    (void)set;
    assert_int_equal(change_one(kq, fd, EVFILT_READ, EV_ADD | EV_ONESHOT, 1), 0);
    expect(kq, fd, EVFILT_READ, 1);
    expect_none(kq);
    assert_int_equal(change_one(kq, fd, EVFILT_READ, EV_DELETE, 0), ENOENT);
    close(fd);
    close(kq);
}

static void clear_is_once_per_change(plx_set *set)
{
    int kq = kqueue(), fd = counter(true);
    (void)set;
    assert_int_equal(change_one(kq, fd, EVFILT_READ, EV_ADD | EV_CLEAR, 1), 0);
    expect(kq, fd, EVFILT_READ, 1);
    expect_none(kq);
    assert_int_equal(eventfd_write(fd, 1), 0);
    expect(kq, fd, EVFILT_READ, 1);
    expect_none(kq);
    close(fd);
    close(kq);
}

static void dispatch_disables_until_enabled(plx_set *set)
{
    int kq = kqueue(), fd = counter(true);
    (void)set;
    assert_int_equal(change_one(kq, fd, EVFILT_READ, EV_ADD | EV_DISPATCH, 1), 0);
    for (int i = 0; i < 3; i++) {
        expect(kq, fd, EVFILT_READ, 1);
        expect_none(kq);
        assert_int_equal(change_one(kq, fd, EVFILT_READ, EV_ENABLE, 0), 0);
    }
    close(fd);
    close(kq);
}

static void disabled_is_silent_and_kept(plx_set *set)
{
    int kq = kqueue(), fds[2];
    (void)set;
    stream_pair(fds);
    assert_int_equal(change_one(kq, fds[0], EVFILT_WRITE, EV_ADD | EV_DISABLE, 1), 0);
    expect_none(kq);
    assert_int_equal(change_one(kq, fds[0], EVFILT_WRITE, EV_ENABLE, 0), 0);
    expect(kq, fds[0], EVFILT_WRITE, 1);
    assert_int_equal(change_one(kq, fds[0], EVFILT_WRITE, EV_DISABLE, 0), 0);
    close(fds[1]); /* the end of it all is no exception */
    expect_none(kq);
    assert_int_equal(change_one(kq, fds[0], EVFILT_WRITE, EV_ADD, 2), 0); /* enables */
    expect(kq, fds[0], EVFILT_WRITE, 2);
    close(fds[0]);
    close(kq);
}

static void half_a_connection_is_eof_of_its_filter(plx_set *set)
{
    int kq = kqueue(), fds[2];
    (void)set;
    tcp_pair(fds);
    assert_int_equal(change_one(kq, fds[0], EVFILT_READ, EV_ADD, 1), 0);
    assert_int_equal(send(fds[1], "abc", 3, 0), 3);
    struct kevent e = expect(kq, fds[0], EVFILT_READ, 1);
    assert_int_equal(e.flags & EV_EOF, 0);
    assert_int_equal(e.data, 3);
    shutdown(fds[1], SHUT_WR);
    e = expect(kq, fds[0], EVFILT_READ, 1);
    assert_int_equal(e.flags & EV_EOF, EV_EOF);
    assert_int_equal(e.data, 3); /* there still are data */
    assert_int_equal(e.fflags, 0);
    assert_int_equal(change_one(kq, fds[0], EVFILT_WRITE, EV_ADD, 2), 0);
    assert_int_equal(change_one(kq, fds[0], EVFILT_READ, EV_DELETE, 0), 0);
    e = expect(kq, fds[0], EVFILT_WRITE, 2);
    assert_int_equal(e.flags & EV_EOF, 0);
    close_both(fds);
    close(kq);
}

static void a_reset_is_eof_with_an_error(plx_set *set)
{
    struct linger now = { 1, 0 };
    struct kevent e[MANY];
    int kq = kqueue(), fds[2];
    (void)set;
    tcp_pair(fds);
    assert_int_equal(change_one(kq, fds[0], EVFILT_READ, EV_ADD, 1), 0);
    assert_int_equal(change_one(kq, fds[0], EVFILT_WRITE, EV_ADD, 2), 0);
    setsockopt(fds[1], SOL_SOCKET, SO_LINGER, &now, sizeof now);
    close(fds[1]);
    assert_int_equal(ready(kq, e), 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(e[i].flags & EV_EOF, EV_EOF);
        assert_int_equal(e[i].fflags, ECONNRESET);
    }
    close(fds[0]);
    close(kq);
}

static void a_pipe_without_reader_is_eof_for_its_writer(plx_set *set)
{
    int kq = kqueue(), fds[2];
    (void)set;
    pipe_pair(fds);
    assert_int_equal(change_one(kq, fds[1], EVFILT_WRITE, EV_ADD, 1), 0);
    assert_int_equal(expect(kq, fds[1], EVFILT_WRITE, 1).flags & EV_EOF, 0);
    close(fds[0]);
    struct kevent e = expect(kq, fds[1], EVFILT_WRITE, 1);
    assert_int_equal(e.flags & EV_EOF, EV_EOF);
    assert_int_equal(e.fflags, 0);
    assert_int_equal(e.flags & EV_ONESHOT, kqueue_emulation_is()->drops_broken ? EV_ONESHOT : 0);
    if (kqueue_emulation_is()->drops_broken)
        expect_none(kq);
    else
        expect(kq, fds[1], EVFILT_WRITE, 1);
    close(fds[1]);
    close(kq);
}

static void a_pipe_without_reader_is_refused_with_the_familys_error(plx_set *set)
{
    int kq = kqueue(), fd = broken_pipe(), error = kqueue_emulation_is()->broken_pipe_error;
    (void)set;
    assert_int_equal(change_one(kq, fd, EVFILT_WRITE, EV_ADD, 1), error);
    if (error == 0)
        assert_int_equal(expect(kq, fd, EVFILT_WRITE, 1).flags & EV_EOF, EV_EOF);
    else
        assert_int_equal(change_one(kq, fd, EVFILT_WRITE, EV_DELETE, 0), ENOENT);
    assert_int_equal(change_one(kq, fd, EVFILT_READ, EV_ADD, 1), 0);
    close(fd);
    close(kq);
}

static void the_end_of_a_full_pipes_reader_is_missed_by_one_family(plx_set *set)
{
    static char block[65536];
    int kq = kqueue(), fds[2];
    (void)set;
    pipe_pair(fds);
    while (write(fds[1], block, sizeof block) > 0)
        continue;
    assert_int_equal(change_one(kq, fds[1], EVFILT_WRITE, EV_ADD, 1), 0);
    expect_none(kq);
    close(fds[0]);
    if (kqueue_emulation_is()->misses_broken) {
        expect_none(kq);
        expect_none(kq);
    } else
        assert_int_equal(expect(kq, fds[1], EVFILT_WRITE, 1).flags & EV_EOF, EV_EOF);
    close(fds[1]);
    close(kq);
}

static void a_file_can_be_written_and_read_up_to_its_end(plx_set *set)
{
    int kq = kqueue(), fd = regular_file();
    struct pollfd p = { kq, POLLIN, 0 };
    (void)set;
    assert_int_equal(change_one(kq, fd, EVFILT_READ, EV_ADD, 1), 0);
    expect_none(kq);
    assert_int_equal(poll(&p, 1, 0), 0);
    assert_int_equal(pwrite(fd, "abc", 3, 0), 3);
    assert_int_equal(expect(kq, fd, EVFILT_READ, 1).data, 3);
    assert_int_equal(poll(&p, 1, 0), 1);
    assert_int_equal(expect(kq, fd, EVFILT_READ, 1).data, 3);
    assert_int_equal(lseek(fd, 0, SEEK_END), 3);
    expect_none(kq);
    assert_int_equal(change_one(kq, fd, EVFILT_WRITE, EV_ADD, 2), 0);
    assert_int_equal(poll(&p, 1, 0), 1);
    expect(kq, fd, EVFILT_WRITE, 2);
    assert_int_equal(change_one(kq, fd, EVFILT_WRITE, EV_DELETE, 0), 0);
    assert_int_equal(change_one(kq, fd, EVFILT_WRITE, EV_DELETE, 0), ENOENT);
    assert_int_equal(poll(&p, 1, 0), 0);
    assert_int_equal(change_one(kq, fd, EVFILT_WRITE, EV_ADD | EV_CLEAR, 3), 0);
    expect(kq, fd, EVFILT_WRITE, 3);
    expect_none(kq);
    replace(fd, regular_file());
    assert_int_equal(change_one(kq, fd, EVFILT_WRITE, EV_DELETE, 0), ENOENT);
    assert_int_equal(change_one(kq, fd, EVFILT_WRITE, EV_ADD, 4), 0);
    replace(fd, counter(true));
    expect_none(kq);
    close(fd);
    close(kq);
}

static void a_terminal_needs_a_low_water_mark_in_one_family(plx_set *set)
{
    int kq = kqueue(), other, fd = terminal(&other);
    struct kevent lowat = on(fd, EVFILT_WRITE, EV_ADD, 2);
    (void)set;
    assert_int_equal(change_one(kq, fd, EVFILT_WRITE, EV_ADD, 1), kqueue_emulation_is()->needs_lowat ? EINVAL : 0);
    lowat.fflags = NOTE_LOWAT;
    lowat.data = 1;
    assert_int_equal(kevent(kq, &lowat, 1, NULL, 0, NULL), 0);
    expect(kq, fd, EVFILT_WRITE, 2);
    close(fd);
    close(other);
    close(kq);
}

static void the_queue_stays_readable_until_nothing_is_found(plx_set *set)
{
    int kq = kqueue(), fd = counter(true);
    struct pollfd p = { kq, POLLIN, 0 };
    uint64_t value;
    bool lingers = kqueue_emulation_is()->lingers;
    (void)set;
    assert_int_equal(change_one(kq, fd, EVFILT_READ, EV_ADD, 1), 0);
    for (int i = 0; i < 3; i++) {
        expect(kq, fd, EVFILT_READ, 1);
        assert_int_equal(read(fd, &value, sizeof value), sizeof value);
        assert_int_equal(poll(&p, 1, 0), lingers);
        expect_none(kq);
        assert_int_equal(poll(&p, 1, 0), 0);
        assert_int_equal(eventfd_write(fd, 1), 0);
    }
    expect(kq, fd, EVFILT_READ, 1);
    assert_int_equal(change_one(kq, fd, EVFILT_READ, EV_DELETE, 0), 0);
    assert_int_equal(poll(&p, 1, 0), 0);
    close(fd);
    close(kq);
}

/* epoll would go on with the second descriptor's file, under the first one's number. */
static void a_closed_descriptor_is_gone_even_if_its_file_lives(plx_set *set)
{
    int kq = kqueue(), fd = counter(true), copy = dup(fd), other = counter(true);
    (void)set;
    assert_int_equal(change_one(kq, other, EVFILT_READ, EV_ADD, 2), 0);
    assert_int_equal(change_one(kq, fd, EVFILT_READ, EV_ADD, 1), 0);
    close(fd);
    expect(kq, other, EVFILT_READ, 2);
    expect(kq, other, EVFILT_READ, 2);
    assert_int_equal(change_one(kq, fd, EVFILT_READ, EV_DELETE, 0), EBADF);
    close(copy);
    close(other);
    close(kq);
}

static void a_reused_number_is_not_watched(plx_set *set)
{
    int kq = kqueue(), fd = counter(true);
    (void)set;
    assert_int_equal(change_one(kq, fd, EVFILT_READ, EV_ADD, 1), 0);
    replace(fd, counter(true));
    expect_none(kq);
    assert_int_equal(change_one(kq, fd, EVFILT_READ, EV_DELETE, 0), ENOENT);
    assert_int_equal(change_one(kq, fd, EVFILT_READ, EV_ADD, 2), 0);
    expect(kq, fd, EVFILT_READ, 2);
    replace(fd, counter(true));
    assert_int_equal(change_one(kq, fd, EVFILT_READ, EV_ENABLE, 0), ENOENT);
    expect_none(kq);
    assert_int_equal(change_one(kq, fd, EVFILT_READ, EV_ADD, 3), 0);
    expect(kq, fd, EVFILT_READ, 3);
    close(fd);
    close(kq);
}

static int trigger(int kq)
{
    struct kevent c = { .filter = EVFILT_USER, .fflags = NOTE_TRIGGER };
    return kevent(kq, &c, 1, NULL, 0, NULL) < 0 ? errno : 0;
}

static void user_events_are_triggered_coalesced_and_cleared(plx_set *set)
{
    int kq = kqueue();
    (void)set;
    if (!kqueue_emulation_is()->has_user) {
        assert_int_equal(change_one(kq, 0, EVFILT_USER, EV_ADD | EV_CLEAR, 5), EINVAL);
        assert_int_equal(trigger(kq), EINVAL);
        close(kq);
        return;
    }
    assert_int_equal(change_one(kq, 0, EVFILT_USER, EV_ADD | EV_CLEAR, 5), 0);
    expect_none(kq);
    for (int i = 0; i < 3; i++)
        assert_int_equal(trigger(kq), 0);
    expect(kq, 0, EVFILT_USER, 5);
    expect_none(kq);
    assert_int_equal(change_one(kq, 0, EVFILT_USER, EV_DELETE, 0), 0);
    close(kq);
}

typedef struct {
    int kq, result, error;
    struct kevent change, event;
    atomic_bool about;
} sleeper;

static void *sleep_in_kevent(void *argument)
{
    sleeper *s = argument;
    s->about = true;
    s->result = kevent(s->kq, &s->change, s->change.filter != 0, &s->event, 1, NULL);
    s->error = errno;
    return NULL;
}

static pthread_t start(sleeper *s)
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, sleep_in_kevent, s), 0);
    while (!s->about)
        nap(MILLIS(1));
    nap(MILLIS(20));
    return thread;
}

static void a_trigger_ends_a_wait(plx_set *set)
{
    (void)set;
    if (!kqueue_emulation_is()->has_user)
        skip_this("these kernels had no EVFILT_USER for long");
    sleeper s = { .kq = kqueue() };
    assert_int_equal(change_one(s.kq, 0, EVFILT_USER, EV_ADD | EV_CLEAR, 5), 0);
    pthread_t thread = start(&s);
    assert_int_equal(trigger(s.kq), 0);
    pthread_join(thread, NULL);
    assert_int_equal(s.result, 1);
    assert_int_equal(s.event.filter, EVFILT_USER);
    close(s.kq);
}

static void a_change_is_in_force_for_a_wait_in_progress(plx_set *set)
{
    sleeper s = { .kq = kqueue() };
    int fd = counter(true);
    (void)set;
    pthread_t thread = start(&s);
    assert_int_equal(change_one(s.kq, fd, EVFILT_READ, EV_ADD, 6), 0);
    pthread_join(thread, NULL);
    assert_int_equal(s.result, 1);
    assert_int_equal(s.event.ident, fd);
    close(fd);
    close(s.kq);
}

static void nothing_to_do(int signal)
{
    (void)signal;
}

static void a_signal_ends_a_wait_whose_changes_are_made(plx_set *set)
{
    struct sigaction action = { .sa_handler = nothing_to_do }, before;
    int fd = counter(false);
    sleeper s = { .kq = kqueue(), .change = on(fd, EVFILT_READ, EV_ADD, 4) };
    (void)set;
    sigaction(SIGUSR1, &action, &before);
    pthread_t thread = start(&s);
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, NULL);
    sigaction(SIGUSR1, &before, NULL);
    assert_int_equal(s.result, -1);
    assert_int_equal(s.error, EINTR);
    assert_int_equal(eventfd_write(fd, 1), 0);
    expect(s.kq, fd, EVFILT_READ, 4);
    close(fd);
    close(s.kq);
}

static void it_can_be_polled_itself(plx_set *set)
{
    int kq = kqueue(), outer = kqueue(), fd = counter(false);
    struct pollfd p = { kq, POLLIN, 0 };
    (void)set;
    assert_int_equal(change_one(kq, fd, EVFILT_READ, EV_ADD, 1), 0);
    assert_int_equal(change_one(outer, kq, EVFILT_READ, EV_ADD, 2), 0);
    assert_int_equal(poll(&p, 1, 0), 0);
    expect_none(outer);
    assert_int_equal(eventfd_write(fd, 1), 0);
    assert_int_equal(poll(&p, 1, 0), 1);
    expect(outer, kq, EVFILT_READ, 2);
    close(fd);
    close(outer);
    close(kq);
}

static void out_of_band_data_is_marked(plx_set *set)
{
    int kq = kqueue(), fds[2];
    (void)set;
    tcp_pair(fds);
    assert_int_equal(change_one(kq, fds[0], EVFILT_READ, EV_ADD, 1), 0);
    assert_int_equal(send(fds[1], "ab", 2, 0), 2);
    assert_int_equal(send(fds[1], "!", 1, MSG_OOB), 1);
    struct kevent e = expect(kq, fds[0], EVFILT_READ, 1);
    assert_int_equal(e.flags & EV_OOBAND, EV_OOBAND);
    assert_int_equal(e.data, 2);
    char bytes[8];
    assert_int_equal(recv(fds[0], bytes, sizeof bytes, 0), 2);
    e = expect(kq, fds[0], EVFILT_READ, 1);
    assert_int_equal(e.flags & EV_OOBAND, EV_OOBAND);
    assert_int_equal(e.data, 0);
    assert_int_equal(recv(fds[0], bytes, 1, MSG_OOB), 1);
    expect_none(kq);
    close_both(fds);
    close(kq);
}

static void data_cannot_be_trusted(plx_set *set)
{
    int kq = kqueue(), fds[2];
    (void)set;
    assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM, 0, fds), 0);
    assert_int_equal(change_one(kq, fds[0], EVFILT_READ, EV_ADD, 1), 0);
    assert_int_equal(send(fds[1], "", 0, 0), 0);
    assert_int_equal(expect(kq, fds[0], EVFILT_READ, 1).data, 0);
    close_both(fds);
    close(kq);
}

static void times_and_queues_are_checked(plx_set *set)
{
    static const struct timespec wrong[] = { { -1, 0 }, { 0, -1 }, { 0, 1000000000 }, { 100000001, 0 } };
    struct kevent e;
    int kq = kqueue(), fd = counter(true);
    (void)set;
    for (int i = 0; i < 4; i++) {
        assert_int_equal(kevent(kq, NULL, 0, &e, 1, &wrong[i]), -1);
        assert_int_equal(errno, EINVAL);
    }
    assert_int_equal(kevent(fd, NULL, 0, &e, 1, &at_once), -1);
    assert_int_equal(errno, EBADF);
    const struct timespec fifty = { 0, 50000000 };
    int64_t before = now();
    assert_int_equal(kevent(kq, NULL, 0, &e, 1, &fifty), 0);
    assert_true(now() - before >= MILLIS(50));
    assert_int_equal(kevent(kq, NULL, 0, NULL, 0, NULL), 0); /* no room: no wait */
    close(fd);
    close(kq);
}

static void tests_can_have_additions_refused(plx_set *set)
{
    int kq = kqueue(), fd = counter(true), calls = kqueue_emulation_calls();
    (void)set;
    kqueue_emulation_refuse(2, ENOMEM);
    assert_int_equal(change_one(kq, fd, EVFILT_READ, EV_ADD, 1), 0);
    assert_int_equal(change_one(kq, fd, EVFILT_READ, EV_DELETE, 1), 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(change_one(kq, fd, EVFILT_READ, EV_ADD, 1), ENOMEM);
    expect_none(kq);
    kqueue_emulation_refuse(0, 0);
    assert_int_equal(change_one(kq, fd, EVFILT_READ, EV_ADD, 1), 0);
    expect(kq, fd, EVFILT_READ, 1);
    assert_int_equal(kqueue_emulation_calls() - calls, 7);
    close(fd);
    close(kq);
}

static const plx_test emulation_tests[] = {
    { "kqueue: changes are made in their order", changes_are_made_in_their_order, 0 },
    { "kqueue: EV_ADD of what is there modifies it", adding_again_modifies, 0 },
    { "kqueue: what is not there is ENOENT", what_is_not_there_is_enoent, 0 },
    { "kqueue: a refused change is an EV_ERROR entry, and nothing waits",
      a_refused_change_is_an_entry_and_nothing_waits, 0 },
    { "kqueue: without room the first refusal ends the call", without_room_the_first_refusal_ends_the_call, 0 },
    { "kqueue: reading and writing are reported apart", reading_and_writing_are_apart, 0 },
    { "kqueue: EV_ONESHOT is reported once and then gone", one_shot_is_once, 0 },
    { "kqueue: EV_CLEAR is reported once per change", clear_is_once_per_change, 0 },
    { "kqueue: EV_DISPATCH is disabled when reported", dispatch_disables_until_enabled, 0 },
    { "kqueue: EV_DISABLE silences, EV_ENABLE and EV_ADD undo it", disabled_is_silent_and_kept, 0 },
    { "kqueue: half a connection is EV_EOF of its filter", half_a_connection_is_eof_of_its_filter, 0 },
    { "kqueue: a reset is EV_EOF with an error in fflags", a_reset_is_eof_with_an_error, 0 },
    { "kqueue: a pipe without reader is EV_EOF for its writer", a_pipe_without_reader_is_eof_for_its_writer, 0 },
    { "kqueue: a pipe without reader is refused with the family's error",
      a_pipe_without_reader_is_refused_with_the_familys_error, 0 },
    { "kqueue: the end of a full pipe's reader is missed by one family",
      the_end_of_a_full_pipes_reader_is_missed_by_one_family, 0 },
    { "kqueue: a file can be written, and read up to its end", a_file_can_be_written_and_read_up_to_its_end, 0 },
    { "kqueue: a terminal needs NOTE_LOWAT in one family", a_terminal_needs_a_low_water_mark_in_one_family, 0 },
    { "kqueue: it stays readable until nothing is found", the_queue_stays_readable_until_nothing_is_found, 0 },
    { "kqueue: a closed descriptor is gone, even if its file lives",
      a_closed_descriptor_is_gone_even_if_its_file_lives, 0 },
    { "kqueue: a reused number is not watched", a_reused_number_is_not_watched, 0 },
    { "kqueue: EVFILT_USER is triggered, coalesced, cleared", user_events_are_triggered_coalesced_and_cleared, 0 },
    { "kqueue: NOTE_TRIGGER ends a wait", a_trigger_ends_a_wait, 0 },
    { "kqueue: a change is in force for a wait in progress", a_change_is_in_force_for_a_wait_in_progress, 0 },
    { "kqueue: a signal ends a wait, whose changes are made", a_signal_ends_a_wait_whose_changes_are_made, 0 },
    { "kqueue: it can be polled itself", it_can_be_polled_itself, 0 },
    { "kqueue: out-of-band data is EV_OOBAND, data counts up to the mark", out_of_band_data_is_marked, 0 },
    { "kqueue: an empty datagram has data 0", data_cannot_be_trusted, 0 },
    { "kqueue: times and queues are checked", times_and_queues_are_checked, 0 },
    { "kqueue: tests can have additions refused, and count calls", tests_can_have_additions_refused, 0 },
};
const plx_suite kqueue_emulation_suite = SUITE(emulation_tests);
