package io.limiter.spi;

import io.limiter.algorithm.Limit;
import io.limiter.algorithm.Request;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * How one kind of limit goes to Redis: its script, its numbers as the script takes them, and its state as the script
 * writes it. A kind that has none is decided only by the lock engine and the local one.
 *
 * <p>A kind of your own is registered as {@link java.util.ServiceLoader} wants it, by the name of its class in
 * {@code META-INF/services/io.limiter.spi.LimitScript}; see {@code docs/own-limit.md}. Implementations keep no state
 * and are used by many threads.
 *
 * @param <L> the kind of limit
 * @param <S> its state
 */
public abstract class LimitScript<L extends Limit<S>, S> {

    /** Longer than any wait that is ever granted, and exact as a double. */
    private static final long LONGEST_TIMEOUT = (1L << 53) - 1;

    // In place of a timeout.
    private static final double GIVE_BACK = -1.0;
    private static final double CHARGE = -2.0;

    private final Class<L> type;
    private final String script;

    /**
     * @param script the parts of the script, as {@code batch.lua} describes them
     */
    protected LimitScript(Class<L> type, String script) {
        this.type = type;
        this.script = script;
    }

    /** The kind of limit it is for. */
    public final Class<L> type() {
        return type;
    }

    /** The parts that stand in {@code batch.lua}. */
    public final String script() {
        return script;
    }

    /** The most bytes that {@link #writeNumbers} writes. */
    public abstract int maxBytes(L limit);

    /**
     * Writes the limit's numbers, little-endian, as the script reads them in its part {@code limit}.
     *
     * @param aboutMicros what Redis' clock may show, for numbers that hold for some time only. If it shows something else,
     *     the script answers the problem {@code TIME}, and is called again with what it showed.
     */
    public abstract void writeNumbers(L limit, long aboutMicros, ByteBuffer out);

    /**
     * Writes one request: 4 bytes and 8 bytes, little-endian, which {@code batch.lua} hands to the script as
     * {@code permits} and {@code timeout}. As it is, permits, negative to peek, and microseconds, -1 to give permits back,
     * -2 to charge them, -2 less its ticket to cancel a grant; a kind whose requests say something else writes it in these
     * twelve bytes.
     *
     * @throws IllegalArgumentException if this kind of limit has no such request
     */
    public void writeRequest(Request request, ByteBuffer out) {
        if (request.id() != 0 && request.action() != Request.Action.GIVE_BACK) {
            throw new IllegalArgumentException(
                    "the permits of a " + type.getSimpleName() + " are not held under an id, was " + request);
        }
        out.putInt(request.peek() ? -request.permits() : request.permits());
        out.putDouble(
                switch (request.action()) {
                    case TAKE, PEEK, RENEW -> Math.min(request.timeoutMicros(), LONGEST_TIMEOUT);
                    case GIVE_BACK -> request.id() == 0 ? GIVE_BACK : CHARGE - request.id();
                    case CHARGE -> CHARGE;
                });
    }

    /**
     * Reads what the script writes.
     *
     * @param value as stored, not empty
     * @param nowMicros when it was loaded
     * @param ttlMillis how much longer it will be stored; negative if for ever
     * @return {@code null} if this is not the script's spelling
     */
    public abstract @Nullable S readPacked(byte[] value, L limit, long nowMicros, long ttlMillis);

    /** The doubles of a packed value, or {@code null} if it does not start with this byte or has another length. */
    protected static double @Nullable [] unpack(byte[] value, int firstByte, int doubles, int otherBytes) {
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
