package io.limiter.faults.process;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;

/** The clock of a Redis server, which can be stepped: a small library in front of the system's, compiled when it is needed. */
public final class ServerClock implements AutoCloseable {

    private final Path folder;
    private final ByteBuffer shift;

    private ServerClock(Path folder, ByteBuffer shift) {
        this.folder = folder;
        this.shift = shift;
    }

    /**
     * One that goes right.
     *
     * @throws Unsupported if this system has no C compiler, or no {@code LD_PRELOAD}
     */
    public static ServerClock create() throws IOException, InterruptedException {
        if (!System.getProperty("os.name").equals("Linux")) {
            throw new Unsupported("a clock is stepped on Linux only");
        }
        Path folder = Leftovers.folder();
        try (InputStream source = Objects.requireNonNull(ServerClock.class.getResourceAsStream("clock.c"))) {
            Files.copy(source, folder.resolve("clock.c"));
        }
        compile(folder);
        Path file = Files.write(folder.resolve("shift"), new byte[8]);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ByteBuffer shift = channel.map(FileChannel.MapMode.READ_WRITE, 0, 8).order(ByteOrder.nativeOrder());
            return new ServerClock(folder, shift);
        }
    }

    private static void compile(Path folder) throws IOException, InterruptedException {
        Process gcc;
        try {
            gcc = new ProcessBuilder("gcc", "-shared", "-fPIC", "-O2", "-o", "clock.so", "clock.c")
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .start();
        } catch (IOException e) {
            Leftovers.delete(folder);
            throw new Unsupported("there is no gcc to compile the clock with");
        }
        String output = new String(gcc.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (gcc.waitFor() != 0) {
            Leftovers.delete(folder);
            throw new Unsupported("gcc cannot compile the clock: " + output);
        }
    }

    /** What a process needs whose clock this is to be. */
    Map<String, String> environment() {
        return Map.of(
                "LD_PRELOAD", folder.resolve("clock.so").toString(),
                "LIMITER_CLOCK", folder.resolve("shift").toString());
    }

    /** From now on it is ahead of the machine's by so much, or behind if that is negative. */
    public void shift(Duration ahead) {
        shift.putLong(0, ahead.toNanos() / 1000);
    }

    @Override
    public void close() {
        Leftovers.delete(folder);
    }

    /** This system cannot do what an experiment needs. */
    public static final class Unsupported extends RuntimeException {

        private static final long serialVersionUID = 1L;

        public Unsupported(String message) {
            super(message);
        }
    }
}
