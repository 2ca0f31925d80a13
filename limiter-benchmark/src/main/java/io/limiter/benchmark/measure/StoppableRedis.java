package io.limiter.benchmark.measure;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import redis.embedded.core.ExecutableProvider;

/** A Redis that can be stopped and goes on as if nothing had been: a {@code redis-server} from the PATH, or the embedded one. */
public final class StoppableRedis implements AutoCloseable {

    private static final long START_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final Process process;
    private final int port;
    private final Path dir;

    private StoppableRedis(Process process, int port, Path dir) {
        this.process = process;
        this.port = port;
        this.dir = dir;
    }

    public static StoppableRedis start() throws IOException, InterruptedException {
        int port = RedisProcess.freePort();
        Path dir = Files.createTempDirectory("limiter-benchmark-redis");
        Path server = RedisProcess.onPath().orElse(null);
        String command = server == null
                ? ExecutableProvider.newJarResourceProvider(dir.toFile()).get().getAbsolutePath()
                : server.toString();
        Process process = new ProcessBuilder(List.of(
                        command, "--port", "" + port, "--bind", "127.0.0.1", "--save", "", "--dir", dir.toString()))
                .redirectErrorStream(true)
                .redirectOutput(dir.resolve("log").toFile())
                .start();
        awaitListening(port);
        return new StoppableRedis(process, port, dir);
    }

    private static void awaitListening(int port) throws IOException, InterruptedException {
        long start = System.nanoTime();
        while (true) {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                return;
            } catch (IOException e) {
                if (System.nanoTime() - start > START_NANOS) {
                    throw e;
                }
                TimeUnit.MILLISECONDS.sleep(20);
            }
        }
    }

    public int port() {
        return port;
    }

    /** It neither answers nor closes connections from now on. */
    public void stop() throws IOException, InterruptedException {
        signal("STOP");
    }

    public void goOn() throws IOException, InterruptedException {
        signal("CONT");
    }

    private void signal(String name) throws IOException, InterruptedException {
        int failed = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .inheritIO()
                .start()
                .waitFor();
        if (failed != 0) {
            throw new IOException("kill -" + name + " has failed");
        }
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly();
        process.onExit().join();
        MoreFiles.deleteRecursively(dir, RecursiveDeleteOption.ALLOW_INSECURE);
    }
}
