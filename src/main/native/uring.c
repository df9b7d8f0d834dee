/* SPDX-License-Identifier: Apache-2.0
 *
 * uring.c: the transport over io_uring(7), Linux 6.1 and later. One io_uring_enter(2) for each turn hands over what is
 * to be sent, waits, and brings in what has come.
 *
 * - A connection is received from by one request that stays (multishot), into buffers of a ring that the kernel takes
 *   them from. A buffer goes back when the caller has seen its bytes; if a reply is sent from where it lies, after that.
 * - A send that never waits (MSG_DONTWAIT) has ended when the kernel has taken it, and only one that is short
 *   (MSG_WAITALL makes that a failure) or failed is reported (CQE_SKIP_SUCCESS): a batch of replies that all went out
 *   makes no completion. When the queue of completions has been read to its end, silence means success.
 * - What is left of a short send is sent by a request that waits. There is one at a time for a connection: two that wait
 *   would mix their bytes.
 * - Closing a descriptor does not end its requests, and no FIN is sent while one is there. So a receive is cancelled,
 *   and its last completion awaited.
 * - Completions are made only when this thread enters the kernel (DEFER_TASKRUN); the ring belongs to the thread that
 *   enables it, the first one that turns (R_DISABLED, SINGLE_ISSUER).
 * - A receive that finds no buffer ends (ENOBUFS), and is made again when the last batch's have been given back. When the
 *   queue of completions overflows, receives end, the kernel keeps what has no place, and the next enter has it.
 * - What arena.c asks for while completions are read is noted (`todo`) and submitted later: submitting may need to read
 *   completions itself.
 */
#include "transport.h"
#ifdef PLX_HAVE_URING
#include "connections.h"
#include "rawcall.h"
#include "sockets.h"
#include "uring_abi.h"
#include "waker.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

enum { SUBMISSIONS = 1024, MOST_TRIES = 1000, GROUP = 0 };

/* The upper eight bits of a request's user_data; below is the connection's name. */
enum { RECEIVE = 1, SEND, FLUSH, CANCEL, WAKE };

/* More flags of a connection: what is to be submitted for it. */
enum { NOTED = 1 << 20, TO_RECEIVE = 1 << 21, TO_CANCEL = 1 << 22, TO_FLUSH = 1 << 23 };

typedef struct {
    int fd;
    bool is_enabled;
    plx_waker waker;
    bool has_waker, polls_waker;
    void *rings;
    size_t rings_size;
    submission *submissions;
    uint32_t submission_count, unsubmitted;
    uint32_t *sq_tail, *sq_flags, *cq_head, *cq_tail;
    uint32_t sq_mask, cq_mask;
    const completion *completions;
    ring_buffer *buffers;
    uint16_t buffers_tail;
    uint16_t *held; /* ids of the buffers of this turn's arrivals */
    uint16_t *seen; /* and of the last one's, whose bytes the caller has seen */
    uint32_t held_count, seen_count;
    bool *is_pinned; /* by id: a reply is sent from it */
    uint32_t *todo;  /* connections with NOTED */
    uint32_t todo_count;
    uint32_t under_way; /* requests whose last completion is to come */
    struct msghdr *messages;
} uring;

static uring *uring_of(const plx_arena *arena)
{
    return arena->io;
}

/* ---- the rings ---- */

/* Gives the kernel what was submitted; waits for so many completions. The result of the call. */
static long enter(plx_arena *arena, uint32_t completions, int64_t ns)
{
    uring *io = uring_of(arena);
    enter_timeout timeout = { ns / 1000000000, ns % 1000000000 };
    enter_argument argument = { .timeout = ns > 0 ? (uintptr_t)&timeout : 0 };
    arena->counts.system_calls++;
    long result = plx_syscall(SYSCALL_ENTER, io->fd, io->unsubmitted, completions, ENTER_GETEVENTS | ENTER_EXT_ARG,
                              (long)&argument, sizeof argument);
    if (result > 0)
        io->unsubmitted -= (uint32_t)result;
    return result;
}

