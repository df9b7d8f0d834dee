/* SPDX-License-Identifier: Apache-2.0
 *
 * main.c: runs every suite of arena.h on io_uring and on every mechanism of this build, kqueue's for each family of
 * kernels; and once more where a sandbox refuses io_uring, or eventfd2(2). Each group runs on a thread of its own,
 * because a seccomp filter cannot be taken back.
 */
#include "rig.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/event.h>
#include <sys/resource.h>
#include <unistd.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

enum { SYSCALL_IO_URING_SETUP = 425 };

typedef struct {
    const char *title, *mechanism;
    int uring_error, eventfd_error; /* 0: the system call is left alone */
    const kqueue_family *family;
} variant;

typedef struct {
    const arena_test *test;
    rig rig;
} job;

static const arena_suite *const suites[] = { &opening_suite, &connection_suite, &data_suite,  &sending_suite,
                                             &turn_suite,    &exhaustion_suite, &fault_suite, &random_suite,
                                             &waiting_suite, &duplex_suite,     &connecting_suite };
static int started, passed, skipped;
static const char *only = "";

void skip_this(const char *reason)
{
    printf("%s\n", reason);
    skipped++;
    skip();
}

static void assert_same(const descriptors *before)
{
    descriptors after;
    list_descriptors(&after);
    for (int fd = 0; fd < (int)sizeof after.bits * 8; fd++)
        if (has_descriptor(before, fd) != has_descriptor(&after, fd))
            fail_msg("descriptor %d %s", fd, has_descriptor(before, fd) ? "was closed" : "was left open");
}

static void run_job(void **state)
{
    job *j = *state;
    descriptors before;
    started++;
    list_descriptors(&before);
    j->test->body(&j->rig);
    rig_close(&j->rig);
    assert_same(&before);
    passed++;
}

static int close_rig(void **state)
{
    rig_close(&((job *)*state)->rig);
    return 0;
}

static bool concerns(const arena_test *test, const variant *v)
{
    if (strstr(test->name, only) == NULL)
        return false;
    return test->only == NULL || (v->mechanism != NULL && strcmp(test->only, v->mechanism) == 0);
}

static void *run_variant(void *argument)
{
    const variant *v = argument;
    struct CMUnitTest tests[256];
    job *jobs = calloc(256, sizeof *jobs);
    size_t n = 0;
    if ((v->uring_error != 0 && !deny_here(SYSCALL_IO_URING_SETUP, v->uring_error)) ||
        (v->eventfd_error != 0 && !deny_eventfd_here(v->eventfd_error))) {
        fprintf(stderr, "seccomp(2) is not available: cannot take system calls away\n");
        started++;
        free(jobs);
        return NULL;
    }
    if (v->family != NULL)
        kqueue_emulation_be(v->family);
    for (size_t s = 0; s < sizeof suites / sizeof *suites; s++) {
        for (size_t t = 0; t < suites[s]->count && n < 256; t++) {
            if (!concerns(&suites[s]->tests[t], v))
                continue;
            jobs[n] = (job){ .test = &suites[s]->tests[t], .rig.mechanism = v->mechanism };
            tests[n] = (struct CMUnitTest){ jobs[n].test->name, run_job, NULL, close_rig, &jobs[n] };
            n++;
        }
    }
    if (n > 0)
        _cmocka_run_group_tests(v->title, tests, n, NULL, NULL);
    free(jobs);
    return NULL;
}

static void run(variant v)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, run_variant, &v) != 0 || pthread_join(thread, NULL) != 0)
        abort();
}

static bool has_uring(void)
{
    plx_arena *arena;
    int code = plx_arena_open("io_uring", NULL, &arena);
    plx_arena_close(arena);
    return code == 0;
}

static void check_memory(void)
{
#ifdef __SANITIZE_ADDRESS__
    if (*only == 0) {
        started++;
        passed += __lsan_do_recoverable_leak_check() == 0;
    }
#endif
}

int main(int argc, char **argv)
{
    struct rlimit files;
    char names[256];
    char *rest = names;
    if (argc > 1)
        only = argv[1];
    alarm(600); /* a test that hangs is a failure too */
    setvbuf(stdout, NULL, _IOLBF, 0);
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max < 20000 ? files.rlim_max : 20000;
    setrlimit(RLIMIT_NOFILE, &files);
    if (has_uring()) {
        run((variant){ .title = "io_uring", .mechanism = "io_uring" });
        run((variant){ .title = "io_uring without eventfd2", .mechanism = "io_uring", .eventfd_error = EPERM });
    } else {
        printf("no io_uring here\n");
        skipped++, started++;
    }
    run((variant){ .title = "no io_uring (ENOSYS)", .uring_error = ENOSYS });
    run((variant){ .title = "no io_uring (EPERM)", .uring_error = EPERM });
    snprintf(names, sizeof names, "%s", plx_mechanisms());
    for (char *name; (name = strtok_r(rest, ",", &rest)) != NULL;) {
        char title[64];
        if (strcmp(name, "kqueue") != 0) {
            run((variant){ .title = name, .mechanism = name });
            continue;
        }
        for (const kqueue_family *family = kqueue_families; family->name != NULL; family++) {
            snprintf(title, sizeof title, "kqueue of %s", family->name);
            run((variant){ .title = title, .mechanism = name, .family = family });
        }
    }
    check_memory();
    printf("%d passed, %d failed, %d skipped\n", passed, started - passed - skipped, skipped);
    fflush(NULL);
    _Exit(started > 0 && passed + skipped == started ? 0 : 1); /* a second look for leaks would follow the last line */
}
