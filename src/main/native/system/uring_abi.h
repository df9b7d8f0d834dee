/* SPDX-License-Identifier: Apache-2.0
 *
 * uring_abi.h: the part of the kernel's interface io_uring(7) that is used here, as Linux 6.1 has it. On the systems
 * that this is built on <linux/io_uring.h> is older, or missing; the numbers are the same on every architecture.
 */
#ifndef PLX_URING_ABI_H
#define PLX_URING_ABI_H

#include <stdint.h>

enum { SYSCALL_SETUP = 425, SYSCALL_ENTER = 426, SYSCALL_REGISTER = 427 };

/* io_uring_setup(2) */
enum {
    SETUP_CQSIZE = 1 << 3,
    SETUP_R_DISABLED = 1 << 6,
    SETUP_SUBMIT_ALL = 1 << 7,
    SETUP_SINGLE_ISSUER = 1 << 12,
    SETUP_DEFER_TASKRUN = 1 << 13
};

typedef struct {
    uint32_t head, tail, ring_mask, ring_entries, flags, dropped, array, reserved;
    uint64_t user_address;
} sq_offsets;

typedef struct {
    uint32_t head, tail, ring_mask, ring_entries, overflow, cqes, flags, reserved;
    uint64_t user_address;
} cq_offsets;

typedef struct {
    uint32_t sq_entries, cq_entries, flags, sq_thread_cpu, sq_thread_idle, features, wq_fd, reserved[3];
    sq_offsets sq;
    cq_offsets cq;
} setup_params;

static const int64_t OFFSET_RINGS = 0, OFFSET_SQES = 0x10000000;
enum { SQ_FLAG_OVERFLOW = 1 << 1 };

/* Submission. */
enum { OP_NOP = 0, OP_POLL_ADD = 6, OP_SENDMSG = 9, OP_ACCEPT = 13, OP_ASYNC_CANCEL = 14, OP_SEND = 26, OP_RECV = 27 };
enum { SQE_BUFFER_SELECT = 1 << 5, SQE_CQE_SKIP_SUCCESS = 1 << 6 };
enum { ACCEPT_MULTISHOT = 1 << 0, RECV_MULTISHOT = 1 << 1, POLL_MULTISHOT = 1 << 0 };
enum { CANCEL_ALL = 1 << 0, CANCEL_ANY = 1 << 2 };

typedef struct {
    uint8_t opcode, flags;
    uint16_t ioprio;
    int32_t fd;
    uint64_t offset, address;
    uint32_t length, op_flags;
    uint64_t user_data;
    uint16_t buffer_group, personality;
    int32_t file_index;
    uint64_t address3, reserved;
} submission;

/* Completion. */
enum { CQE_BUFFER = 1 << 0, CQE_MORE = 1 << 1, CQE_BUFFER_SHIFT = 16 };

typedef struct {
    uint64_t user_data;
    int32_t result;
    uint32_t flags;
} completion;

/* io_uring_enter(2) */
enum { ENTER_GETEVENTS = 1 << 0, ENTER_EXT_ARG = 1 << 3 };

typedef struct {
    uint64_t signals;
    uint32_t signals_size, reserved;
    uint64_t timeout;
} enter_argument;

/* io_uring_register(2) */
enum { REGISTER_ENABLE_RINGS = 12, REGISTER_PBUF_RING = 22 };

typedef struct {
    uint64_t address;
    uint32_t entries;
    uint16_t group, flags;
    uint64_t reserved[3];
} buffer_ring_registration;

typedef struct {
    uint64_t address;
    uint32_t length;
    uint16_t id;
    uint16_t tail; /* of the ring, in its first entry alone */
} ring_buffer;

_Static_assert(sizeof(setup_params) == 120 && sizeof(submission) == 64 && sizeof(completion) == 16 &&
                   sizeof(enter_argument) == 24 && sizeof(buffer_ring_registration) == 40 && sizeof(ring_buffer) == 16,
               "as the kernel has them");

#endif