static void give_back(plx_arena *arena, uint16_t id)
{
    uring *io = uring_of(arena);
    ring_buffer *entry = &io->buffers[io->buffers_tail & (arena->sizes.buffers - 1)];
    entry->address = (uintptr_t)(arena->buffers + (size_t)id * arena->sizes.buffer_size);
    entry->length = arena->sizes.buffer_size;
    entry->id = id;
    io->buffers_tail++;
}

/* ---- completions ---- */

/* Notes what is to be submitted for a connection. */
static void note(plx_arena *arena, uint32_t i, uint32_t what)
{
    uring *io = uring_of(arena);
    plx_connection *c = &arena->connections[i];
    if (!(c->flags & NOTED))
        io->todo[io->todo_count++] = i;
    c->flags |= NOTED | what;
}

static void take_bytes(plx_arena *arena, uint32_t i, const completion *done)
{
    uring *io = uring_of(arena);
    uint16_t id = (uint16_t)(done->flags >> CQE_BUFFER_SHIFT);
    char *bytes = arena->buffers + (size_t)id * arena->sizes.buffer_size;
    if (i != PLX_NONE && done->result > 0 && plx_received(arena, i, bytes, (uint32_t)done->result))
        io->held[io->held_count++] = id;
    else
        give_back(arena, id);
}

static void receive_ended(plx_arena *arena, uint32_t i, int result)
{
    plx_connection *c = &arena->connections[i];
    bool goes_on = result > 0 || result == -ENOBUFS || ((c->flags & PLX_LISTENING) && result == 0);
    if ((c->flags & PLX_LISTENING) && plx_socket_accept_again(result))
        goes_on = true;
    arena->counts.starved += result == -ENOBUFS;
    if (c->flags & PLX_STOPPING && (goes_on || result == -ECANCELED))
        plx_stopped(arena, i);
    else if (goes_on || result == -EINTR || result == -ECANCELED)
        note(arena, i, TO_RECEIVE);
    else
        plx_ended(arena, i, -result);
}

static void received(plx_arena *arena, uint32_t i, const completion *done)
{
    uring *io = uring_of(arena);
    bool is_last = !(done->flags & CQE_MORE);
    bool accepts = i != PLX_NONE && (arena->connections[i].flags & PLX_LISTENING);
    io->under_way -= is_last;
    if (done->flags & CQE_BUFFER)
        take_bytes(arena, i, done);
    else if (accepts && done->result >= 0)
        plx_accepted(arena, i, done->result);
    if (i != PLX_NONE && is_last)
        receive_ended(arena, i, accepts && done->result > 0 ? 0 : done->result);
}

static void flushed(plx_arena *arena, uint32_t i, int result)
{
    uring_of(arena)->under_way--;
    if (i == PLX_NONE)
        return;
    if (result == -EINTR || result == -EAGAIN)
        result = 0;
    plx_flushed(arena, i, result > 0 ? (size_t)result : 0, result < 0 ? -result : 0);
}

static void wake_polled(plx_arena *arena, const completion *done)
{
    uring *io = uring_of(arena);
    if (!(done->flags & CQE_MORE)) {
        io->under_way--;
        io->polls_waker = false;
    }
    if (plx_waker_is_pipe(&io->waker))
        plx_waker_drain(&io->waker);
    plx_woken(arena);
}

static void handle(plx_arena *arena, const completion *done)
{
    uint32_t i = plx_find(arena, done->user_data & ~(uint64_t)0 >> 8);
    switch (done->user_data >> 56) {
    case RECEIVE:
        received(arena, i, done);
        break;
    case SEND:
        if (i != PLX_NONE)
            plx_sent_short(arena, i, done->result > 0 ? (size_t)done->result : 0,
                           done->result < 0 && !plx_socket_would_block(done->result) ? -done->result : 0);
        break;
    case FLUSH:
        flushed(arena, i, done->result);
        break;
    case CANCEL: /* it was too late, or too early */
        if (i != PLX_NONE && (arena->connections[i].flags & PLX_STOPPING) && done->result == -EALREADY)
            note(arena, i, TO_CANCEL);
        break;
    case WAKE:
        wake_polled(arena, done);
        break;
    default:
        break;
    }
}

