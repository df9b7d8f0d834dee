// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.jni;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Refuses a file that is no whole ELF library: the system's loader would map a truncated one and die of SIGBUS, which
 * ends the VM. Files of other formats are left to that loader.
 */
final class LibraryFormat {

    private static final int ELF_HEADER_32 = 52;
    private static final int ELF_HEADER_64 = 64;

    private LibraryFormat() {
    }

    static void check(byte[] content) throws IOException {
        boolean elf = content.length >= ELF_HEADER_32
                && content[0] == 0x7f && content[1] == 'E' && content[2] == 'L' && content[3] == 'F';
        if (elf) {
            checkElfLength(content, content[4] == 2);
        } else if (LibraryResource.fileName().endsWith(".so")) {
            throw new IOException("the file is corrupt: " + content.length + " bytes that are no ELF library");
        }
    }

    /** The section headers stand at the end of the file: where they end, the file must not have ended before. */
    private static void checkElfLength(byte[] content, boolean is64) throws IOException {
        ByteBuffer header = ByteBuffer.wrap(content)
                .order(content[5] == 2 ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
        long end = content.length < ELF_HEADER_64 ? Long.MAX_VALUE
                : is64 ? header.getLong(40) + (long) header.getShort(58) * header.getShort(60)
                : header.getInt(32) + (long) header.getShort(46) * header.getShort(48);
        if (end < 0 || end > content.length) {
            throw new IOException("the file is corrupt: " + content.length + " bytes are not the whole ELF library");
        }
    }
}
