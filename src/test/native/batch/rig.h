/* SPDX-License-Identifier: Apache-2.0
 *
 * rig.h: what the tests of the batch share: calls as the replaced native methods make them, and connections whose every
 * byte is known.
 */
#ifndef BATCH_RIG_H
#define BATCH_RIG_H

#include "batch/batch.h"
#include "support.h"

/* As the JDK's methods do for a thread: a number of bytes, or -code. */
long read_as(const void *thread, int fd, void *bytes, size_t length);
long write_as(const void *thread, int fd, const void *bytes, size_t length);
void shut_as(int fd);
void close_as(int fd);
/* What comes first where threads wait for the descriptor: its number becomes another file's. */
void replace_as(int fd);

/* The byte at this place of what a connection with this seed carries. */
unsigned char byte_at(uint32_t seed, uint64_t place);
void fill_bytes(unsigned char *bytes, size_t length, uint32_t seed, uint64_t place);

/* A connection whose near end is in a batch. The far end is the peer's. */
typedef struct {
    int near, far; /* near is -1 once it is closed */
    uint32_t seed;
    uint64_t written, heard;
    bool has_ended, was_reset; /* as the peer sees it */
} conn;

/* With small buffers for what is sent, so that they are soon full. */
void conn_open(conn *l, uint32_t seed, bool is_tcp);
/* Writes so many bytes: how many were taken, or -code. */
long conn_write(conn *l, const void *thread, size_t length);
/* Writes until the socket is full and stays so, and the kernel is owed a rest. */
void conn_fill(conn *l, const void *thread);
/* Receives what has arrived, and checks each byte. At the end of the stream nothing may be missing. */
void conn_hear(conn *l);
bool conn_heard_all(const conn *l);
void conn_close(conn *l);
void conn_drop(conn *l);

/* Turns after which the batch defers what this thread writes: 0, or -code of plx_batch_end_turn. */
int activate(plx_batch *batch, const void *thread);

#endif
