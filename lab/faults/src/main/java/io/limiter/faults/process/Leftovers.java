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
    private static boolean cleaning;

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(Leftovers::clean, "leftovers"));
    }

    private Leftovers() {}

    public static synchronized Path folder() throws IOException {
        checkOpen();
        Path folder = Files.createTempDirectory("limiter-faults");
        FOLDERS.add(folder);
        return folder;
    }

    public static synchronized Process start(ProcessBuilder builder) throws IOException {
        checkOpen();
        Process process = builder.start();
        PROCESSES.add(process);
        return process;
    }

    /** An experiment goes on while this JVM ends. */
    private static void checkOpen() {
        if (cleaning) {
            throw new IllegalStateException("this JVM ends");
        }
    }

    /** Also one that is stopped. */
    public static void kill(Process process) {
        process.destroyForcibly();
        awaitEnd(process);
    }

    static void awaitEnd(Process process) {
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

    private static synchronized void clean() {
        cleaning = true;
        PROCESSES.forEach(Leftovers::kill);
        FOLDERS.forEach(Leftovers::delete);
    }
}
