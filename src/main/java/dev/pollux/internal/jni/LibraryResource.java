// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.jni;

import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.net.URLConnection;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.zip.CRC32;

/**
 * The native library for one platform as it lies in the jar (or in the folder of classes).
 *
 * <p>It is looked up through the class loader of this class, the boot loader too, so that a copy of Pollux never
 * takes the library of another copy. Connections use no cache: a cached one would keep the jar open for ever.
 *
 * @param url where it is
 */
record LibraryResource(URL url) {

    private static final String ROOT = "META-INF/native/";

    /** {@return what this system calls the library's file} */
    static String fileName() {
        return System.mapLibraryName("pollux");
    }

    /** {@return the library in the folder of one platform, or null if the jar has none} */
    static LibraryResource find(String folder) {
        URL url = LibraryResource.class.getResource('/' + ROOT + folder + '/' + fileName());
        return url == null ? null : new LibraryResource(url);
    }

    /**
     * Reads the library.
     *
     * @return all its bytes
     * @throws IOException if it can't be read, or is not what was put into the jar
     */
    byte[] read() throws IOException {
        URLConnection connection = open(url);
        try (InputStream in = connection.getInputStream()) {
            byte[] content = in.readAllBytes();
            if (connection instanceof JarURLConnection jar && jar.getJarEntry() != null) {
                checkSum(content, jar.getJarEntry().getCrc());
            }
            return content;
        }
    }

    /** The jar knows the checksum of every entry, but reading an entry through a class loader does not compare it. */
    private static void checkSum(byte[] content, long expected) throws IOException {
        CRC32 actual = new CRC32();
        actual.update(content);
        if (expected != -1 && actual.getValue() != expected) {
            throw new IOException("the file is corrupt: its checksum is not the one the jar states");
        }
    }

    /** {@return the platforms the jar has a library for; empty if it can't be told} */
    static Set<String> platforms() {
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
        return url.toString();
    }
}
