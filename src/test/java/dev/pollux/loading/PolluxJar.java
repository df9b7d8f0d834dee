// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import dev.pollux.internal.jni.Platform;
import dev.pollux.lab.Home;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Enumeration;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;

/** The jar under test, named by the system property {@code pollux.jar}, and jars made of it. */
final class PolluxJar {

    private static final String NATIVE = "META-INF/native/";

    /** The jar may have libraries for other platforms, which no test here has a use for. */
    private static final String OURS =
            NATIVE + Platform.current().folder() + '/' + System.mapLibraryName("pollux-jni");

    private PolluxJar() {
    }

    static Path path() {
        String jar = System.getProperty("pollux.jar");
        if (jar == null) {
            throw new IllegalStateException("-Dpollux.jar must name the jar under test");
        }
        return Path.of(jar).toAbsolutePath();
    }

    /** The folder of the programs that child VMs run. */
    static Path programs() {
        return Home.of(PolluxJar.class);
    }

    /** What shall stand in a copy of the jar where a native library was. */
    interface Doctor {
        void store(JarOutputStream jar, String name, byte[] library) throws IOException;
    }

    /** Writes a copy of the jar in which the native library was changed; null leaves it out. */
    static Path doctored(Path folder, UnaryOperator<byte[]> change) throws IOException {
        return doctored(folder, (jar, name, library) -> {
            byte[] changed = change.apply(library);
            if (changed != null) {
                store(jar, name, changed);
            }
        });
    }

    /** Writes a copy of the jar in which something else stands for the native library, and none for other platforms. */
    static Path doctored(Path folder, Doctor doctor) throws IOException {
        Path copy = folder.resolve("doctored.jar");
        try (JarFile jar = new JarFile(path().toFile());
                OutputStream file = Files.newOutputStream(copy);
                JarOutputStream out = new JarOutputStream(file)) {
            for (Enumeration<JarEntry> entries = jar.entries(); entries.hasMoreElements();) {
                JarEntry entry = entries.nextElement();
                if (entry.getName().equals(OURS)) {
                    doctor.store(out, OURS, read(jar, entry));
                } else if (entry.isDirectory() || !isForeign(entry)) {
                    store(out, entry.getName(), read(jar, entry));
                }
            }
        }
        return copy;
    }

    /** Writes what is in the jar, but for the libraries of other platforms, to a folder. */
    static Path unpackedTo(Path folder) throws IOException {
        try (JarFile jar = new JarFile(path().toFile())) {
            for (Enumeration<JarEntry> entries = jar.entries(); entries.hasMoreElements();) {
                JarEntry entry = entries.nextElement();
                if (!entry.isDirectory() && !isForeign(entry)) {
                    Path file = folder.resolve(entry.getName());
                    Files.createDirectories(file.getParent());
                    Files.write(file, read(jar, entry));
                }
            }
        }
        return folder;
    }

    /** Whether it is a library for another platform. */
    private static boolean isForeign(JarEntry entry) {
        String name = entry.getName();
        return name.startsWith(NATIVE) && name.indexOf('/', NATIVE.length()) >= 0 && !name.equals(OURS);
    }

    /** Uncompressed, so that a test finds the library's bytes in the jar. */
    static void store(JarOutputStream out, String name, byte[] content) throws IOException {
        CRC32 sum = new CRC32();
        sum.update(content);
        ZipEntry entry = new ZipEntry(name);
        entry.setMethod(ZipEntry.STORED);
        entry.setSize(content.length);
        entry.setCrc(sum.getValue());
        out.putNextEntry(entry);
        out.write(content);
        out.closeEntry();
    }

    /** Writes the native library of this machine to a folder. */
    static Path libraryIn(Path folder) throws IOException {
        Path file = folder.resolve(System.mapLibraryName("pollux-jni"));
        Files.write(file, library());
        return folder;
    }

    /** The native library of this machine. */
    static byte[] library() throws IOException {
        try (JarFile jar = new JarFile(path().toFile())) {
            return read(jar, jar.getJarEntry(OURS));
        }
    }

    /** Which build of the library is in the jar. */
    static String build() {
        try (JarFile jar = new JarFile(path().toFile())) {
            return new String(read(jar, jar.getJarEntry(NATIVE + "build")), StandardCharsets.ISO_8859_1).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Manifest manifest() throws IOException {
        try (JarFile jar = new JarFile(path().toFile())) {
            return jar.getManifest();
        }
    }

    /** Writes a jar with one class of ours in it, to be started by {@code java -jar} or as an agent. */
    static Path programJar(Path folder, Class<?> program, String attribute) throws IOException {
        return programJar(folder, program, Map.of(attribute, program.getName()));
    }

    /** Writes a jar with one class of ours and these attributes in it. */
    static Path programJar(Path folder, Class<?> program, Map<String, String> attributes) throws IOException {
        return programJar(folder, programs(), attributes, program);
    }

    /** Writes a jar with these classes of that folder and these attributes in it; it is called as the first. */
    static Path programJar(Path folder, Path classes, Map<String, String> attributes, Class<?>... programs)
            throws IOException {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        attributes.forEach(manifest.getMainAttributes()::putValue);
        Path file = folder.resolve(programs[0].getSimpleName() + ".jar");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(file), manifest)) {
            for (Class<?> program : programs) {
                String name = program.getName().replace('.', '/') + ".class";
                out.putNextEntry(new ZipEntry(name));
                Files.copy(classes.resolve(name), out);
                out.closeEntry();
            }
        }
        return file;
    }

    private static byte[] read(JarFile jar, JarEntry entry) throws IOException {
        try (InputStream in = jar.getInputStream(entry)) {
            return in.readAllBytes();
        }
    }
}
