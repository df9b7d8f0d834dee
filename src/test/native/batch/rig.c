/* SPDX-License-Identifier: Apache-2.0
 *
 * rig.c: see rig.h.
 */
#include "rig.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CHUNK = 4096, MAX_FILLED = 64 << 20, SMALL = 4096 };

long read_as(const void *thread, int fd, void *bytes, size_t length)
{
    ssize_t n = recv(fd, bytes, length, 0);
    long result = n < 0 ? -errno : (long)n;
    plx_stream *stream = result > 0 ? NULL : plx_stream_of(fd);
    return stream == NULL ? result : plx_stream_on_empty_read(stream, thread, result);
}

long write_as(const void *thread, int fd, const void *bytes, size_t length)
{
    struct iovec slice = { (void *)(uintptr_t)bytes, length };
    plx_stream *stream = plx_stream_of(fd);
    long n = stream == NULL ? PLX_NOT_DEFERRED : plx_stream_write(stream, fd, thread, &slice, 1);
    if (n != PLX_NOT_DEFERRED)
        return n;
    n = send(fd, bytes, length, MSG_NOSIGNAL);
    return n < 0 ? -errno : n;
}

void shut_as(int fd)
{
    plx_stream *stream = plx_stream_of(fd);
    if (stream == NULL || !plx_stream_shuts_output(stream, fd))
        assert_int_equal(shutdown(fd, SHUT_WR), 0);
}

void close_as(int fd)
{
    plx_stream *stream = plx_stream_of(fd);
    if (stream == NULL || !plx_stream_before_end(stream, fd, PLX_CLOSED))
        close(fd);
}

void replace_as(int fd)
{
    plx_stream *stream = plx_stream_of(fd);
    int other = eventfd(0, EFD_CLOEXEC);
    if (stream != NULL)
        plx_stream_before_end(stream, fd, PLX_REPLACED);
    assert_int_equal(dup3(other, fd, O_CLOEXEC), fd);
    close(other);
}

unsigned char byte_at(uint32_t seed, uint64_t place)
{
    return (unsigned char)((place + seed) * 0x9E3779B97F4A7C15 >> 56);
}

void fill_bytes(unsigned char *bytes, size_t length, uint32_t seed, uint64_t place)
{
    for (size_t i = 0; i < length; i++)
        bytes[i] = byte_at(seed, place + i);
}

/* A small one of the peer's would make TCP wait for its timers. */
static void set_buffer(int fd, int size)
{
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof size), 0);
}

void conn_open(conn *l, uint32_t seed, bool is_tcp)
{
    int fds[2];
    if (is_tcp)
        tcp_pair(fds);
    else
        stream_pair(fds);
    set_buffer(fds[1], SMALL);
    *l = (conn){ .near = fds[1], .far = fds[0], .seed = seed };
}

long conn_write(conn *l, const void *thread, size_t length)
{
    unsigned char bytes[PLX_BATCH_LARGEST];
    fill_bytes(bytes, length, l->seed, l->written);
    long n = write_as(thread, l->near, bytes, length);
    if (n > 0)
        l->written += (uint64_t)n;
    return n;
}

/* Writes until the socket is full: whether it took anything. */
static bool fill_as(conn *l, const void *thread)
{
    uint64_t before = l->written;
    while (conn_write(l, thread, CHUNK) > 0)
        assert_true(l->written - before < MAX_FILLED);
    return l->written != before;
}

void conn_fill(conn *l, const void *thread)
{
    static const void *const another = &another; /* what it writes is not deferred */
    plx_stream *stream = &plx_streams[l->near];
    while (plx_owed_for(stream) == PLX_OWED_NOTHING && fill_as(l, another))
        nap(MILLIS(10)); /* what is on its way makes room once more when it arrives */
    activate(atomic_load(&stream->batch), thread); /* it may have been late */
    fill_as(l, thread);
}

static void check_bytes(conn *l, const unsigned char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (bytes[i] != byte_at(l->seed, l->heard + i))
            fail_msg("seed %u: byte %llu of %llu is another one", l->seed, (unsigned long long)(l->heard + i),
                     (unsigned long long)l->written);
    l->heard += length;
    if (l->heard > l->written)
        fail_msg("seed %u: %llu bytes of %llu", l->seed, (unsigned long long)l->heard, (unsigned long long)l->written);
}

void conn_hear(conn *l)
{
    unsigned char bytes[CHUNK];
    ssize_t n = 1;
    while (!l->has_ended && !l->was_reset && (n = recv(l->far, bytes, sizeof bytes, MSG_DONTWAIT)) > 0)
        check_bytes(l, bytes, (size_t)n);
    if (n == 0) {
        l->has_ended = true;
        if (l->heard != l->written)
            fail_msg("seed %u: ended after %llu bytes of %llu", l->seed, (unsigned long long)l->heard,
                     (unsigned long long)l->written);
    } else if (n < 0 && errno != EAGAIN) {
        assert_int_equal(errno, ECONNRESET);
        l->was_reset = true;
    }
}

bool conn_heard_all(const conn *l)
{
    return l->heard == l->written;
}

void conn_close(conn *l)
{
    if (l->near >= 0)
        close_as(l->near);
    l->near = -1;
}

void conn_drop(conn *l)
{
    conn_close(l);
    close(l->far);
}

int activate(plx_batch *batch, const void *thread)
{
    int code = 0;
    for (int turn = 0; turn <= PLX_BATCH_TURNS_OF_ONE_THREAD; turn++) {
        atomic_store(&batch->turn_writes, 2 * PLX_BATCH_WRITES_TO_BEGIN);
        int result = plx_batch_end_turn(batch, thread);
        if (result < 0) {
            assert_int_equal(code, 0); /* it says so once */
            code = result;
        }
    }
    return code;
}
