// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.jni;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLConnection;
import java.nio.charset.StandardCharsets;
import java.security.CodeSource;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * The native library for one platform as it lies in the jar (or in the folder of classes).
 *
 * <p>A jar that is a file is opened as one: a class loader would search the JDK's modules first, and a URL loads a
 * dozen classes. Anything else (a jar in a jar, a folder, the boot class path) goes through the class loader of this
 * class, so that a copy of Pollux never takes the library of another copy. A cached connection would keep the jar open.
 *
 * @param jar null if it is no file
 */
public record LibraryResource(File jar, String name) {

    private static final String ROOT = "META-INF/native/";

    /** {@return what this system calls the library's file} */
    static String fileName() {
        return System.mapLibraryName("pollux-jni");
    }

    /** {@return what the system of this platform calls the library's file} */
    public static String fileName(String platform) {
        if (platform.startsWith("windows-")) {
            return "pollux-jni.dll";
        }
        return platform.startsWith("macos-") ? "libpollux-jni.dylib" : "libpollux-jni.so";
    }

    /** {@return the place where the library for one platform is, if there is one} */
    public static LibraryResource of(String folder, String fileName) {
        return new LibraryResource(ownJar(), ROOT + folder + '/' + fileName);
    }

    private static File ownJar() {
        CodeSource source = LibraryResource.class.getProtectionDomain().getCodeSource();
        URL location = source == null ? null : source.getLocation();
        if (location == null || !location.getProtocol().equals("file") || !location.getPath().endsWith(".jar")) {
            return null;
        }
        if (location.getPath().indexOf('%') < 0 && location.getHost().isEmpty()) {
            return new File(location.getPath()); // nothing is quoted: no URI is parsed for this alone
        }
        try {
            return new File(location.toURI());
        } catch (URISyntaxException | IllegalArgumentException unusual) {
            return null;
        }
    }

    /** {@return the build of the native library in this jar: version and checksum of the sources; may be null} */
    static String build() throws IOException {
        byte[] build = new LibraryResource(ownJar(), ROOT + "build").read();
        return build == null ? null : new String(build, StandardCharsets.ISO_8859_1).strip();
    }

    /**
     * {@return all bytes of the library; null if there is none}
     *
     * @throws IOException if it can't be read, or is not what was put into the jar
     */
    public byte[] read() throws IOException {
        return jar == null ? readThroughLoader() : readFromJar();
    }

    private byte[] readFromJar() throws IOException {
        try (ZipFile zip = new ZipFile(jar)) {
            ZipEntry entry = zip.getEntry(name);
            if (entry == null) {
                return null;
            }
            try (InputStream in = zip.getInputStream(entry)) {
                return requireChecksum(in.readAllBytes(), entry);
            }
        }
    }

    private byte[] readThroughLoader() throws IOException {
        URL url = LibraryResource.class.getResource('/' + name);
        if (url == null) {
            return null;
        }
        URLConnection connection = open(url);
        try (InputStream in = connection.getInputStream()) {
            ZipEntry entry = connection instanceof JarURLConnection inJar ? inJar.getJarEntry() : null;
            return requireChecksum(in.readAllBytes(), entry);
        }
    }

    /** The jar knows the checksum of every entry, but reading an entry does not compare it. */
    private static byte[] requireChecksum(byte[] content, ZipEntry entry) throws IOException {
        if (entry != null && entry.getCrc() != -1 && LibraryCopy.checksum(content) != entry.getCrc()) {
            throw new IOException("the file is corrupt: its checksum is not the one the jar states");
        }
        return content;
    }

    /** {@return the platforms the jar has a library for; empty if it can't be told} */
    public static Set<String> platforms() {
        Set<String> platforms = new TreeSet<>();
        URL self = LibraryResource.class.getResource("LibraryResource.class");
        try {
            if (self != null && open(self) instanceof JarURLConnection connection) {
                try (JarFile jar = connection.getJarFile()) {
                    jar.stream().map(entry -> entry.getName().split("/"))
                            .filter(path -> path.length == 4 && String.join("/", path).startsWith(ROOT))
                            .forEach(path -> platforms.add(path[2]));
                }
            }
        } catch (IOException unreadable) {
            platforms.clear(); // only the wording of an error depends on it
        }
        return platforms;
    }

    private static URLConnection open(URL url) throws IOException {
        URLConnection connection = url.openConnection();
        connection.setUseCaches(false);
        return connection;
    }

    @Override
    public String toString() {
        return jar != null ? "jar:file:" + jar.getPath() + "!/" + name
                : String.valueOf(LibraryResource.class.getResource('/' + name));
    }
}
