package io.limiter.benchmark.measure;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScanIterator;
import io.lettuce.core.api.sync.RedisCommands;
import io.limiter.benchmark.load.Cell;
import io.limiter.benchmark.measure.Slice.Latency;
import io.limiter.benchmark.subject.RedisClients;
import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The Redis of a run, and a connection to read its meters, which no subject uses. */
public final class BenchmarkRedis implements AutoCloseable {

    private static final long LATE_MICROS = 700_000;
    private static final Pattern CPU_SECONDS = Pattern.compile("used_cpu_(?:sys|user):([0-9.]+)");

    private final String host;
    private final int port;
    private final String origin;
    private final RedisClient client;
    private final RedisCommands<String, String> redis;
    private final Map<Integer, RoundTrip> networks = new HashMap<>();

    private BenchmarkRedis(String host, int port, String origin) {
        this.host = host;
        this.port = port;
        this.origin = origin;
        this.client = RedisClient.create(RedisURI.create(host, port));
        this.redis = client.connect().sync();
    }

    /**
     * The Redis at an address, else one that is started.
     *
     * @param address such as {@code redis://host:port}, or blank
     * @throws IllegalArgumentException if it is no such address, or that Redis holds keys: they would be deleted
     */
    public static BenchmarkRedis open(String address) {
        if (address.isBlank()) {
            @SuppressWarnings("resource") // It ends with the JVM.
            RedisServer server = RedisServer.start();
            return new BenchmarkRedis("127.0.0.1", server.port(), server.origin());
        }
        URI uri = URI.create(address);
        if (!"redis".equals(uri.getScheme()) || uri.getHost() == null || uri.getPort() < 0) {
            throw new IllegalArgumentException("-Dredis must be redis://host:port, was " + address);
        }
        BenchmarkRedis given = new BenchmarkRedis(uri.getHost(), uri.getPort(), "given by -Dredis");
        long keys = given.redis.dbsize();
        if (keys > 0) {
            given.close();
            throw new IllegalArgumentException("-Dredis must be a Redis without keys, as all are deleted; " + address
                    + " holds " + keys + ": name another, or run FLUSHDB there first");
        }
        return given;
    }

    /** Connections without a network. */
    RedisClients clients() {
        return new RedisClients(host, port);
    }

    /** Connections for one subject in a cell. */
    RedisClients clients(Cell cell) {
        int micros = cell.roundTripMicros();
        return micros == 0
                ? clients()
                : new RedisClients("127.0.0.1", network(micros).port());
    }

    /** What a round trip of a cell's network takes; {@code null} without one. */
    @Nullable
    Latency roundTrip(Cell cell) {
        return cell.roundTripMicros() == 0
                ? null
                : network(cell.roundTripMicros()).measured();
    }

    private RoundTrip network(int micros) {
        return networks.computeIfAbsent(micros, unused -> RoundTrip.start(host, port, micros));
    }

    /** Version and origin. */
    public String description() {
        Matcher version = Pattern.compile("redis_version:(\\S+)").matcher(redis.info("server"));
        return (version.find() ? version.group(1) : "of unknown version") + " (" + origin + ")";
    }

    public int port() {
        return port;
    }

    /** Processor time of the server, in microseconds. */
    public double cpuMicros() {
        return 1e6
                * CPU_SECONDS
                        .matcher(redis.info("cpu"))
                        .results()
                        .mapToDouble(found -> Double.parseDouble(found.group(1)))
                        .sum();
    }

    public void deleteAllKeys() {
        redis.flushdb();
    }

    /** Bytes of all keys there are, with their values. */
    long bytesOfAllKeys() {
        return ScanIterator.scan(redis).stream()
                .mapToLong(key -> {
                    Long bytes = redis.memoryUsage(key);
                    return bytes == null ? 0 : bytes;
                })
                .sum();
    }

    /**
     * Returns late in a second of Redis's clock, where limiters that count in whole seconds are seen to grant what
     * belongs to the next.
     */
    void awaitLateInASecond() throws InterruptedException {
        long micros = Long.parseLong(redis.time().get(1));
        if (micros < LATE_MICROS) {
            TimeUnit.MICROSECONDS.sleep(LATE_MICROS - micros);
        }
    }

    @Override
    public void close() {
        networks.values().forEach(RoundTrip::close);
        client.shutdown(0, 1, TimeUnit.SECONDS);
    }
}