/* Handles every completion there is, what had no place in the queue included. */
static void reap(plx_arena *arena)
{
    uring *io = uring_of(arena);
    for (;;) {
        uint32_t head = *io->cq_head, tail = __atomic_load_n(io->cq_tail, __ATOMIC_ACQUIRE);
        for (; head != tail; head++)
            handle(arena, &io->completions[head & io->cq_mask]);
        __atomic_store_n(io->cq_head, head, __ATOMIC_RELEASE);
        if (!(__atomic_load_n(io->sq_flags, __ATOMIC_RELAXED) & SQ_FLAG_OVERFLOW))
            break;
        arena->counts.overflows++;
        (void)enter(arena, 0, 0);
    }
}

/* ---- submissions ---- */

static bool is_passing(long code)
{
    return code == -EINTR || code == -EAGAIN || code == -EBUSY || code == -ENOMEM;
}

/* Gives the kernel all that was submitted, without waiting: 0 or -code. */
static int submit_all(plx_arena *arena)
{
    uring *io = uring_of(arena);
    for (int tries = 0; io->unsubmitted > 0; tries++) {
        long result = enter(arena, 0, 0);
        if (result < 0 && (!is_passing(result) || tries == MOST_TRIES))
            return (int)result;
        if (result < 0)
            reap(arena);
    }
    return 0;
}

/* The next entry, or NULL and *code. */
static submission *next_submission(plx_arena *arena, int *code)
{
    uring *io = uring_of(arena);
    *code = io->unsubmitted == io->submission_count ? submit_all(arena) : 0;
    if (*code < 0)
        return NULL;
    submission *entry = &io->submissions[*io->sq_tail & io->sq_mask];
    memset(entry, 0, sizeof *entry);
    return entry;
}

static void commit(uring *io)
{
    __atomic_store_n(io->sq_tail, *io->sq_tail + 1, __ATOMIC_RELEASE);
    io->unsubmitted++;
}

static uint64_t user_data(const plx_arena *arena, uint64_t request, uint32_t i)
{
    return request << 56 | plx_name_of(arena, i);
}

static int submit_receive(plx_arena *arena, uint32_t i)
{
    const plx_connection *c = &arena->connections[i];
    int code;
    submission *entry = next_submission(arena, &code);
    if (entry == NULL)
        return code;
    entry->fd = (int)c->descriptor;
    entry->user_data = user_data(arena, RECEIVE, i);
    if (c->flags & PLX_LISTENING) {
        entry->opcode = OP_ACCEPT;
        entry->ioprio = ACCEPT_MULTISHOT;
        entry->op_flags = SOCK_CLOEXEC;
    } else {
        entry->opcode = OP_RECV;
        entry->ioprio = RECV_MULTISHOT;
        entry->flags = SQE_BUFFER_SELECT;
        entry->buffer_group = GROUP;
    }
    commit(uring_of(arena));
    uring_of(arena)->under_way++;
    return 0;
}

static int submit_cancel(plx_arena *arena, uint32_t i)
{
    int code;
    submission *entry = next_submission(arena, &code);
    if (entry == NULL)
        return code;
    entry->opcode = OP_ASYNC_CANCEL;
    entry->flags = SQE_CQE_SKIP_SUCCESS;
    entry->address = user_data(arena, RECEIVE, i);
    entry->user_data = user_data(arena, CANCEL, i);
    commit(uring_of(arena));
    return 0;
}

static int submit_flush(plx_arena *arena, uint32_t i)
{
    const plx_connection *c = &arena->connections[i];
    int code;
    submission *entry = next_submission(arena, &code);
    if (entry == NULL)
        return code;
    entry->opcode = OP_SEND;
    entry->fd = (int)c->descriptor;
    entry->address = (uintptr_t)c->first->at;
    entry->length = c->first->left;
    entry->op_flags = MSG_NOSIGNAL | MSG_WAITALL;
    entry->user_data = user_data(arena, FLUSH, i);
    commit(uring_of(arena));
    uring_of(arena)->under_way++;
    return 0;
}

