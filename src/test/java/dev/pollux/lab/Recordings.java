// SPDX-License-Identifier: Apache-2.0
package dev.pollux.lab;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/** What the Flight Recorder records of a scene. */
public final class Recordings {
    private Recordings() {
    }

    /** {@return our events of this name, without the package} The recording is left in the folder. */
    public static List<RecordedEvent> recorded(Path folder, String name, Io.Step scene) throws Exception {
        Path file = Files.createTempFile(folder, "scene", ".jfr");
        try (Recording recording = new Recording()) {
            recording.start();
            scene.run();
            recording.stop();
            recording.dump(file);
        }
        return RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().equals("dev.pollux." + name)).toList();
    }
}
