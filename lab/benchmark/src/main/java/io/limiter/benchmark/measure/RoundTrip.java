package io.limiter.benchmark.measure;

import io.limiter.benchmark.measure.Slice.Latency;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * A network to Redis: a TCP proxy, in a JVM of its own, by which bytes take half a round trip in each direction. Connections do not wait
 * for each other, and bytes of one do not wait for those before them.
 */
public final class RoundTrip implements AutoCloseable {

    private static final int PINGS = 300;
    private static final byte[] PING = "PING\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final int PONG_LENGTH = "+PONG\r\n".length();
    private static final String HEAP = "256m";

    /** How often the delay is corrected by what was measured: threads wake up late. */
    private static final int CORRECTIONS = 3;

    /** A delay that makes such errors negligible, and that would take long to measure. */
    private static final int LONG_MICROS = 10_000;

    private final ChildJvm proxy;

    private RoundTrip(ChildJvm proxy) {
        this.proxy = proxy;
    }

    /**
     * Returns when {@link #measured} round trips take about as long as they are to.
     *
     * @param micros of a round trip, with what Redis takes
     */
    static RoundTrip start(String host, int redisPort, int micros) {
        RoundTrip network = open(host, redisPort);
        double delayMicros = micros / 2.0;
        network.delay(Math.round(delayMicros * 1000));
        for (int i = 0; i < CORRECTIONS && micros < LONG_MICROS; i++) {
            delayMicros = Math.max(0, delayMicros - (network.measured().p50() - micros) / 2);
            network.delay(Math.round(delayMicros * 1000));
        }
        return network;
    }

    /** Without a delay. */
    static RoundTrip open(String host, int redisPort) {
        return new RoundTrip(ChildJvm.start(RoundTrip.class, HEAP, List.of(host, Integer.toString(redisPort))));
    }

    /** Of each direction, from soon on. */
    void delay(long nanos) {
        proxy.send(Long.toString(nanos));
    }

    int port() {
        return proxy.port();
    }

    /** How long {@code PING} takes a client that waits for each reply. */
    Latency measured() {
        Histogram nanos = new Histogram(1, Callers.LONGEST_NANOS, 3);
        try (Socket socket = connect("127.0.0.1", proxy.port())) {
            for (int i = 0; i < 2 * PINGS; i++) {
                long start = System.nanoTime();
                socket.getOutputStream().write(PING);
                socket.getInputStream().readNBytes(PONG_LENGTH);
                if (i >= PINGS) {
                    nanos.recordValue(System.nanoTime() - start);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Latency.of(nanos);
    }

    @Override
    public void close() {
        proxy.close();
    }

    private static volatile long delayNanos;

    /** The proxy. Its input has the delay of each direction in nanoseconds, in a line for each change. */
    public static void main(String[] arguments) throws IOException {
        int redisPort = Integer.parseInt(arguments[1]);
        try (ServerSocket server = new ServerSocket(0, 1000, InetAddress.getLoopbackAddress())) {
            daemon(() -> accept(server, arguments[0], redisPort));
            ChildJvm.listens(server.getLocalPort());
            BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String line = input.readLine(); line != null; line = input.readLine()) {
                delayNanos = Long.parseLong(line);
            }
        }
        System.exit(0);
    }

    private static void accept(ServerSocket server, String host, int redisPort) throws IOException {
        while (true) {
            Socket client = server.accept();
            client.setTcpNoDelay(true);
            Socket redis = connect(host, redisPort);
            pump(client, redis);
            pump(redis, client);
        }
    }

    private static Socket connect(String host, int port) throws IOException {
        Socket socket = new Socket(host, port);
        socket.setTcpNoDelay(true);
        return socket;
    }

    /** Bytes that arrive at a moment; none at the end. */
    private record Piece(byte[] bytes, long dueNanos) {}

    /** A thread reads and another one writes, so that the next bytes are on their way before the last have arrived. */
    private static void pump(Socket from, Socket to) {
        BlockingQueue<Piece> pieces = new LinkedBlockingQueue<>();
        daemon(() -> {
            byte[] buffer = new byte[65_536];
            InputStream in = from.getInputStream();
            try {
                for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
                    pieces.add(new Piece(Arrays.copyOf(buffer, length), System.nanoTime() + delayNanos));
                }
            } finally {
                pieces.add(new Piece(new byte[0], System.nanoTime()));
            }
        });
        daemon(() -> {
            try (from;
                    to) {
                for (Piece piece = pieces.take(); piece.bytes.length > 0; piece = pieces.take()) {
                    await(piece.dueNanos);
                    to.getOutputStream().write(piece.bytes);
                }
            }
        });
    }

    private static void await(long nanoTime) {
        for (long left = nanoTime - System.nanoTime(); left > 0; left = nanoTime - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    private interface Work {
        void run() throws IOException, InterruptedException;
    }

    private static void daemon(Work work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (IOException e) {
                        // A side has closed.
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                "network");
        thread.setDaemon(true);
        thread.start();
    }
}
