// SPDX-License-Identifier: Apache-2.0
import java.nio.file.Path;
import java.util.List;

/**
 * The image, with one JDK in its path. Immutable.
 *
 * @param home the JDK's folder
 */
record Container(Path image, Path home) {
    /** What Docker's documentation names as denied by default, to a container without capabilities. */
    private static final String DENIED = """
            acct add_key bpf clock_adjtime clock_settime clone clone3 create_module delete_module finit_module
            get_kernel_syms get_mempolicy init_module io_uring_enter io_uring_register io_uring_setup ioperm iopl kcmp
            kexec_file_load kexec_load keyctl lookup_dcookie mbind mount move_pages nfsservctl open_by_handle_at
            perf_event_open personality pivot_root process_vm_readv process_vm_writev ptrace query_module quotactl
            reboot request_key set_mempolicy setns settimeofday stime swapoff swapon sysfs _sysctl umount umount2
            unshare uselib userfaultfd ustat vm86 vm86old""";

    /** A command as in-image.sh runs it. */
    Command command(String root, String tmp, String volume, int user, Object... words) {
        return Command.of("src/test/containers/in-image.sh", image, root, tmp, volume, user,
                "env", "-i", "PATH=" + home + "/bin:/usr/bin:/bin", List.of(words));
    }

    /** As Kubernetes' securityContext has it on the page, and worse: /tmp permits no execution. */
    Command hardened(Object... words) {
        return filtered("ro", "ro", 10001, words);
    }

    /** The same with another volume and user. */
    Command filtered(String root, String volume, int user, Object... words) {
        return command(root, "noexec", volume, user, "/filter/filter", "deny", List.of(DENIED.split("\\s+")), "--",
                List.of(words));
    }
}
