/* SPDX-License-Identifier: Apache-2.0
 *
 * queues.h: an io_uring(7): its two queues, in memory that is shared with the kernel. Each index has one writer, and is
 * written with release and read with acquire.
 */
#ifndef PLX_QUEUES_H
#define PLX_QUEUES_H

#include "system/uring_abi.h"

#include <stddef.h>

typedef struct {
    int fd;
    char *rings;
    size_t rings_size;
    submission *submissions;
    uint32_t submission_count;
    uint32_t *sq_head, *sq_tail, *sq_flags, *cq_head, *cq_tail;
    uint32_t sq_mask, cq_mask;
    const completion *completions;
} plx_queues;

/* Opens a ring, as io_uring_setup(2) does: 0, or -code and nothing is open; -EOPNOTSUPP: the kernel is too old. */
int plx_queues_open(plx_queues *queues, uint32_t submissions, setup_params *params);
void plx_queues_close(plx_queues *queues);
/* Why there is no io_uring, by the code; `otherwise` if that says nothing of it. */
const char *plx_uring_reason(int error, const char *otherwise);

#endif
