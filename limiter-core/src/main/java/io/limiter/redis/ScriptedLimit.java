package io.limiter.redis;

import io.limiter.algorithm.Limit;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How one kind of limit goes to Redis: its script, its numbers as the script takes them, and its state as the script
 * writes it. A limit that is not listed here has no script, and only the lock engine can decide it.
 *
 * @param <L> the kind of limit
 * @param <S> its state
 */
abstract class ScriptedLimit<L extends Limit<S>, S> {

    /** All there are. */
    static final List<ScriptedLimit<?, ?>> ALL = List.of(new TokenBucketScript(), new FixedWindowScript());

    private final Class<L> type;
    private final String fileName;

    ScriptedLimit(Class<L> type, String fileName) {
        this.type = type;
        this.fileName = fileName;
    }

    /**
     * @throws IllegalArgumentException if there is no script for this kind of limit
     */
    static ScriptedLimit<?, ?> of(Limit<?> limit) {
        ScriptedLimit<?, ?> scripted = find(limit);
        if (scripted == null) {
            throw new IllegalArgumentException("there is no script for "
                    + limit.getClass().getName() + ": the script engine decides "
                    + ALL.stream().map(known -> known.type().getSimpleName()).toList() + ", the lock engine any limit");
        }
        return scripted;
    }

    /** {@code null} if there is no script for this kind of limit. */
    static @Nullable ScriptedLimit<?, ?> find(Limit<?> limit) {
        for (ScriptedLimit<?, ?> scripted : ALL) {
            if (scripted.type.isInstance(limit)) {
                return scripted;
            }
        }
        return null;
    }

    final Class<L> type() {
        return type;
    }

    final String fileName() {
        return fileName;
    }

    /** The most bytes that {@link #writeNumbers} writes. */
    abstract int maxBytes(L limit);

    abstract void writeNumbers(L limit, ByteBuffer out);

    /**
     * Reads what the script writes.
     *
     * @param value as stored, not empty
     * @param nowMicros when it was loaded
     * @param ttlMillis how much longer it will be stored; negative if for ever
     * @return {@code null} if this is not the script's spelling
     */
    abstract @Nullable S readPacked(byte[] value, L limit, long nowMicros, long ttlMillis);

    final int maxBytesOf(Limit<?> limit) {
        return maxBytes(type.cast(limit));
    }

    final void writeNumbersOf(Limit<?> limit, ByteBuffer out) {
        writeNumbers(type.cast(limit), out);
    }

    final @Nullable Object readPackedOf(byte[] value, Limit<?> limit, long nowMicros, long ttlMillis) {
        return readPacked(value, type.cast(limit), nowMicros, ttlMillis);
    }

    /** The doubles of a packed value, or {@code null} if it does not start with this byte or has another length. */
    static double @Nullable [] unpack(byte[] value, int firstByte, int doubles, int otherBytes) {
        if (value[0] != firstByte || value.length != 1 + doubles * Double.BYTES + otherBytes) {
            return null;
        }
        double[] unpacked = new double[doubles];
        ByteBuffer.wrap(value, 1, doubles * Double.BYTES)
                .slice()
                .order(ByteOrder.LITTLE_ENDIAN)
                .asDoubleBuffer()
                .get(unpacked);
        return unpacked;
    }
}
