// SPDX-License-Identifier: Apache-2.0
/*
 * What the kernel's part of a batch can gain at most. 64 connections over the loopback: an answerer reads 100 bytes of
 * each and writes 1100, one thread, no JVM. Nanoseconds of its processor time for one connection, in rounds in which
 * each way has a turn, and the median of the ratios of a round [min..max]; above 1 the way is cheaper than covered
 * calls:
 *
 *   plain          read(2) and write(2) as every C library makes them
 *   covered        the same, with the return stack covered where the kernel spoils it (docs/calls.md)
 *   ring           all reads in one io_uring_enter(2), then all writes in another; docs/batch.md does the latter
 *   fixed files    the same, with registered descriptors
 *   single issuer  the same, with a ring that only one thread may use (DEFER_TASKRUN)
 *
 * x86-64 only. gcc -std=c11 -O2 -D_GNU_SOURCE -I../src/main/native -o batch batch.c
 *     ../src/main/native/system/queues.c ../src/main/native/system/rawcall.c
 *     && ./batch [connections for one turn] [rounds]
 */
#include "common.h"
#include "system/queues.h"
#include "system/rawcall.h"

#include <netinet/tcp.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

enum { CONNECTIONS = 64, REQUEST = 100, REPLY = 1100, ROOM = 4096, MOST_ROUNDS = 100, ANSWERS = 20000 };
enum { PLAIN, COVERED, RING, FIXED_FILES, SINGLE_ISSUER, WAYS };
enum { SQE_FIXED_FILE = 1 << 0, REGISTER_FILES = 2 };

static const char *const names[WAYS] = { "plain", "covered", "ring", "fixed files", "single issuer" };

typedef struct {
    plx_queues queues;
    int has_files;
} ring;

static int asking[CONNECTIONS], answering[CONNECTIONS];
static ring rings[WAYS];
static char memory[CONNECTIONS * ROOM];
static double taken[WAYS][MOST_ROUNDS];

