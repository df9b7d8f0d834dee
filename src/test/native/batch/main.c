/* SPDX-License-Identifier: Apache-2.0
 *
 * main.c: the batch (batch.h) without Java, under the sanitizers. A loop echoes what many connections send, with a
 * batch; a second thread echoes too, registers the connections with another batch, and ends them. What a program sees
 * of a batch is tested in Java (BatchIT); this is about memory and races.
 */
#include "batch/batch.h"
#include "support.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CONNECTIONS = 24, ROUNDS = 4000, LARGEST = 3000 };

/* An echoing connection, and the peer's end of it. */
typedef struct {
    pthread_mutex_t echoing; /* stands for the locks of a channel */
    int near, far;
    bool is_closed;
    unsigned char asked, heard; /* the next byte */
    uint64_t bytes;
} connection;

static connection all[CONNECTIONS];
static plx_set *set;
static plx_batch *batch, *other;
static atomic_bool ends;
static int skipped;

void skip_this(const char *reason)
{
    printf("%s\n", reason);
    skipped++;
    skip();
}

/* ---- what the replaced native methods do ---- */

static long read_as(const void *thread, int fd, void *bytes, size_t length)
{
    struct iovec slice = { bytes, length };
    plx_stream *stream = plx_stream_of(fd);
    long n = stream == NULL ? PLX_NOT_DEFERRED : plx_stream_read(stream, thread, &slice, 1);
    if (n != PLX_NOT_DEFERRED)
        return n;
    n = plx_syscall(SYS_read, fd, (long)bytes, (long)length, 0, 0, 0);
    return n > 0 || stream == NULL ? n : plx_stream_on_empty_read(stream, thread, n);
}

static long write_as(const void *thread, int fd, const void *bytes, size_t length)
{
    struct iovec slice = { (void *)(uintptr_t)bytes, length };
    plx_stream *stream = plx_stream_of(fd);
    long n = stream == NULL ? PLX_NOT_DEFERRED : plx_stream_write(stream, fd, thread, &slice, 1);
    return n != PLX_NOT_DEFERRED ? n : plx_syscall(SYS_write, fd, (long)bytes, (long)length, 0, 0, 0);
}

static void close_as(int fd)
{
    plx_stream *stream = plx_stream_of(fd);
    if (stream != NULL)
        plx_stream_before_close(stream, fd);
    close(fd);
}

/* ---- the loop, and the other thread ---- */

static void echo(const void *thread, connection *c, size_t most)
{
    char bytes[LARGEST];
    pthread_mutex_lock(&c->echoing);
    long n = c->is_closed ? 0 : read_as(thread, c->near, bytes, most);
    for (long sent = 0; sent < n;) {
        long part = write_as(thread, c->near, bytes + sent, (size_t)(n - sent));
        if (part < 0 && part != -EAGAIN)
            break;
        sent += part < 0 ? 0 : part;
    }
    pthread_mutex_unlock(&c->echoing);
}

static connection *of(int fd)
{
    for (int i = 0; i < CONNECTIONS; i++)
        if (all[i].near == fd)
            return &all[i];
    return NULL;
}

static void *serve(void *unused)
{
    const void *self = &unused;
    plx_event events[MANY];
    while (!atomic_load(&ends)) {
        bool has_unread = plx_batch_end_turn(batch, self);
        int n = plx_await(set, events, MANY, has_unread ? 0 : MILLIS(1));
        n = plx_batch_begin_turn(batch, events, n, MANY);
        for (int i = 0; i < n; i++) {
            connection *c = of(fd_of(events[i]));
            if (c != NULL && rand() % 50 != 0) /* else it is left unread */
                echo(self, c, rand() % 4 == 0 ? 7 : LARGEST);
        }
    }
    plx_batch_end_turn(batch, self);
    return NULL;
}

static void *disturb(void *unused)
{
    const void *self = &unused;
    while (!atomic_load(&ends)) {
        connection *c = &all[rand() % CONNECTIONS];
        switch (rand() % 3) {
        case 0:
            echo(self, c, LARGEST);
            break;
        case 1:
            pthread_mutex_lock(&c->echoing);
            if (!c->is_closed) {
                plx_batch_adopt(other, c->near);
                plx_batch_release(c->near);
            }
            pthread_mutex_unlock(&c->echoing);
            break;
        default:
            nap(MILLIS(1) / 4);
        }
    }
    return NULL;
}

/* ---- the peers ---- */