static int submit_wake_poll(plx_arena *arena)
{
    uring *io = uring_of(arena);
    int code;
    submission *entry = next_submission(arena, &code);
    if (entry == NULL)
        return code;
    entry->opcode = OP_POLL_ADD;
    entry->fd = io->waker.read_fd;
    entry->length = POLL_MULTISHOT;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    entry->op_flags = (uint32_t)POLLIN << 16; /* two halves, the other way round */
#else
    entry->op_flags = POLLIN;
#endif
    entry->user_data = (uint64_t)WAKE << 56;
    commit(io);
    io->under_way++;
    io->polls_waker = true;
    return 0;
}

static int submit_noted(plx_arena *arena)
{
    uring *io = uring_of(arena);
    int code = io->polls_waker ? 0 : submit_wake_poll(arena);
    uint32_t done = 0;
    for (; done < io->todo_count && code == 0; done++) {
        uint32_t i = io->todo[done];
        plx_connection *c = &arena->connections[i];
        uint32_t what = c->flags;
        if (!(what & NOTED))
            continue; /* it has ended */
        c->flags &= ~(uint32_t)(NOTED | TO_RECEIVE | TO_CANCEL | TO_FLUSH);
        if (what & TO_RECEIVE)
            code = submit_receive(arena, i);
        if (code == 0 && (what & TO_CANCEL))
            code = submit_cancel(arena, i);
        if (code == 0 && (what & TO_FLUSH))
            code = submit_flush(arena, i);
    }
    io->todo_count -= done;
    memmove(io->todo, io->todo + done, io->todo_count * sizeof *io->todo);
    return code;
}

/* The buffers that a reply is sent from stay until it is sent. */
static void pin(plx_arena *arena, const plx_slice *slice)
{
    uring *io = uring_of(arena);
    uintptr_t from = (uintptr_t)slice->at - (uintptr_t)arena->buffers, to = from + slice->length;
    uint32_t size = arena->sizes.buffer_size;
    if ((uintptr_t)slice->at < (uintptr_t)arena->buffers || from >= (uintptr_t)arena->sizes.buffers * size)
        return;
    for (uintptr_t id = from / size; id < arena->sizes.buffers && id * size < to; id++)
        io->is_pinned[id] = true;
}

static int submit_send(plx_arena *arena, uint32_t s)
{
    const plx_send *send = &arena->sends[s];
    uring *io = uring_of(arena);
    plx_slice *slices = &arena->slices[send->first];
    size_t bytes;
    int code;
    uint32_t count = plx_slices_of(arena, send, &bytes);
    submission *entry = next_submission(arena, &code);
    if (entry == NULL)
        return code;
    for (uint32_t k = 0; k < count; k++)
        pin(arena, &slices[k]);
    entry->fd = (int)arena->connections[send->connection].descriptor;
    entry->flags = SQE_CQE_SKIP_SUCCESS;
    entry->op_flags = MSG_NOSIGNAL | MSG_DONTWAIT | MSG_WAITALL;
    entry->user_data = user_data(arena, SEND, send->connection);
    if (count == 1) {
        entry->opcode = OP_SEND;
        entry->address = (uintptr_t)slices->at;
        entry->length = (uint32_t)slices->length;
    } else {
        io->messages[s] = (struct msghdr){ .msg_iov = (void *)slices, .msg_iovlen = count };
        entry->opcode = OP_SENDMSG;
        entry->address = (uintptr_t)&io->messages[s];
        entry->length = 1;
    }
    commit(io);
    return 0;
}

/* ---- a turn ---- */

/* The last turn's arrivals have been seen. */
static void turn_buffers(uring *io)
{
    uint16_t *empty = io->seen;
    io->seen = io->held;
    io->seen_count = io->held_count;
    io->held = empty;
    io->held_count = 0;
}

/* Gives the kernel what the caller has seen; what a reply is sent from only after that, if `all`. */
static void give_back_seen(plx_arena *arena, bool all)
{
    uring *io = uring_of(arena);
    uint32_t left = 0;
    for (uint32_t k = 0; k < io->seen_count; k++) {
        uint16_t id = io->seen[k];
        if (io->is_pinned[id] && !all) {
            io->seen[left++] = id;
        } else {
            io->is_pinned[id] = false;
            give_back(arena, id);
        }
    }
    io->seen_count = left;
    __atomic_store_n(&io->buffers[0].tail, io->buffers_tail, __ATOMIC_RELEASE);
}

