package io.limiter.faults.process;

import com.google.common.net.InetAddresses;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** A TCP proxy in front of a Redis, which does to connections what networks do. */
public final class Network implements AutoCloseable {

    /** Where a Sentinel's connections come from, so that they can be rejected while others pass. */
    static final InetAddress SENTINEL = InetAddresses.forString("127.0.0.2");

    private final ServerSocket server;
    private final int redisPort;
    private final Set<Link> links = ConcurrentHashMap.newKeySet();
    private final AtomicLong lostReplies = new AtomicLong();
    private volatile State state = new State(0, false, false, false, false);
    private volatile boolean withoutSentinel;

    /** What happens to what is under way. */
    private record State(long delayMillis, boolean losesReplies, boolean trickles, boolean silent, boolean refuses) {}

    public Network(int redisPort) throws IOException {
        this.redisPort = redisPort;
        this.server = new ServerSocket(0, 1000, InetAddress.getLoopbackAddress());
        daemon("accept", this::accept);
    }

    public int port() {
        return server.getLocalPort();
    }

    /** Nothing happens; connections that have lost a reply break, as TCP loses nothing in the middle. */
    public void heal() {
        boolean lossy = state.losesReplies;
        state = new State(0, false, false, false, false);
        if (lossy) {
            cut();
        }
    }

    /** Each reply comes so much later; the order stays. */
    public void delayReplies(long millis) {
        state = new State(millis, false, false, false, false);
    }

    /** Requests arrive and are executed, and no reply comes back. */
    public void loseReplies() {
        state = new State(0, true, false, false, false);
    }

    /** Replies come byte by byte, 200 in a second. */
    public void trickle() {
        state = new State(0, false, true, false, false);
    }

    /** Nothing arrives in either direction; it comes late when the network is healed. */
    public void blackhole() {
        state = new State(0, false, false, true, false);
    }

    /** All connections break, and new ones too. */
    public void refuse() {
        state = new State(0, false, false, false, true);
        cut();
    }

    /** All connections break once. */
    public void cut() {
        links.forEach(Link::close);
    }

    /** Whether connections of Sentinels are rejected; all others pass. */
    public void rejectSentinels(boolean reject) {
        withoutSentinel = reject;
        if (reject) {
            links.stream().filter(Link::isOfSentinel).forEach(Link::close);
        }
    }

    /** How often bytes of replies were lost. */
    public long lostReplies() {
        return lostReplies.get();
    }

    private void accept() throws IOException {
        while (true) {
            Socket client = server.accept();
            if (state.refuses || withoutSentinel && client.getInetAddress().equals(SENTINEL)) {
                client.close();
                continue;
            }
            try {
                Link link = new Link(client, new Socket(InetAddress.getLoopbackAddress(), redisPort));
                links.add(link);
                link.start();
            } catch (IOException e) {
                // Redis is down, which the client learns as if there were no proxy.
                client.close();
            }
        }
    }

    private static void daemon(String name, Work work) {
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
                "network-" + name);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        cut();
    }

    private interface Work {
        void run() throws IOException, InterruptedException;
    }

    /** Bytes that arrive at a moment; none at the end. */
    private record Piece(byte[] bytes, long dueNanos) {}

    /** One connection: in each direction a thread that reads, and one that writes when it is time. */
    private final class Link {

        private final Socket client;
        private final Socket redis;

        Link(Socket client, Socket redis) throws SocketException {
            this.client = client;
            this.redis = redis;
            client.setTcpNoDelay(true);
            redis.setTcpNoDelay(true);
        }

        boolean isOfSentinel() {
            return client.getInetAddress().equals(SENTINEL);
        }

        void start() {
            pump(client, redis, false);
            pump(redis, client, true);
        }

        private void pump(Socket from, Socket to, boolean replies) {
            BlockingQueue<Piece> pieces = new LinkedBlockingQueue<>();
            daemon("read", () -> {
                byte[] buffer = new byte[65_536];
                InputStream in = from.getInputStream();
                try {
                    for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
                        long delay = replies ? TimeUnit.MILLISECONDS.toNanos(state.delayMillis) : 0;
                        pieces.add(new Piece(Arrays.copyOf(buffer, length), System.nanoTime() + delay));
                    }
                } finally {
                    pieces.add(new Piece(new byte[0], 0));
                }
            });
            daemon("write", () -> {
                OutputStream out = to.getOutputStream();
                try {
                    for (Piece piece = pieces.take(); piece.bytes.length > 0; piece = pieces.take()) {
                        deliver(piece, out, replies);
                    }
                } finally {
                    close();
                }
            });
        }

        private void deliver(Piece piece, OutputStream out, boolean reply) throws IOException, InterruptedException {
            TimeUnit.NANOSECONDS.sleep(piece.dueNanos - System.nanoTime());
            while (state.silent && !client.isClosed()) {
                TimeUnit.MILLISECONDS.sleep(1);
            }
            if (reply && state.losesReplies) {
                lostReplies.incrementAndGet();
            } else if (reply && state.trickles) {
                for (byte one : piece.bytes) {
                    out.write(one);
                    if (state.trickles) {
                        TimeUnit.MILLISECONDS.sleep(5);
                    }
                }
            } else {
                out.write(piece.bytes);
            }
        }

        void close() {
            links.remove(this);
            for (Socket socket : new Socket[] {client, redis}) {
                try {
                    socket.close();
                } catch (IOException e) {
                    // It is gone either way.
                }
            }
        }
    }
}