static void connect_all(void)
{
    struct sockaddr_in address;
    int server = listener(&address, CONNECTIONS), one = 1;
    for (int i = 0; i < CONNECTIONS; i++) {
        asking[i] = connect_to(&address);
        answering[i] = accept4(server, NULL, NULL, SOCK_NONBLOCK);
        setsockopt(asking[i], IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        setsockopt(answering[i], IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    }
}

static void open_ring(ring *r, uint32_t flags, int has_files)
{
    setup_params p = { .flags = SETUP_SUBMIT_ALL | flags };
    int code = plx_queues_open(&r->queues, CONNECTIONS, &p);
    if (code < 0)
        errx(1, "io_uring: %s", strerror(-code));
    r->has_files = has_files;
    if (has_files && syscall(SYSCALL_REGISTER, r->queues.fd, REGISTER_FILES, answering, CONNECTIONS) < 0)
        err(1, "io_uring_register");
}

/* One io_uring_enter(2) for all. */
static void transfer(ring *r, int connections, uint8_t opcode, uint32_t length, uint32_t message_flags)
{
    uint32_t tail = *r->queues.sq_tail;
    for (int i = 0; i < connections; i++) {
        submission *s = &r->queues.submissions[(tail + (uint32_t)i) & r->queues.sq_mask];
        memset(s, 0, sizeof *s);
        s->opcode = opcode;
        s->flags = (uint8_t)((r->has_files ? SQE_FIXED_FILE : 0) | (opcode == OP_SEND ? SQE_CQE_SKIP_SUCCESS : 0));
        s->fd = r->has_files ? i : answering[i];
        s->address = (uintptr_t)(memory + i * ROOM);
        s->length = length;
        s->op_flags = MSG_DONTWAIT | message_flags;
    }
    __atomic_store_n(r->queues.sq_tail, tail + (uint32_t)connections, __ATOMIC_RELEASE);
    if (plx_syscall(SYSCALL_ENTER, r->queues.fd, connections, 0, 0, 0, 0) != connections)
        errx(1, "io_uring_enter did not take all");
    uint32_t end = __atomic_load_n(r->queues.cq_tail, __ATOMIC_ACQUIRE), head = *r->queues.cq_head;
    for (; head != end; head++)
        if (r->queues.completions[head & r->queues.cq_mask].result < 0)
            errx(1, "%s", strerror(-r->queues.completions[head & r->queues.cq_mask].result));
    __atomic_store_n(r->queues.cq_head, head, __ATOMIC_RELEASE);
}

static void answer(int way, int connections)
{
    if (way >= RING) {
        transfer(&rings[way], connections, OP_RECV, ROOM, 0);
        transfer(&rings[way], connections, OP_SEND, REPLY, MSG_NOSIGNAL | MSG_WAITALL);
        return;
    }
    for (int i = 0; i < connections; i++)
        if (plx_syscall(SYS_read, answering[i], (long)(memory + i * ROOM), ROOM, 0, 0, 0) != REQUEST)
            errx(1, "read");
    for (int i = 0; i < connections; i++)
        if (plx_syscall(SYS_write, answering[i], (long)(memory + i * ROOM), REPLY, 0, 0, 0) != REPLY)
            errx(1, "write");
}

/* Returns the nanoseconds that the answerer takes for one connection. */
static double turns(int way, int connections)
{
    static char bytes[REPLY];
    double used = 0;
    int times = ANSWERS / connections;
    for (int k = 0; k < times; k++) {
        for (int i = 0; i < connections; i++)
            if (send(asking[i], bytes, REQUEST, 0) != REQUEST)
                err(1, "send");
        double before = nanos(CLOCK_THREAD_CPUTIME_ID);
        answer(way, connections);
        used += nanos(CLOCK_THREAD_CPUTIME_ID) - before;
        for (int i = 0; i < connections; i++)
            if (recv(asking[i], bytes, REPLY, MSG_WAITALL) != REPLY)
                err(1, "recv");
    }
    return used / times / connections;
}

int main(int count, char **arguments)
{
    int connections = count > 1 ? atoi(arguments[1]) : CONNECTIONS, rounds = count > 2 ? atoi(arguments[2]) : 21;
    if (connections < 1 || connections > CONNECTIONS || rounds < 1 || rounds > MOST_ROUNDS)
        errx(2, "usage: batch [1 to %d connections] [1 to %d rounds]", CONNECTIONS, MOST_ROUNDS);
    cpu_set_t first;
    CPU_ZERO(&first);
    CPU_SET(0, &first);
    sched_setaffinity(0, sizeof first, &first);
    plx_syscall_setup();
    const bool spoilt = plx_returns_spoilt;
    connect_all();
    open_ring(&rings[RING], 0, 0);
    open_ring(&rings[FIXED_FILES], 0, 1);
    open_ring(&rings[SINGLE_ISSUER], SETUP_SINGLE_ISSUER | SETUP_DEFER_TASKRUN, 1);
    for (int round = 0; round < rounds; round++) {
        for (int turn = 0; turn < WAYS; turn++) {
            int way = (turn + round) % WAYS;
            plx_returns_spoilt = spoilt && way != PLAIN;
            taken[way][round] = turns(way, connections);
        }
    }
    printf("%d connections, %d rounds; returns are %sspoilt\n", connections, rounds, spoilt ? "" : "not ");
    for (int way = 0; way < WAYS; way++) {
        double ratios[MOST_ROUNDS];
        for (int round = 0; round < rounds; round++)
            ratios[round] = taken[COVERED][round] / taken[way][round];
        qsort(ratios, (size_t)rounds, sizeof *ratios, ascending);
        double sorted[MOST_ROUNDS];
        memcpy(sorted, taken[way], sizeof sorted);
        qsort(sorted, (size_t)rounds, sizeof *sorted, ascending);
        printf("%-14s %6.0f ns   %.3f [%.3f..%.3f]\n", names[way], sorted[rounds / 2], ratios[rounds / 2], ratios[0],
               ratios[rounds - 1]);
    }
}
