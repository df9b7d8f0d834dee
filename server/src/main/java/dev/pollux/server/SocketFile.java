// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import java.io.IOException;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;

/**
 * The file that a server has made by listening at an address of the Unix domain. It outlives the socket, and no
 * other one can be bound there before it is deleted. For any thread.
 */
final class SocketFile {
    private final Path path;

    /** What tells this file from another one that has got its name since, and perhaps its number; null: no longer. */
    private List<Object> key;

    private SocketFile(Path path) {
        this.path = path;
        key = keyOf(path);
    }

    /** {@return the file that listening at an address has made just now; null if the address has none} */
    static SocketFile of(SocketAddress address) {
        return address instanceof UnixDomainSocketAddress local ? new SocketFile(local.getPath().toAbsolutePath())
                : null;
    }

    private static List<Object> keyOf(Path path) {
        try {
            BasicFileAttributes file =
                    Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            return file.isOther() && file.fileKey() != null ? List.of(file.fileKey(), file.lastModifiedTime()) : null;
        } catch (IOException e) {
            return null;
        }
    }

    /** Deletes it if it is still there, once. */
    synchronized void delete() {
        List<Object> made = key;
        key = null;
        try {
            if (made != null && made.equals(keyOf(path))) {
                Files.delete(path);
            }
        } catch (IOException | SecurityException e) {
            // it stays, as the system lets it stay
        }
    }
}
