package io.limiter.internal.live.store;

import io.limiter.LimiterBackendException;
import io.limiter.internal.backend.AsyncFailures;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.redis.client.LuaScript;
import io.limiter.internal.redis.client.RedisCalls;
import io.limiter.internal.redis.client.RedisErrors;
import io.limiter.live.LiveLimits;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/**
 * The live limits of a fleet in Redis, with one script for each read and write. All keys have one hash tag, so they are on one
 * node of a Cluster. Methods block, and throw {@link LimiterBackendException} if Redis fails.
 */
public final class LiveStore {

    /** Longer than a decision may take, because ten thousand live limits are some megabytes. */
    private static final Duration SHORTEST_TIMEOUT = Duration.ofSeconds(2);

    /** The field with the secret; see changes.lua. */
    private static final String SECRET = "\t";

    /** The channel of hints, and what all keys start with. */
    public final String channel;

    public final String limits;
    private final String version;
    private final String changes;
    private final String keys;
    private final String watched;
    private final String fleet;
    private final String instances;
    private final RedisCalls redis;
    private final Duration timeout;
    private final int kept;
    private final LuaScript read;
    private final LuaScript write;
    private final LuaScript restore;
    private final LuaScript history;
    private final LuaScript watch;
    private final LuaScript secret;
    private final LuaScript report;
    private final LuaScript alive;
    // Offered where Redis has lost it.
    private volatile String knownSecret = "";

    /**
     * @param clock Lua that sets {@code now} in microseconds
     * @param namespace of the factory; empty for none
     * @param kept how many changes of each limit the history keeps
     */
    public LiveStore(RedisCalls redis, String clock, Duration decisionTimeout, String namespace, int kept) {
        this.channel = channel(namespace);
        this.limits = channel + ":limits";
        this.version = channel + ":version";
        this.changes = channel + ":history";
        this.keys = channel + ":keys";
        this.watched = channel + ":watched";
        this.fleet = channel + ":fleet";
        this.instances = channel + ":instances";
        this.redis = redis;
        this.kept = kept;
        this.timeout = decisionTimeout.compareTo(SHORTEST_TIMEOUT) > 0 ? decisionTimeout : SHORTEST_TIMEOUT;
        String parts = resource("changes.lua");
        this.read = LuaScript.of(clock, parts, resource("read.lua"));
        this.write = LuaScript.of(clock, parts, resource("write.lua"));
        this.restore = LuaScript.of(clock, parts, resource("restore.lua"));
        this.history = LuaScript.of(resource("history.lua"));
        this.watch = LuaScript.of(clock, parts, resource("watch.lua"));
        this.secret = LuaScript.of(clock, parts, resource("secret.lua"));
        this.report = LuaScript.of(clock, resource("report.lua"));
        this.alive = LuaScript.of(clock, resource("alive.lua"));
    }

    /** Encoded as a name is in the keys of limiters, so that a namespace cannot choose the hash tag or imitate another. */
    private static String channel(String namespace) {
        return namespace.isEmpty() ? "{limiter:live}" : "{limiter:live:" + KeySpace.encodeName(namespace) + "}";
    }

    private static String resource(String name) {
        return LuaScript.resource(LiveStore.class, name);
    }

    /**
     * What has changed since a version.
     *
     * @param version of the newest change
     * @param stamp of the newest change
     * @param nowMicros server time
     * @param watched whether reports are wanted
     * @param complete whether the changes are all since the reader's version; otherwise {@code limits} are all that exist
     * @param changes entries of the history, newest first
     * @param limits by field
     * @param secret of the hashes of keys; empty before it is needed
     * @param instances how many are alive and have counted
     * @param behind whether Redis has lost nothing that the reader has, because the history has the reader's newest change
     */
    public record Read(
            long version,
            String stamp,
            long nowMicros,
            boolean watched,
            boolean complete,
            List<String> changes,
            Map<String, String> limits,
            String secret,
            int instances,
            boolean behind) {}

    /**
     * @param hasLimits whether the reader has limits that Redis must have, too
     * @param expired fields of limits that have expired, to be removed
     */
    public Read read(long knownVersion, String stamp, boolean hasLimits, List<String> expired) {
        List<Object> arguments = new ArrayList<>(List.of(knownVersion, stamp, hasLimits ? 1 : 0));
        arguments.addAll(expired);
        List<Object> reply = call(read, List.of(limits, version, changes, watched, instances), arguments);
        Map<String, String> all = pairs(reply.get(6));
        all.remove(SECRET);
        String readSecret = text(reply.get(7));
        if (!readSecret.isEmpty()) {
            knownSecret = readSecret;
        }
        return new Read(
                Long.parseLong(text(reply.get(0))),
                text(reply.get(1)),
                Long.parseLong(text(reply.get(2))),
                !text(reply.get(3)).isEmpty(),
                text(reply.get(4)).equals("1"),
                texts(reply.get(5)),
                all,
                readSecret,
                Integer.parseInt(text(reply.get(8))),
                text(reply.get(9)).equals("1"));
    }

