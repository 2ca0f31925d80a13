package io.limiter.internal.redis.client;

import io.limiter.internal.log.AsyncLog;
import io.limiter.internal.resilience.Deadlines;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.springframework.data.redis.connection.RedisNode;

/**
 * Whether any address of Redis answers before the first connection is made. The first decisions of a JVM have a longer timeout,
 * because it loads classes and connects, but where no packet is answered, as behind a firewall, all callers would wait for that
 * in vain. The client cannot tell the two apart.
 *
 * <p>Nothing is sent. An address that refuses the connection answers; so does one that is not known, a socket of a file, and
 * any that cannot be looked up, because then the longer timeout remains.
 */
final class FirstContact {

    private static final AsyncLog log = AsyncLog.of(FirstContact.class);

    /** More than enough to find one that answers. */
    private static final int MOST_NODES = 16;

    private final Supplier<Collection<? extends RedisNode>> nodes;
    private final Deadlines deadlines;
    private final AtomicBoolean made = new AtomicBoolean();

    /** @param nodes where a client connects; empty if that is not known */
    FirstContact(Supplier<Collection<? extends RedisNode>> nodes, Deadlines deadlines) {
        this.nodes = nodes;
        this.deadlines = deadlines;
    }

    /** To be called before a connection is made. Blocks for a decision timeout at most, once. */
    void ensureMade() {
        if (made.get() || !deadlines.hasFirstTimeout() || !made.compareAndSet(false, true)) {
            return;
        }
        try {
            if (!answers()) {
                deadlines.endFirstTimeout();
            }
        } catch (IOException | RuntimeException e) {
            log.debug("Whether Redis answers at all is not known before the first connection.", e);
        }
    }

    private boolean answers() throws IOException {
        List<InetSocketAddress> addresses = nodes.get().stream()
                .limit(MOST_NODES)
                .filter(node -> node.getHost() != null && node.getPort() != null)
                .map(node -> new InetSocketAddress(node.getHost(), node.getPort()))
                .toList();
        if (addresses.isEmpty() || addresses.stream().anyMatch(InetSocketAddress::isUnresolved)) {
            return true;
        }
        List<SocketChannel> channels = new ArrayList<>();
        try (Selector selector = Selector.open()) {
            for (InetSocketAddress address : addresses) {
                SocketChannel channel = SocketChannel.open();
                channels.add(channel);
                channel.configureBlocking(false);
                if (channel.connect(address)) {
                    return true;
                }
                channel.register(selector, SelectionKey.OP_CONNECT);
            }
            return selector.select(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadlines.decisionTimeoutNanos()))) > 0;
        } finally {
            for (SocketChannel channel : channels) {
                channel.close();
            }
        }
    }
}
