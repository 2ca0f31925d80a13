package io.limiter.spi;

import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The Lua script of one kind of limit, and the encodings of its parameters, requests and state. Only the lock engine and the local engine can
 * decide kinds of limit without a script.
 *
 * <p>To register a custom script with {@link java.util.ServiceLoader}, write the name of its class into {@code
 * META-INF/services/io.limiter.spi.LimitScript}. See {@code docs/own-limit.md}. Implementations are stateless and are used by multiple threads.
 *
 * @param <L> the kind of limit
 * @param <S> its state
 */
public abstract class LimitScript<L extends LimitStep<S>, S> {

    /** Longer than any wait that can be granted, and exact as a double. */
    private static final long LONGEST_TIMEOUT = (1L << 53) - 1;

    // Sent in place of a timeout.
    private static final double REFUND = -1.0;
    private static final double CHARGE = -2.0;
    private static final double PREFETCH_UNIT = 0x1p44;
    private static final double PREFETCH_TIMES = 0x1p24;

    private final Class<L> type;
    private final String script;

    /**
     * @param script the parts of the script, as {@code batch.lua} describes them
     */
    protected LimitScript(Class<L> type, String script) {
        this.type = Objects.requireNonNull(type, "type");
        this.script = Objects.requireNonNull(script, "script");
    }

    /** The class of the limits that this script decides. */
    public final Class<L> type() {
        return type;
    }

    /** The parts of the script that are inserted into {@code batch.lua}. */
    public final String script() {
        return script;
    }

    /** The most bytes that {@link #writeParameters} writes. */
    public abstract int maxBytes(L limit);

    /**
     * Writes the parameters of the limit, little-endian, as the script's part {@code limit} reads them.
     *
     * @param estimatedMicros estimated server time, for parameters that are valid during some time only. If they are not
     *     valid at the actual time, the script replies with the problem {@code TIME} and is called again with that
     *     time.
     */
    public abstract void writeParameters(L limit, long estimatedMicros, ByteBuffer out);

    /**
     * Writes one request: two doubles, little-endian, which {@code batch.lua} passes to the script as {@code
     * permits} and {@code timeout}. This default writes the permits (negative to peek) and the timeout in
     * microseconds (-1 to return permits, -2 to charge them, -2 minus the ticket to cancel a grant, between -1 and 0 to
     * prefetch). Override it to put something else into these sixteen bytes.
     *
     * @throws IllegalArgumentException if this kind of limit does not support the request
     */
    public void writeRequest(Request request, ByteBuffer out) {
        if (request.id() != 0 && request.action() != Request.Action.REFUND) {
            throw new IllegalArgumentException(
                    "the permits of a " + type.getSimpleName() + " are not held under an id, was " + request);
        }
        out.putDouble(request.isPeek() ? -request.permits() : request.permits());
        out.putDouble(
                switch (request.action()) {
                    case TAKE, PEEK, RENEW -> Math.min(request.timeoutMicros(), LONGEST_TIMEOUT);
                    case REFUND -> request.ticketMicros() == 0 ? REFUND : CHARGE - request.ticketMicros();
                    case CHARGE -> CHARGE;
                    case PREFETCH -> -(request.callMicros() * PREFETCH_TIMES + request.timeoutMicros()) / PREFETCH_UNIT;
                });
    }

    /**
     * Decodes a state that the script has written.
     *
     * @param value as stored, not empty
     * @param nowMicros when it was loaded
     * @param ttlMillis the remaining time to live, negative if the key has no expiry
     * @return {@code null} if the value is not in the script's encoding
     */
    public abstract @Nullable S readPacked(byte[] value, L limit, long nowMicros, long ttlMillis);

    /** Reads the doubles of a packed value, or returns {@code null} if its first byte or its length differs. */
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
