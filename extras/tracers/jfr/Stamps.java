// SPDX-License-Identifier: MIT
// Java's flight recorder. usage: java Stamps.java FOLDER steady|threads EVENTS EVERY
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Instant;
import jdk.jfr.Event;
import jdk.jfr.Name;
import jdk.jfr.Recording;
import jdk.jfr.StackTrace;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

public class Stamps {
    @Name("stampede.Stamp")
    @StackTrace(false)
    static class Stamp extends Event {
        int stream;
        long seq;
    }

    static long ns(Instant time) {
        return time.getEpochSecond() * 1_000_000_000L + time.getNano();
    }

    static void record(int stream, long[][] windows) {
        for (int seq = 0; seq < windows.length; seq++) {
            Stamp stamp = new Stamp();
            stamp.stream = stream;
            stamp.seq = seq;
            long entry = ns(Instant.now());
            stamp.commit();
            windows[seq] = new long[] {entry, ns(Instant.now())};
        }
    }

    public static void main(String[] args) throws Exception {
        int streams = args[1].equals("threads") ? 2 : 1;
        long[][][] windows = new long[streams][Integer.parseInt(args[2]) / streams][];
        Path file = Path.of(args[0], "recording.jfr");
        try (Recording recording = new Recording()) {
            recording.enable("stampede.Stamp");
            recording.start();
            Thread[] threads = new Thread[streams];
            for (int stream = 0; stream < streams; stream++) {
                int own = stream;
                threads[stream] = new Thread(() -> record(own, windows[own]));
                threads[stream].start();
            }
            for (Thread thread : threads) {
                thread.join();
            }
            recording.stop();
            recording.dump(file);
        }
        try (PrintWriter truth = new PrintWriter(args[0] + "/truth")) {
            for (int stream = 0; stream < streams; stream++) {
                for (int seq = 0; seq < windows[stream].length; seq++) {
                    long[] its = windows[stream][seq];
                    truth.println("event " + stream + " " + seq + " " + its[0] + " " + its[1]);
                }
            }
        }
        try (PrintWriter decoded = new PrintWriter(args[0] + "/decoded");
                RecordingFile recorded = new RecordingFile(file)) {
            while (recorded.hasMoreEvents()) {
                RecordedEvent event = recorded.readEvent();
                if (event.getEventType().getName().equals("stampede.Stamp")) {
                    decoded.println("event " + event.getInt("stream") + " " + event.getLong("seq") + " "
                            + ns(event.getStartTime()));
                } else if (event.getEventType().getName().equals("jdk.DataLoss")) {
                    decoded.println("torn 0 jdk.DataLoss of " + event.getLong("amount") + " bytes");
                }
            }
        }
    }
}