static void connect_one(connection *c)
{
    int fds[2];
    tcp_pair(fds);
    pthread_mutex_lock(&c->echoing);
    c->near = fds[0];
    c->far = fds[1];
    c->asked = c->heard = 0;
    c->is_closed = false;
    plx_batch_adopt(batch, c->near);
    plx_batch_watch(batch, c->near, PLX_IN, cookie(c->near, 1));
    assert_int_equal(plx_add(set, c->near, PLX_IN, cookie(c->near, 1)), 0);
    pthread_mutex_unlock(&c->echoing);
}

static void ask(connection *c)
{
    unsigned char bytes[LARGEST];
    size_t length = 1 + (size_t)rand() % (rand() % 2 ? 100 : LARGEST);
    for (size_t i = 0; i < length; i++)
        bytes[i] = (unsigned char)(c->asked + i);
    ssize_t n = send(c->far, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n > 0)
        c->asked = (unsigned char)(c->asked + n);
}

static void hear(connection *c)
{
    unsigned char bytes[LARGEST];
    ssize_t n;
    while ((n = recv(c->far, bytes, sizeof bytes, MSG_DONTWAIT)) > 0) {
        for (ssize_t i = 0; i < n; i++)
            assert_int_equal(bytes[i], c->heard++);
        c->bytes += (uint64_t)n;
    }
}

static void hear_all_of(connection *c)
{
    for (int64_t until = now() + SECONDS(10); c->heard != c->asked && now() < until; nap(1000))
        hear(c);
    assert_int_equal(c->heard, c->asked);
}

static void end(connection *c, bool hears_all)
{
    if (hears_all)
        hear_all_of(c);
    pthread_mutex_lock(&c->echoing);
    c->is_closed = true;
    plx_remove(set, c->near);
    plx_batch_watch(batch, c->near, 0, 0);
    plx_batch_release(c->near);
    close_as(c->near);
    pthread_mutex_unlock(&c->echoing);
    close(c->far);
}

static void every_byte_is_echoed_whatever_other_threads_do(void **unused)
{
    pthread_t loop, another;
    (void)unused;
    const char *obstacle = plx_batch_obstacle();
    if (obstacle != NULL)
        skip_this(obstacle);
    assert_int_equal(plx_open("epoll", &set), 0);
    assert_int_equal(plx_batch_open(true, &batch), 0);
    assert_int_equal(plx_batch_open(true, &other), 0);
    for (int i = 0; i < CONNECTIONS; i++) {
        pthread_mutex_init(&all[i].echoing, NULL);
        connect_one(&all[i]);
    }
    assert_int_equal(pthread_create(&loop, NULL, serve, NULL), 0);
    assert_int_equal(pthread_create(&another, NULL, disturb, NULL), 0);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < CONNECTIONS; i++)
            ask(&all[i]);
        if (round % 8 == 0)
            nap(MILLIS(1) / 2);
        for (int i = 0; i < CONNECTIONS; i++)
            hear(&all[i]);
        if (round % 50 == 0) {
            connection *c = &all[rand() % CONNECTIONS];
            end(c, rand() % 2 == 0);
            connect_one(c);
        }
    }
    for (int i = 0; i < CONNECTIONS; i++)
        hear_all_of(&all[i]);
    atomic_store(&ends, true);
    pthread_join(loop, NULL);
    pthread_join(another, NULL);
    printf("%llu writes deferred, %llu receives ahead, %llu left unread\n", (unsigned long long)batch->counts.writes,
           (unsigned long long)batch->counts.receives, (unsigned long long)batch->counts.unread);
    assert_true(batch->counts.writes > 0 && batch->counts.receives > 0 && batch->counts.unread > 0);
    for (int i = 0; i < CONNECTIONS; i++)
        end(&all[i], false);
    plx_batch_close(batch);
    plx_batch_close(other);
    plx_close(set);
}

static void a_closed_batch_is_used_again(void **unused)
{
    plx_batch *first, *second;
    (void)unused;
    const char *obstacle = plx_batch_obstacle();
    if (obstacle != NULL)
        skip_this(obstacle);
    assert_int_equal(plx_batch_open(false, &first), 0);
    plx_batch_close(first);
    assert_int_equal(plx_batch_open(true, &second), 0);
    assert_ptr_equal(first, second);
    plx_batch_close(second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_is_echoed_whatever_other_threads_do),
        cmocka_unit_test(a_closed_batch_is_used_again),
    };
    int count = (int)(sizeof tests / sizeof *tests);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    printf("%d passed, %d failed, %d skipped\n", count - failed - skipped, failed, skipped);
    return failed != 0;
}