static int enable(plx_arena *arena)
{
    uring *io = uring_of(arena);
    int code = io->is_enabled ? 0 : (int)plx_syscall(SYSCALL_REGISTER, io->fd, REGISTER_ENABLE_RINGS, 0, 0, 0, 0);
    io->is_enabled = code == 0;
    return code;
}

/* The ring takes nothing any more: what was to be sent is not. */
static int fail_sends(plx_arena *arena, int code)
{
    uring *io = uring_of(arena);
    __atomic_store_n(io->sq_tail, *io->sq_tail - io->unsubmitted, __ATOMIC_RELEASE);
    io->unsubmitted = 0;
    for (uint32_t s = 0; s < arena->send_count; s++)
        plx_sent_short(arena, arena->sends[s].connection, 0, -code);
    return code;
}

static int submit_sends(plx_arena *arena)
{
    int code = 0;
    turn_buffers(uring_of(arena));
    for (uint32_t s = 0; s < arena->send_count && code == 0; s++)
        code = submit_send(arena, s);
    give_back_seen(arena, false);
    return code;
}

/* Where replies are sent from most of the buffers: sends them, so that there are buffers to wait with. */
static int spare_buffers(plx_arena *arena)
{
    if (uring_of(arena)->seen_count <= arena->sizes.buffers / 2)
        return 0;
    int code = submit_all(arena);
    if (code == 0) {
        reap(arena);
        give_back_seen(arena, true);
    }
    return code;
}

static int uring_turn(plx_arena *arena, int64_t ns)
{
    uring *io = uring_of(arena);
    int code = enable(arena);
    if (code == 0)
        code = submit_sends(arena);
    if (code == 0 && ns != 0)
        code = spare_buffers(arena);
    if (code == 0)
        code = submit_noted(arena);
    if (code < 0)
        return fail_sends(arena, code);
    bool waits = ns != 0 && arena->arrived == 0;
    long result = enter(arena, waits, waits ? ns : 0);
    reap(arena);
    if (io->unsubmitted > 0 && (code = submit_all(arena)) < 0)
        return fail_sends(arena, code);
    reap(arena);
    give_back_seen(arena, true);
    return result < 0 && result != -ETIME && !(result == -EAGAIN || result == -EBUSY) ? (int)result : 0;
}

/* ---- what arena.c asks for ---- */

/* io_uring uses the descriptor's mode to tell whether it may wait for it. */
static int uring_adopt(plx_arena *arena, uint32_t i)
{
    return plx_socket_set_blocking(arena->connections[i].descriptor, true);
}

static int uring_receive(plx_arena *arena, uint32_t i)
{
    note(arena, i, TO_RECEIVE);
    return 0;
}

static void uring_stop(plx_arena *arena, uint32_t i)
{
    plx_connection *c = &arena->connections[i];
    if (c->flags & TO_RECEIVE) {
        c->flags &= ~(uint32_t)TO_RECEIVE;
        plx_stopped(arena, i);
    } else {
        note(arena, i, TO_CANCEL);
    }
}

static int uring_flush(plx_arena *arena, uint32_t i)
{
    note(arena, i, TO_FLUSH);
    return 0;
}

static void uring_forget(plx_arena *arena, uint32_t i)
{
    (void)arena;
    (void)i;
}

static int uring_wakeup(plx_arena *arena)
{
    return plx_waker_signal(&uring_of(arena)->waker);
}

static const char *uring_name(const plx_arena *arena)
{
    (void)arena;
    return "io_uring";
}

/* ---- opening and closing ---- */

