package io.limiter.spring.actuate;

import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Logs a warning if Redis may evict keys of limiters: once, with the first health that is {@code UP}.
 *
 * <p>It takes one {@code INFO}, on a thread of its own. Each health of Spring Boot's contributor {@code redis} takes one
 * as well, while no limiter needs the right to it. Without that right there is no warning.
 */
public final class EvictionWarning {

    private static final Logger log = LoggerFactory.getLogger(EvictionWarning.class);

    private static final String POLICY = "maxmemory_policy";

    private final RedisConnectionFactory connections;
    private final AtomicBoolean checked = new AtomicBoolean();

    public EvictionWarning(RedisConnectionFactory connections) {
        this.connections = connections;
    }

    void checkOnce() {
        if (checked.compareAndSet(false, true)) {
            Thread thread = new Thread(this::check, "limiter-eviction-check");
            thread.setDaemon(true);
            thread.start();
        }
    }

    void check() {
        try (RedisConnection connection = connections.getConnection()) {
            warning(connection.serverCommands().info()).ifPresent(log::warn);
        } catch (RuntimeException e) {
            log.debug("Whether Redis may evict keys could not be read.", e);
        }
    }

    /** With a Cluster, the names of the properties begin with the node. */
    static Optional<String> warning(@Nullable Properties info) {
        return info == null
                ? Optional.empty()
                : info.stringPropertyNames().stream()
                        .filter(name -> name.endsWith(POLICY))
                        .map(name -> name.substring(0, name.length() - POLICY.length()))
                        .filter(node -> evicts(info, node))
                        .map(node -> warning(info, node))
                        .findFirst();
    }

    private static boolean evicts(Properties info, String node) {
        // All keys of limiters expire, so the policies for keys that expire evict them, too.
        return !info.getProperty(node + POLICY).equals("noeviction")
                && !info.getProperty(node + "maxmemory", "0").equals("0");
    }

    private static String warning(Properties info, String node) {
        return "Redis may evict keys of limiters, whose callers then start anew with all permits: its maxmemory-policy is "
                + info.getProperty(node + POLICY) + ", and it has evicted "
                + info.getProperty(node + "evicted_keys", "0")
                + " keys since its start. Set maxmemory-policy to noeviction, or give the limiters a Redis of their own.";
    }
}
