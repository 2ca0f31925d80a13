package io.limiter.faults.process;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Processes and folders that must not be left behind, also if this JVM is interrupted in the middle. */
public final class Leftovers {

    private static final Set<Process> PROCESSES = ConcurrentHashMap.newKeySet();
    private static final Set<Path> FOLDERS = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(Leftovers::clean, "leftovers"));
    }

    private Leftovers() {}

    public static Path folder() throws IOException {
        Path folder = Files.createTempDirectory("limiter-faults");
        FOLDERS.add(folder);
        return folder;
    }

    public static Process start(ProcessBuilder builder) throws IOException {
        Process process = builder.start();
        PROCESSES.add(process);
        return process;
    }

    /** Also one that is stopped. */
    public static void kill(Process process) {
        process.destroyForcibly();
        process.onExit().join();
        PROCESSES.remove(process);
    }

    public static void delete(Path folder) {
        try {
            if (Files.exists(folder)) {
                MoreFiles.deleteRecursively(folder, RecursiveDeleteOption.ALLOW_INSECURE);
            }
            FOLDERS.remove(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void clean() {
        PROCESSES.forEach(Leftovers::kill);
        FOLDERS.forEach(Leftovers::delete);
    }
}
