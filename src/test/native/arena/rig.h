/* SPDX-License-Identifier: Apache-2.0
 *
 * rig.h: what the tests of arena.h share: an arena of the mechanism under test, a listener on the loopback, peers.
 */
#ifndef RIG_H
#define RIG_H

#include "support.h"

#include "arena.h"

typedef struct {
    const char *mechanism; /* NULL: the best */
    plx_arena *arena;
    plx_arena_view v;
    int listener, port;
    uint64_t listening; /* the listener's name */
    int orders;         /* for the next turn */
    int arrived, next;  /* arrivals of the last turn, and the one to be looked at next */
} rig;

typedef struct {
    const char *name;
    void (*body)(rig *r);
    const char *only; /* the mechanism that the sentence is about, or NULL */
} arena_test;

typedef struct {
    const arena_test *tests;
    size_t count;
} arena_suite;

extern const arena_suite opening_suite, connection_suite, data_suite, sending_suite, turn_suite, exhaustion_suite,
    fault_suite, random_suite, waiting_suite, duplex_suite, connecting_suite;

/* Opens the arena of r->mechanism and has it listen. main.c closes it. */
void rig_open(rig *r, const plx_arena_sizes *sizes);
void rig_close(rig *r);
bool is_uring(const rig *r);

/* A connected peer, in blocking mode; its receives give up after seconds. */
int peer(const rig *r);
void peer_send(int fd, const void *bytes, size_t length);
/* Exactly these bytes come. */
void peer_expect(int fd, const void *bytes, size_t length);
/* So many of these bytes have come. It does not wait: the arena may have to go on before more of them come. */
size_t peer_expect_some(int fd, const char *bytes, size_t length);
/* The end of the stream comes. */
void peer_expect_end(int fd);
/* A reset comes, perhaps after bytes. */
void peer_expect_reset(int fd);
/* Closes with a reset. */
void peer_reset(int fd);

void order(rig *r, uint64_t connection, uint32_t what, const void *bytes, size_t length);
/* plx_arena_turn, whatever it returns. */
int turn_once(rig *r, int orders, int64_t ns);
/* One turn, or as many as signals end: the number of arrivals. */
int turn(rig *r, int64_t ns);
/* The next arrival; turns if all have been looked at. */
const plx_arrival *next(rig *r);
/* The next arrival, which must be of this kind. */
const plx_arrival *expect(rig *r, uint32_t what);
/* Nothing more arrives for some milliseconds. */
void expect_silence(rig *r);
/* A new connection: its name, and the peer. */
uint64_t accepted(rig *r, int *fd);
/* The next data is exactly this, of that connection: the arrival. */
const plx_arrival *expect_data(rig *r, uint64_t connection, const void *bytes, size_t length);
/* The same, if it comes in parts: keeps what has come. */
const plx_arrival *expect_data_in_parts(rig *r, uint64_t connection, const void *bytes, size_t length);
const char *bytes_of(const plx_arrival *arrival);

/* So many bytes that tell where they are in their message. */
char *pattern(size_t length, unsigned seed);

#endif
