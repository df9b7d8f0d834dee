/* SPDX-License-Identifier: Apache-2.0
 *
 * queues.c: see io_uring_setup(2).
 */
#include "system/queues.h"
#ifdef __linux__
#include "system/rawcall.h"

#include <stdio.h>
#include <sys/mman.h>

static void *map(const plx_queues *q, size_t size, int64_t offset)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, q->fd, (off_t)offset);
    return memory == MAP_FAILED ? NULL : memory;
}

static int map_queues(plx_queues *q, const setup_params *p)
{
    size_t sq_size = p->sq.array + p->sq_entries * sizeof(uint32_t);
    size_t cq_size = p->cq.cqes + p->cq_entries * sizeof(completion);
    q->rings_size = sq_size > cq_size ? sq_size : cq_size;
    q->submission_count = p->sq_entries;
    q->rings = map(q, q->rings_size, OFFSET_RINGS);
    q->submissions = q->rings == NULL ? NULL : map(q, p->sq_entries * sizeof(submission), OFFSET_SQES);
    if (q->submissions == NULL)
        return -errno;
    q->sq_head = (void *)(q->rings + p->sq.head);
    q->sq_tail = (void *)(q->rings + p->sq.tail);
    q->sq_flags = (void *)(q->rings + p->sq.flags);
    q->sq_mask = p->sq_entries - 1;
    q->cq_head = (void *)(q->rings + p->cq.head);
    q->cq_tail = (void *)(q->rings + p->cq.tail);
    q->cq_mask = p->cq_entries - 1;
    q->completions = (void *)(q->rings + p->cq.cqes);
    uint32_t *array = (void *)(q->rings + p->sq.array);
    for (uint32_t k = 0; k < p->sq_entries; k++)
        array[k] = k;
    return 0;
}

int plx_queues_open(plx_queues *q, uint32_t submissions, setup_params *params)
{
    *q = (plx_queues){ .fd = (int)plx_syscall(SYSCALL_SETUP, submissions, (long)params, 0, 0, 0, 0) };
    if (q->fd < 0)
        return q->fd == -EINVAL ? -EOPNOTSUPP : q->fd;
    int code = map_queues(q, params);
    if (code < 0)
        plx_queues_close(q);
    return code;
}

void plx_queues_close(plx_queues *q)
{
    if (q->fd >= 0)
        close(q->fd);
    if (q->submissions != NULL)
        munmap(q->submissions, q->submission_count * sizeof(submission));
    if (q->rings != NULL)
        munmap(q->rings, q->rings_size);
    *q = (plx_queues){ .fd = -1 };
}

/* kernel.io_uring_disabled, 0 if there is no such setting. */
static int disabled_setting(void)
{
    FILE *file = fopen("/proc/sys/kernel/io_uring_disabled", "re");
    int setting = 0;
    if (file == NULL)
        return 0;
    if (fscanf(file, "%d", &setting) != 1)
        setting = 0;
    fclose(file);
    return setting;
}

const char *plx_uring_reason(int error, const char *otherwise)
{
    if (error == ENOSYS)
        return "the kernel has none, or a sandbox hides it (ENOSYS)";
    if (error == EOPNOTSUPP)
        return "this kernel's is older than Linux 6.1";
    if (error != EPERM)
        return otherwise;
    switch (disabled_setting()) {
    case 2:
        return "kernel.io_uring_disabled is 2 (EPERM)";
    case 1:
        return "kernel.io_uring_disabled is 1 and this process is not of kernel.io_uring_group (EPERM)";
    default:
        return "a sandbox refuses it (EPERM)";
    }
}
#endif
