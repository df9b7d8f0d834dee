// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.jni;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

/**
 * The operating system, processor and C library this VM runs on, in the words of the folders
 * {@code META-INF/native/<os>-<arch>[-musl]} of the jar. Immutable.
 *
 * @param musl whether the VM itself is linked with musl; false on systems that have one C library
 */
public record Platform(String os, String arch, boolean musl) {

    /** {@return where this VM runs} */
    public static Platform current() {
        String os = osName(System.getProperty("os.name", "unknown"));
        String arch = archName(System.getProperty("os.arch", "unknown"));
        return new Platform(os, arch, os.equals("linux") && runsOnMusl());
    }

    /** {@return the folder that holds the library for exactly this platform} */
    public String folder() {
        return folder(musl);
    }

    /**
     * {@return the folders worth a try, best first} A library for the other C library often works: musl systems may
     * have a glibc layer, and a library that needs little of libc loads on both.
     */
    public List<String> folders() {
        return os.equals("linux") ? List.of(folder(musl), folder(!musl)) : List.of(folder());
    }

    /** {@return the C library's name, for people} */
    public String libc() {
        return os.equals("linux") ? musl ? "musl" : "glibc" : "system";
    }

    private String folder(boolean withMusl) {
        return os + '-' + arch + (withMusl ? "-musl" : "");
    }

    private static String osName(String property) {
        String name = property.toLowerCase(Locale.ROOT);
        return name.startsWith("mac") ? "macos"
                : name.startsWith("windows") ? "windows"
                : name.equals("sunos") ? "solaris" : plain(name);
    }

    private static String archName(String property) {
        String name = property.toLowerCase(Locale.ROOT);
        return switch (name) {
            case "amd64", "x86-64", "x64" -> "x86_64";
            case "arm64" -> "aarch64";
            case "i386", "i486", "i586", "i686" -> "x86";
            default -> plain(name);
        };
    }

    /** The name becomes part of a path in the jar, so it may hold nothing that leads elsewhere. */
    private static String plain(String name) {
        StringBuilder plain = new StringBuilder(); // a regular expression would load classes for this alone
        for (char c : name.toCharArray()) {
            if (c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_') {
                plain.append(c);
            }
        }
        return plain.toString();
    }

    private static boolean runsOnMusl() {
        // All at once: a reader would load classes, and decode it character by character in the interpreter.
        try (FileInputStream maps = new FileInputStream("/proc/self/maps")) {
            // Any bytes are Latin-1, whatever a path is encoded in.
            return isMusl(new String(maps.readAllBytes(), StandardCharsets.ISO_8859_1));
        } catch (IOException | RuntimeException unreadable) { // no /proc here
            return hasMuslLoader();
        }
    }

    /**
     * {@return whether the process with this memory map (proc(5)) runs on musl} musl's loader and library are one file.
     * On Alpine that is {@code ld-musl-*}. Elsewhere that name is a link to {@code libc.so}, which a map names.
     * With glibc there is {@code libc.so.6}, which before glibc 2.34 is a link to {@code libc-2.*}; that alone counts.
     */
    public static boolean isMusl(String maps) {
        int glibc = maps.lastIndexOf("/libc.so.6"); // from the end, where it mostly is: no compiler is at work yet
        if (glibc >= 0 && isLastName(maps, glibc + 1)) {
            return false;
        }
        boolean found = false;
        for (int slash = maps.indexOf("/l"); slash >= 0; slash = maps.indexOf("/l", slash + 1)) {
            int end = maps.indexOf('\n', slash);
            String file = maps.substring(slash + 1, end < 0 ? maps.length() : end);
            if ((file.startsWith("libc.so.6") || file.startsWith("libc-2.")) && file.indexOf('/') < 0) {
                return false;
            }
            found |= file.indexOf('/') < 0 && (file.startsWith("ld-musl-") || file.startsWith("libc.musl-")
                    || file.equals("libc.so") || file.equals("libc.so (deleted)")); // so after an upgrade
        }
        return found;
    }

    private static boolean isLastName(String maps, int begin) {
        int slash = maps.indexOf('/', begin);
        int end = maps.indexOf('\n', begin);
        return slash < 0 || end >= 0 && end < slash;
    }

    private static boolean hasMuslLoader() {
        String[] loaders = new File("/lib").list((folder, name) -> name.startsWith("ld-musl-"));
        return loaders != null && loaders.length > 0;
    }
}
