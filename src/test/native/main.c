/* SPDX-License-Identifier: Apache-2.0
 *
 * main.c: runs every suite for every mechanism of this build, and the tests of the library itself once. epoll's run
 * again without epoll_pwait2(2), and epoll's and poll's without eventfd2(2), as an old kernel (ENOSYS) and a sandbox
 * (EPERM) have it; kqueue's run for each family of kernels. Each group runs on a thread of its own, because a seccomp
 * filter cannot be taken back.
 */
#include "support.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/event.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

typedef struct {
    const char *mechanism;           /* NULL: no set */
    int pwait2_error, eventfd_error; /* 0: the system call is left alone */
    const kqueue_family *family;     /* NULL: no kqueue */
} variant;

typedef struct {
    const char *mechanism;
    const plx_test *test;
    plx_set *set;
} job;

static const plx_suite *const per_mechanism[] = { &open_suite,       &change_suite,  &cookie_suite, &refusal_suite,
                                                  &event_suite,      &difference_suite, &timeout_suite,
                                                  &wakeup_suite,     &capacity_suite, &model_suite };
static const plx_suite *const per_family[] = { &kqueue_emulation_suite, &kqueue_suite };
static const plx_suite *const once[] = { &library_suite,           &out_of_band_suite,     &progress_suite,
                                         &rawcall_suite,           &strerror_suite,        &devpoll_emulation_suite,
                                         &devpoll_sharing_suite,   &devpoll_suite,         &pin_suite };
static int started, passed, skipped;
static const char *only = "";

static void assert_same(const descriptors *before)
{
    descriptors after;
    list_descriptors(&after);
    for (int fd = 0; fd < (int)sizeof after.bits * 8; fd++)
        if (has_descriptor(before, fd) != has_descriptor(&after, fd))
            fail_msg("descriptor %d %s", fd, has_descriptor(before, fd) ? "was closed" : "was left open");
}

void skip_this(const char *reason)
{
    printf("%s\n", reason);
    skipped++;
    skip();
}

static void run_job(void **state)
{
    job *j = *state;
    descriptors before;
    started++;
    list_descriptors(&before);
    if (j->mechanism != NULL) {
        assert_int_equal(plx_open(j->mechanism, &j->set), 0);
        if ((plx_caps(j->set) & j->test->needs) != j->test->needs)
            skip_this("it has no such capability");
    }
    j->test->body(j->set);
    plx_close(j->set);
    j->set = NULL;
    assert_same(&before);
    passed++;
}

/* What a failed test, whose body did not come to its end, has left. */
static int close_set(void **state)
{
    job *j = *state;
    plx_close(j->set);
    j->set = NULL;
    return 0;
}

static bool restrict_here(const variant *v)
{
    return (v->pwait2_error == 0 || deny_here(SYS_epoll_pwait2, v->pwait2_error)) &&
           (v->eventfd_error == 0 || deny_eventfd_here(v->eventfd_error));
}

static void *run_variant(void *argument)
{
    const variant *v = argument;
    const plx_suite *const *suites = v->mechanism != NULL ? per_mechanism : v->family != NULL ? per_family : once;
    size_t count = v->mechanism != NULL ? sizeof per_mechanism / sizeof *per_mechanism
                   : v->family != NULL  ? sizeof per_family / sizeof *per_family
                                        : sizeof once / sizeof *once;
    struct CMUnitTest *tests = NULL;
    job *jobs = NULL;
    size_t n = 0;
    char title[64];
    if (!restrict_here(v)) {
        fprintf(stderr, "seccomp(2) is not available: cannot take system calls away\n");
        started++;
        return NULL;
    }
    for (size_t s = 0; s < count; s++) {
        tests = realloc(tests, (n + suites[s]->count) * sizeof *tests);
        jobs = realloc(jobs, (n + suites[s]->count) * sizeof *jobs);
        for (size_t t = 0; t < suites[s]->count; t++)
            if (strstr(suites[s]->tests[t].name, only) != NULL)
                jobs[n++] = (job){ v->mechanism, &suites[s]->tests[t], NULL };
    }
    for (size_t i = 0; i < n; i++)
        tests[i] = (struct CMUnitTest){ jobs[i].test->name, run_job, NULL, close_set, &jobs[i] };
    if (v->family != NULL)
        kqueue_emulation_be(v->family);
    snprintf(title, sizeof title, "%s%s%s%s", v->mechanism != NULL ? v->mechanism : "the library",
             v->pwait2_error != 0    ? " without epoll_pwait2"
             : v->eventfd_error != 0 ? " without eventfd2"
             : v->family != NULL     ? " on a kqueue of "
                                     : "",
             v->pwait2_error == ENOSYS || v->eventfd_error == ENOSYS ? " (ENOSYS)"
             : v->pwait2_error == EPERM || v->eventfd_error == EPERM ? " (EPERM)"
                                                                     : "",
             v->family != NULL ? v->family->name : "");
    if (n > 0)
        _cmocka_run_group_tests(title, tests, n, NULL, NULL);
    free(tests);
    free(jobs);
    return NULL;
}

static void run(variant v)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, run_variant, &v) != 0 || pthread_join(thread, NULL) != 0)
        abort();
}

/* Leaked memory is a failed test, and is told before the last line. */
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
    const char *mechanism = argc > 2 ? argv[2] : ""; /* that alone, and the library itself */
    alarm(600); /* a test that hangs is a failure too */
    setvbuf(stdout, NULL, _IOLBF, 0);
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max < 20000 ? files.rlim_max : 20000;
    setrlimit(RLIMIT_NOFILE, &files);
    run((variant){ .mechanism = NULL });
    snprintf(names, sizeof names, "%s", plx_mechanisms());
    for (char *name; (name = strtok_r(rest, ",", &rest)) != NULL;) {
        bool is_epoll = strcmp(name, "epoll") == 0;
        if (*mechanism != 0 && strcmp(name, mechanism) != 0)
            continue;
        if (strcmp(name, "kqueue") == 0) {
            for (const kqueue_family *family = kqueue_families; family->name != NULL; family++) {
                run((variant){ .family = family });
                run((variant){ .mechanism = name, .family = family });
            }
            continue;
        }
        run((variant){ .mechanism = name });
        if (is_epoll) {
            run((variant){ .mechanism = name, .pwait2_error = ENOSYS });
            run((variant){ .mechanism = name, .pwait2_error = EPERM });
        }
        if (is_epoll || strcmp(name, "poll") == 0) {
            run((variant){ .mechanism = name, .eventfd_error = ENOSYS });
            run((variant){ .mechanism = name, .eventfd_error = EPERM });
        }
    }
    check_memory();
    printf("%d passed, %d failed, %d skipped\n", passed, started - passed - skipped, skipped);
    fflush(NULL);
    _Exit(started > 0 && passed + skipped == started ? 0 : 1); /* a second look for leaks would follow the last line */
}