    /**
     * Stores or removes a limit, if it has the expected version.
     *
     * @param expectedVersion of the limit that it replaces; 0 for none
     * @param knownVersion the newest version that this instance has seen
     * @param lastsMicros after which the limit expires; 0 if it does not, or at {@code expiresMicros}
     * @param limit empty to remove it
     * @param note who and why
     * @param usedSecret with which the key is hashed; empty if this instance knows none
     * @return {@code done} and the entry of the history; {@code conflict} and the stored limit, empty if there is none;
     *     {@code nothing} if there is none to remove; {@code full} if there are too many of keys; or {@code secret} if the
     *     field has the hash of a key, and Redis another secret, or neither has one
     */
    public List<String> write(
            String field,
            long expectedVersion,
            long knownVersion,
            long lastsMicros,
            long expiresMicros,
            String limit,
            String note,
            String usedSecret) {
        return texts(call(
                write,
                List.of(limits, version, changes, keys),
                List.of(
                        channel,
                        field,
                        expectedVersion,
                        knownVersion,
                        newStamp(),
                        lastsMicros,
                        expiresMicros,
                        limit,
                        note,
                        kept,
                        LiveLimits.MAX_KEYS,
                        usedSecret)));
    }

    private static String newStamp() {
        return UUID.randomUUID().toString();
    }

    /**
     * Writes back what is newer in a copy than here.
     *
     * @param copyVersion of the newest change in the copy
     * @param copiedSecret of the hashes of keys; empty if there is none
     * @param copied of each limit the field, the value, and who and why
     * @return the fields of those that were written
     */
    public List<String> restore(long copyVersion, String copiedSecret, List<String> copied) {
        List<Object> arguments = new ArrayList<>(List.of(channel, copyVersion, newStamp(), kept, copiedSecret));
        arguments.addAll(copied);
        return texts(call(restore, List.of(limits, version, changes, keys), arguments));
    }

    /** Entries of the history, each followed by its version, newest first. */
    public List<String> history(int most, long before) {
        return texts(call(history, List.of(changes), List.of(before, most)));
    }

    /**
     * Requests reports, and returns those that are there, by instance.
     *
     * @param time how long instances report
     */
    public Map<String, String> watch(Duration time) {
        return pairs(call(
                watch,
                List.of(watched, fleet, limits),
                List.of(channel, time.toMillis(), knownSecret, UUID.randomUUID())));
    }

    /** Makes the secret of the hashes of keys, unless there is one: that which was read last, otherwise a new one. */
    public void makeSecret() {
        // A random UUID has 122 bits of SecureRandom.
        call(secret, List.of(limits), List.of(knownSecret, UUID.randomUUID()));
    }

    public void report(String instance, String json, Duration lasts) {
        call(report, List.of(fleet), List.of(instance, json, lasts.toMillis()));
    }

    /**
     * Records that an instance is alive.
     *
     * @param instance a name that ends with a colon and the milliseconds for which it counts
     * @param counts for how long
     * @param withNames whether the names of all are wanted
     */
    public Alive alive(String instance, Duration counts, boolean withNames) {
        List<Object> reply = call(alive, List.of(instances), List.of(instance, counts.toMillis(), withNames ? 1 : 0));
        return new Alive(
                Integer.parseInt(text(reply.get(0))), text(reply.get(1)).equals("1"), texts(reply.get(2)));
    }

    /**
     * The instances that are alive.
     *
     * @param added whether the instance that called was not counted
     * @param names of all, if they were wanted
     */
    public record Alive(int instances, boolean added, List<String> names) {}

    /** Records that an instance ends, without waiting for that: an end must not wait for a Redis that is gone. */
    public void leave(String instance) {
        redis.start(alive, timeout, bytes(List.of(instances)), bytes(List.of(instance, 0)));
    }

    /** After a failure: the connection may be one over which no answer arrives any more. */
    public void reconnect() {
        if (!redis.isConnected(version)) {
            redis.reconnect(version);
        }
    }

    private List<Object> call(LuaScript script, List<String> keys, List<?> arguments) {
        try {
            return AsyncFailures.join(redis.start(script, timeout, bytes(keys), bytes(arguments)));
        } catch (RuntimeException e) {
            throw RedisErrors.of(keys.get(0), e);
        }
    }

    private static byte[][] bytes(List<?> values) {
        return values.stream()
                .map(value -> value.toString().getBytes(StandardCharsets.UTF_8))
                .toArray(byte[][]::new);
    }

    private static List<String> texts(Object reply) {
        return ((List<?>) reply).stream().map(LiveStore::text).toList();
    }

    private static Map<String, String> pairs(Object reply) {
        List<String> all = texts(reply);
        Map<String, String> pairs = new TreeMap<>();
        for (int i = 0; i + 1 < all.size(); i += 2) {
            pairs.put(all.get(i), all.get(i + 1));
        }
        return pairs;
    }

    private static String text(Object reply) {
        return new String((byte[]) reply, StandardCharsets.UTF_8);
    }
}
