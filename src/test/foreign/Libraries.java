// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Checks the libraries in the jar for all platforms: each is there and is what its folder says, offers the natives, and
 * on Linux with glibc needs nothing younger than it promises. Arguments: the jar, an empty folder, and
 * {@code all-platforms}, or {@code each-system} if other processors may be missing.
 */
public final class Libraries {
    private static final Pattern GLIBC = Pattern.compile("@GLIBC_(\\d+)\\.(\\d+)");
    private static final String FOLDER = "META-INF/native/";
    private static final String NATIVES = "Java_dev_pollux_internal_jni_Natives_await";

    /** A library in the jar, what file(1) says of it, and N if it may need glibc 2.N. */
    private static final List<String> EXPECTED = List.of(
            "linux-x86_64/libpollux-jni.so: ELF 64-bit LSB shared object, x86-64, :17",
            "linux-aarch64/libpollux-jni.so: ELF 64-bit LSB shared object, ARM aarch64, :17",
            "linux-ppc64le/libpollux-jni.so: ELF 64-bit LSB shared object, 64-bit PowerPC or cisco 7500, OpenPOWER ELF"
            + " V2 ABI, :19",
            "linux-riscv64/libpollux-jni.so: ELF 64-bit LSB shared object, UCB RISC-V, :27",
            "linux-s390x/libpollux-jni.so: ELF 64-bit MSB shared object, IBM S/390, :17",
            "linux-x86_64-musl/libpollux-jni.so: ELF 64-bit LSB shared object, x86-64, :",
            "linux-aarch64-musl/libpollux-jni.so: ELF 64-bit LSB shared object, ARM aarch64, :",
            "macos-x86_64/libpollux-jni.dylib: Mach-O 64-bit x86_64 dynamically linked shared library:",
            "macos-aarch64/libpollux-jni.dylib: Mach-O 64-bit arm64 dynamically linked shared library:",
            "freebsd-x86_64/libpollux-jni.so: ELF 64-bit LSB shared object, x86-64, :",
            "freebsd-aarch64/libpollux-jni.so: ELF 64-bit LSB shared object, ARM aarch64, :",
            "netbsd-x86_64/libpollux-jni.so: ELF 64-bit LSB shared object, x86-64, :",
            "netbsd-aarch64/libpollux-jni.so: ELF 64-bit LSB shared object, ARM aarch64, :",
            "openbsd-x86_64/libpollux-jni.so: ELF 64-bit LSB shared object, x86-64, :",
            "openbsd-aarch64/libpollux-jni.so: ELF 64-bit LSB shared object, ARM aarch64, :",
            "windows-x86_64/pollux-jni.dll: PE32+ executable (DLL) (GUI) x86-64:",
            "windows-aarch64/pollux-jni.dll: PE32+ executable (DLL) (GUI) Aarch64:");

    private Libraries() {
    }

    public static void main(String[] arguments) throws IOException {
        Checks checks = new Checks();
        Path file = Path.of(arguments[1], "library");
        try (ZipFile jar = new ZipFile(arguments[0])) {
            for (String expected : EXPECTED) {
                String[] parts = expected.split(":", 3);
                if (arguments[2].equals("each-system") && jar.getEntry(FOLDER + parts[0]) == null) {
                    checks.skip(parts[0] + " is one of all platforms");
                    continue;
                }
                checks.check(parts[0], () -> look(jar, parts[0], parts[1].substring(1), parts[2], file));
            }
        }
        checks.finish();
    }

    private static void look(ZipFile jar, String name, String kind, String minor, Path file)
            throws IOException, InterruptedException {
        ZipEntry entry = jar.getEntry(FOLDER + name);
        Checks.expect(entry != null, "it is missing");
        byte[] bytes;
        try (InputStream in = jar.getInputStream(entry)) {
            bytes = in.readAllBytes();
        }
        Files.write(file, bytes);
        String is = Command.of("file", "-b", file).output();
        Checks.expect(is.startsWith(kind), "it is not: " + kind + "\nbut: " + is);
        Checks.expect(new String(bytes, StandardCharsets.ISO_8859_1).contains(NATIVES), "it has no natives");
        int youngest = youngest(file);
        Checks.expect(minor.isEmpty() || youngest <= Integer.parseInt(minor), "it needs glibc 2." + youngest);
        System.out.println(name + ": " + bytes.length + " bytes, " + is.split(",")[0].strip()
                + (youngest == 0 ? "" : ", glibc 2." + youngest));
    }

    /** The second number of the youngest version of glibc that its symbols ask for, 0 if they ask for none. */
    private static int youngest(Path file) throws IOException, InterruptedException {
        int youngest = 0;
        Matcher symbol = GLIBC.matcher(Command.of("readelf", "-W", "--dyn-syms", file).result().output());
        while (symbol.find()) {
            Checks.expectEqual("2", symbol.group(1));
            youngest = Math.max(youngest, Integer.parseInt(symbol.group(2)));
        }
        return youngest;
    }
}
