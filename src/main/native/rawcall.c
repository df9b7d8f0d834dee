/* SPDX-License-Identifier: Apache-2.0
 *
 * rawcall.c: finds out, once, whether the kernel spoils the processor's return stack. Files in sysfs: see
 * Documentation/ABI/testing/sysfs-devices-system-cpu.
 */
#include <stddef.h> /* elsewhere this file would be empty, which C does not allow */
#ifdef __linux__
#include "rawcall.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>

bool plx_returns_spoilt;

/* Where the file is missing the kernel is older than the mitigation, or hidden: then nothing is done about it. */
static void look(void)
{
    char text[128] = "";
    int fd = open("/sys/devices/system/cpu/vulnerabilities/spec_rstack_overflow", O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        if (read(fd, text, sizeof text - 1) > 0)
            plx_returns_spoilt = strstr(text, "Safe RET") != NULL;
        close(fd);
    }
}

void plx_syscall_setup(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    int saved = errno;
    pthread_once(&once, look);
    errno = saved;
}
#endif
