/* SPDX-License-Identifier: Apache-2.0
 *
 * sys/resource.h: see solaris/README.md
 */
#define RLIMIT_NOFILE 5

typedef unsigned long rlim_t;
struct rlimit {
    rlim_t rlim_cur, rlim_max;
};

int getrlimit(int resource, struct rlimit *limit);