/* kernel.io_uring_disabled, 0 if there is no such setting. */
static int disabled_setting(void)
{
    char digit = '0';
    int fd = open("/proc/sys/kernel/io_uring_disabled", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    if (read(fd, &digit, 1) != 1)
        digit = '0';
    close(fd);
    return digit - '0';
}

/* Says why there is no io_uring. */
static int explain(plx_arena *arena, int code)
{
    char reason[128];
    const char *why = plx_strerror(-code, reason, sizeof reason);
    if (code == -ENOSYS)
        why = "the kernel has none, or a sandbox hides it (ENOSYS)";
    else if (code == -EOPNOTSUPP)
        why = "this kernel's is older than Linux 6.1";
    else if (code == -EPERM && disabled_setting() == 2)
        why = "kernel.io_uring_disabled is 2 (EPERM)";
    else if (code == -EPERM && disabled_setting() == 1)
        why = "kernel.io_uring_disabled is 1 and this process is not of kernel.io_uring_group (EPERM)";
    else if (code == -EPERM)
        why = "a sandbox refuses it (EPERM)";
    snprintf(arena->features, sizeof arena->features, "%s", why);
    return code;
}

static void *map(size_t size, int fd, int64_t offset)
{
    int shared = fd >= 0 ? MAP_SHARED | MAP_POPULATE : MAP_PRIVATE | MAP_ANONYMOUS;
    return mmap(NULL, size, PROT_READ | PROT_WRITE, shared, fd, (off_t)offset);
}

static size_t buffers_size(const plx_arena *arena)
{
    return arena->sizes.buffers * sizeof(ring_buffer);
}

/* Maps the rings: 0 or -errno. */
static int map_rings(uring *io, const setup_params *p)
{
    size_t sq_size = p->sq.array + p->sq_entries * sizeof(uint32_t);
    size_t cq_size = p->cq.cqes + p->cq_entries * sizeof(completion);
    io->rings_size = sq_size > cq_size ? sq_size : cq_size;
    char *rings = map(io->rings_size, io->fd, OFFSET_RINGS);
    if (rings == MAP_FAILED)
        return -errno;
    io->rings = rings;
    void *submissions = map(p->sq_entries * sizeof(submission), io->fd, OFFSET_SQES);
    if (submissions == MAP_FAILED)
        return -errno;
    io->submissions = submissions;
    io->submission_count = p->sq_entries;
    io->sq_tail = (void *)(rings + p->sq.tail);
    io->sq_flags = (void *)(rings + p->sq.flags);
    io->sq_mask = p->sq_entries - 1;
    uint32_t *array = (void *)(rings + p->sq.array);
    for (uint32_t k = 0; k < p->sq_entries; k++)
        array[k] = k;
    io->cq_head = (void *)(rings + p->cq.head);
    io->cq_tail = (void *)(rings + p->cq.tail);
    io->cq_mask = p->cq_entries - 1;
    io->completions = (void *)(rings + p->cq.cqes);
    return 0;
}

static int register_buffers(plx_arena *arena)
{
    uring *io = uring_of(arena);
    void *buffers = map(buffers_size(arena), -1, 0);
    if (buffers == MAP_FAILED)
        return -errno;
    io->buffers = buffers;
    buffer_ring_registration registration = { .address = (uintptr_t)buffers, .entries = arena->sizes.buffers,
                                              .group = GROUP };
    long code = plx_syscall(SYSCALL_REGISTER, io->fd, REGISTER_PBUF_RING, (long)&registration, 1, 0, 0);
    if (code < 0)
        return (int)code;
    for (uint32_t id = 0; id < arena->sizes.buffers; id++)
        give_back(arena, (uint16_t)id);
    __atomic_store_n(&io->buffers[0].tail, io->buffers_tail, __ATOMIC_RELEASE);
    return 0;
}

static int make_tables(plx_arena *arena)
{
    uring *io = uring_of(arena);
    uint32_t buffers = arena->sizes.buffers, connections = arena->sizes.connections;
    io->held = calloc(buffers, sizeof *io->held);
    io->seen = calloc(buffers, sizeof *io->seen);
    io->is_pinned = calloc(buffers, sizeof *io->is_pinned);
    io->todo = calloc(4 * (size_t)connections, sizeof *io->todo);
    io->messages = calloc(connections, sizeof *io->messages);
    return io->held != NULL && io->seen != NULL && io->is_pinned != NULL && io->todo != NULL && io->messages != NULL
               ? 0
               : -ENOMEM;
}

/* A sandbox may let a ring be set up, and refuse to use it: a ring that is not enabled says EBADFD. */
static int check_enter(const uring *io)
{
    long code = plx_syscall(SYSCALL_ENTER, io->fd, 0, 0, 0, 0, 0);
    return code == -EBADFD || code >= 0 ? 0 : (int)code;
}

static int set_up(plx_arena *arena)
{
    uring *io = uring_of(arena);
    uint32_t completions = arena->sizes.completions;
    setup_params params = { .cq_entries = completions,
                            .flags = SETUP_CQSIZE | SETUP_R_DISABLED | SETUP_SUBMIT_ALL | SETUP_SINGLE_ISSUER |
                                     SETUP_DEFER_TASKRUN };
    uint32_t submissions = completions < SUBMISSIONS ? completions : SUBMISSIONS;
    io->fd = (int)plx_syscall(SYSCALL_SETUP, submissions, (long)&params, 0, 0, 0, 0);
    if (io->fd < 0)
        return io->fd == -EINVAL ? -EOPNOTSUPP : io->fd;
    int code = check_enter(io);
    if (code == 0)
        code = map_rings(io, &params);
    if (code == 0)
        code = register_buffers(arena);
    if (code == 0)
        code = plx_waker_open(&io->waker);
    io->has_waker = code == 0;
    return code == 0 ? make_tables(arena) : code;
}

static void free_ring(plx_arena *arena)
{
    uring *io = uring_of(arena);
    if (io->fd >= 0)
        close(io->fd);
    if (io->has_waker)
        plx_waker_close(&io->waker);
    if (io->submissions != NULL)
        munmap(io->submissions, io->submission_count * sizeof(submission));
    if (io->rings != NULL)
        munmap(io->rings, io->rings_size);
    if (io->buffers != NULL)
        munmap(io->buffers, buffers_size(arena));
    free(io->messages);
    free(io->todo);
    free(io->is_pinned);
    free(io->seen);
    free(io->held);
    free(io);
}

static int uring_open(plx_arena *arena, const char *name)
{
    (void)name;
    uring *io = calloc(1, sizeof *io);
    if (io == NULL)
        return -ENOMEM;
    arena->io = io;
    plx_syscall_setup();
    int code = set_up(arena);
    if (code < 0) {
        free_ring(arena);
        return explain(arena, code);
    }
    snprintf(arena->features, sizeof arena->features, "io_uring: multishot receives, %u buffers of %u bytes, %s",
             arena->sizes.buffers, arena->sizes.buffer_size, plx_waker_is_pipe(&io->waker) ? "pipe" : "eventfd");
    return 0;
}

/* Ends every request, so that descriptors are closed when they are closed. */
static void cancel_all(plx_arena *arena)
{
    uring *io = uring_of(arena);
    int code;
    submission *entry = next_submission(arena, &code);
    if (entry == NULL)
        return;
    entry->opcode = OP_ASYNC_CANCEL;
    entry->flags = SQE_CQE_SKIP_SUCCESS;
    entry->op_flags = CANCEL_ANY | CANCEL_ALL;
    commit(io);
    for (int tries = 0; io->under_way > 0 && tries < MOST_TRIES; tries++) {
        long result = enter(arena, 1, 1000000);
        if (result < 0 && !is_passing(result) && result != -ETIME)
            return;
        uint32_t head = *io->cq_head, tail = __atomic_load_n(io->cq_tail, __ATOMIC_ACQUIRE);
        for (; head != tail; head++) {
            const completion *done = &io->completions[head & io->cq_mask];
            uint64_t request = done->user_data >> 56;
            if (request == RECEIVE && !(done->flags & CQE_BUFFER) && done->result > 0)
                close(done->result); /* it was accepted just now */
            if ((request == RECEIVE || request == FLUSH || request == WAKE) && !(done->flags & CQE_MORE))
                io->under_way--;
        }
        __atomic_store_n(io->cq_head, head, __ATOMIC_RELEASE);
    }
}

static void uring_close(plx_arena *arena)
{
    if (uring_of(arena)->is_enabled)
        cancel_all(arena);
    free_ring(arena);
}

const plx_transport plx_uring = {
    .open = uring_open,
    .name = uring_name,
    .adopt = uring_adopt,
    .receive = uring_receive,
    .stop = uring_stop,
    .flush = uring_flush,
    .forget = uring_forget,
    .turn = uring_turn,
    .wakeup = uring_wakeup,
    .close = uring_close,
};
#endif
