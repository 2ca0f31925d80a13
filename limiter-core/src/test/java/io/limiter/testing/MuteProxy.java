package io.limiter.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** A proxy between a client and Redis that delays, drops or cuts off replies: what was sent is executed. */
public final class MuteProxy implements AutoCloseable {

    /** What becomes of replies. */
    public enum Replies {
        PASSED_ON,
        /** They never arrive. */
        SWALLOWED,
        /** The connection breaks instead. */
        CUT_OFF,
        /** As {@link #CUT_OFF}, once; the others are passed on. */
        CUT_OFF_ONCE
    }

    private final ServerSocket server;
    private volatile int redisPort;
    private final Queue<Socket> sockets = new ConcurrentLinkedQueue<>();
    private final AtomicInteger generation = new AtomicInteger();
    private final AtomicReference<Replies> replies = new AtomicReference<>(Replies.PASSED_ON);
    private volatile long delayNanos;

    private MuteProxy(ServerSocket server, int redisPort) {
        this.server = server;
        this.redisPort = redisPort;
    }

    public static MuteProxy to(int redisPort) {
        try {
            MuteProxy proxy = new MuteProxy(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()), redisPort);
            proxy.run("proxy-accept", proxy::accept);
            return proxy;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public int port() {
        return server.getLocalPort();
    }

    /** A connection on which replies are missing is of no use any more: it breaks when they are passed on again. */
    public void replies(Replies newReplies) {
        if (replies.getAndSet(newReplies) == Replies.SWALLOWED) {
            closeConnections();
        }
    }

    /** New connections go to another Redis from now on, and those that there are break. */
    public void redirectTo(int newRedisPort) {
        redisPort = newRedisPort;
        closeConnections();
    }

    /** New connections go to another Redis from now on, and those that there are stay where they are, as behind a name. */
    public void redirectNewTo(int newRedisPort) {
        redisPort = newRedisPort;
    }

    /** Over the connections there are, no reply arrives any more, and they stay open; new ones are as before. */
    public void forgetConnections() {
        generation.incrementAndGet();
    }

    /** Delays each reply from now on; replies stay in order and do not wait for each other. */
    public void delayReplies(Duration delay) {
        delayNanos = delay.toNanos();
    }

    private void closeConnections() {
        Socket socket;
        while ((socket = sockets.poll()) != null) {
            try {
                socket.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private void accept() throws IOException {
        while (!server.isClosed()) {
            Socket client = server.accept();
            Socket redis;
            try {
                redis = new Socket(InetAddress.getLoopbackAddress(), redisPort);
            } catch (ConnectException e) {
                // Redis is stopped; the client tries again.
                client.close();
                continue;
            }
            // Otherwise Nagle's algorithm adds 40 ms to some.
            client.setTcpNoDelay(true);
            redis.setTcpNoDelay(true);
            sockets.add(client);
            sockets.add(redis);
            run("proxy-to-redis", () -> copyRequests(client, redis));
            BlockingQueue<Reply> delayed = new LinkedBlockingQueue<>();
            run("proxy-from-redis", () -> readReplies(redis, client, delayed));
            run("proxy-to-client", () -> writeReplies(client, delayed));
        }
    }

    private static void copyRequests(Socket client, Socket redis) throws IOException {
        try (client;
                redis) {
            client.getInputStream().transferTo(redis.getOutputStream());
        }
    }

    private void readReplies(Socket redis, Socket client, BlockingQueue<Reply> delayed) throws IOException {
        int born = generation.get();
        try (redis) {
            InputStream in = redis.getInputStream();
            byte[] bytes = new byte[8192];
            int length;
            while ((length = in.read(bytes)) >= 0) {
                if (replies.compareAndSet(Replies.CUT_OFF_ONCE, Replies.PASSED_ON)
                        || replies.get() == Replies.CUT_OFF) {
                    client.close();
                    return;
                }
                if (replies.get() == Replies.PASSED_ON && born == generation.get()) {
                    delayed.add(new Reply(System.nanoTime() + delayNanos, Arrays.copyOf(bytes, length)));
                }
            }
        } finally {
            delayed.add(Reply.END);
        }
    }

    private static void writeReplies(Socket client, BlockingQueue<Reply> delayed) throws IOException {
        try (client) {
            OutputStream out = client.getOutputStream();
            for (Reply reply = delayed.take(); reply != Reply.END; reply = delayed.take()) {
                TimeUnit.NANOSECONDS.sleep(reply.dueNanos - System.nanoTime());
                out.write(reply.bytes);
            }
        } catch (InterruptedException e) {
            throw new InterruptedIOException();
        }
    }

    private void run(String name, Work work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (IOException e) {
                        // A side has closed.
                    }
                },
                name);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        server.close();
        closeConnections();
    }

    private record Reply(long dueNanos, byte[] bytes) {

        private static final Reply END = new Reply(0, new byte[0]);
    }

    private interface Work {
        void run() throws IOException;
    }
}
