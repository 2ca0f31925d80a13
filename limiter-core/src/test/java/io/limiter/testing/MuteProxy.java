package io.limiter.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** A proxy between a client and Redis that can withhold replies: requests are executed and not answered. */
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
    private final int redisPort;
    private final Queue<Socket> sockets = new ConcurrentLinkedQueue<>();
    private final AtomicInteger generation = new AtomicInteger();
    private final AtomicReference<Replies> replies = new AtomicReference<>(Replies.PASSED_ON);

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

    /** Over the connections there are, no reply arrives any more, and they stay open; new ones are as before. */
    public void forgetConnections() {
        generation.incrementAndGet();
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
            Socket redis = new Socket(InetAddress.getLoopbackAddress(), redisPort);
            sockets.add(client);
            sockets.add(redis);
            run("proxy-to-redis", () -> copy(client, redis, false));
            run("proxy-to-client", () -> copy(redis, client, true));
        }
    }

    private void copy(Socket from, Socket to, boolean isReply) throws IOException {
        int born = generation.get();
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] bytes = new byte[8192];
            int length;
            while ((length = in.read(bytes)) >= 0) {
                if (isReply
                        && (replies.compareAndSet(Replies.CUT_OFF_ONCE, Replies.PASSED_ON)
                                || replies.get() == Replies.CUT_OFF)) {
                    return;
                }
                if (!isReply || replies.get() == Replies.PASSED_ON && born == generation.get()) {
                    out.write(bytes, 0, length);
                }
            }
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

    private interface Work {
        void run() throws IOException;
    }
}
