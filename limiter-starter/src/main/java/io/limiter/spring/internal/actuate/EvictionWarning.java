package io.limiter.spring.internal.actuate;

import io.limiter.LimiterStatistics;
import io.limiter.LimiterTotals;
import io.limiter.algorithm.AnyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.internal.thread.LimiterThread;
import java.time.Duration;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Logs a warning if Redis may lose keys of limiters: because it evicts them, or because a limit for a week or longer must outlive its
 * restart, and it has no append-only file. Once, at the start of the application, or as soon as Redis is available.
 *
 * <p>It calls {@code INFO} on a thread of its own, so that nothing waits for it. Limiters do not need the right to it;
 * without that right there is no warning.
 */
public final class EvictionWarning implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(EvictionWarning.class);

    private static final String POLICY = "maxmemory_policy";
    private static final String APPENDS = "aof_enabled";
    private static final Duration LONG = Duration.ofDays(7);
    private static final Duration PAUSE = Duration.ofSeconds(5);

    /** How long the application waits for a check that is under way when it stops. */
    private static final Duration STOP = Duration.ofSeconds(2);

    private final RedisConnectionFactory connections;
    private final Duration pause;
    private final Supplier<LimiterStatistics> statistics;
    private volatile @Nullable ScheduledExecutorService checking;

    /** @param statistics of the limits that are in use */
    public EvictionWarning(RedisConnectionFactory connections, Supplier<LimiterStatistics> statistics) {
        this(connections, statistics, PAUSE);
    }

    /** @param pause before it checks a Redis again that was unavailable */
    EvictionWarning(RedisConnectionFactory connections, Supplier<LimiterStatistics> statistics, Duration pause) {
        this.connections = connections;
        this.statistics = statistics;
        this.pause = pause;
    }

    @Override
    public void start() {
        ScheduledExecutorService thread =
                Executors.newSingleThreadScheduledExecutor(LimiterThread.named("limiter-eviction-check"));
        checking = thread;
        thread.scheduleWithFixedDelay(
                () -> {
                    if (check()) {
                        thread.shutdown();
                    }
                },
                0,
                pause.toNanos(),
                TimeUnit.NANOSECONDS);
    }

    /** Without an interrupt: the client of Redis would not end if one hit it while it connects. */
    @Override
    public void stop() {
        ScheduledExecutorService thread = checking;
        checking = null;
        if (thread == null) {
            return;
        }
        thread.shutdown();
        try {
            if (!thread.awaitTermination(STOP.toMillis(), TimeUnit.MILLISECONDS)) {
                log.debug("The check whether Redis may evict keys has not ended yet.");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public boolean isRunning() {
        return checking != null;
    }

    /** Whether Redis has replied, even if only that the user has no right to {@code INFO}. */
    boolean check() {
        try (RedisConnection connection = connections.getConnection()) {
            Properties info = connection.serverCommands().info();
            warning(info).ifPresent(log::warn);
            longLimit(info)
                    .ifPresent(name -> log.warn(
                            "Redis has no append-only file, so after it restarts, callers of limit '{}' can be granted again the"
                                    + " permits that they have used since its last snapshot, or all of them. Set appendonly to yes.",
                            name));
            return true;
        } catch (RuntimeException e) {
            log.debug("Whether Redis may evict keys could not be read.", e);
            return !(e instanceof RedisConnectionFailureException || e instanceof QueryTimeoutException);
        }
    }

    /** The name of a limit that lasts longer than Redis may; empty if there is none yet. */
    private Optional<String> longLimit(@Nullable Properties info) {
        boolean keeps = info == null
                || info.stringPropertyNames().stream()
                        .filter(name -> name.endsWith(APPENDS))
                        .noneMatch(name -> info.getProperty(name).equals("0"));
        return keeps
                ? Optional.empty()
                : statistics.get().totals().stream()
                        .filter(totals ->
                                totals.limit().filter(EvictionWarning::isLong).isPresent())
                        .map(LimiterTotals::name)
                        .findFirst();
    }

    private static boolean isLong(AnyLimit limit) {
        return limit instanceof FixedWindow window && window.period().compareTo(LONG) >= 0;
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
        return "Redis may evict keys of limiters, whose callers then have all permits again: its maxmemory-policy is "
                + info.getProperty(node + POLICY) + ", and it has evicted "
                + info.getProperty(node + "evicted_keys", "0")
                + " keys since its start. Set maxmemory-policy to noeviction, or give the limiters a Redis of their own.";
    }
}
