package io.limiter.internal.redis.script;

import io.limiter.internal.engine.KeyRequests;
import io.limiter.spi.LimitScript;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/** Encodes the argument of a script, as {@code batch.lua} and {@code set.lua} read it. Not thread-safe. */
final class ScriptArgument {

    private static final int SECTION_BYTES = Integer.BYTES + Short.BYTES;
    private static final int RUN_BYTES = 2 * Double.BYTES + Integer.BYTES;
    private static final int ROW_BYTES = Short.BYTES + 2 * Integer.BYTES;
    private static final int MAX_SHORT = 0xFFFF;

    private final long estimatedMicros;
    private ByteBuffer out = ByteBuffer.allocate(128).order(ByteOrder.LITTLE_ENDIAN);

    /**
     * @param estimatedMicros estimated server time
     */
    ScriptArgument(long estimatedMicros) {
        this.estimatedMicros = estimatedMicros;
    }

    /**
     * Begins a row of equal sets.
     *
     * @return to be given to {@link #endRow}
     */
    int startRow(int parts, int sets) {
        ensure(ROW_BYTES);
        out.putShort((short) parts).putInt(sets).putInt(0);
        return out.position();
    }

    /**
     * Adds a part of the sets in a row.
     *
     * @param key the number of its key, from 1 to 65,535
     * @param requests those of all sets
     * @param kind of its limit, from 0 to 255
     */
    void addPart(int key, KeyRequests<?> requests, int kind) {
        if (key > MAX_SHORT) {
            throw new IllegalArgumentException("at most " + MAX_SHORT + " keys of sets in one call, were " + key);
        }
        ensure(Short.BYTES + 1);
        out.putShort((short) key).put((byte) kind);
        addSection(1, requests, kind);
    }

    void endRow(int start) {
        out.putInt(start - Integer.BYTES, out.position() - start);
    }

    /**
     * Adds a section for several keys with equal limits and requests.
     *
     * @param kind of the limits
     */
    void addSection(int keys, KeyRequests<?> keyRequests, int kind) {
        LimitStep<Object> limit = LimitScripts.erased(keyRequests.limit());
        LimitScript<LimitStep<Object>, Object> script = LimitScripts.ofKind(kind);
        ensure(SECTION_BYTES + script.maxBytes(limit));
        int runsAt = out.position() + Integer.BYTES;
        out.putInt(keys).putShort((short) 0);
        script.writeParameters(limit, estimatedMicros, out);
        List<Request> requests = keyRequests.requests();
        int runs = 0;
        for (int first = 0; first < requests.size(); runs++) {
            Request request = requests.get(first);
            int end = first + 1;
            while (end < requests.size() && request.equals(requests.get(end))) {
                end++;
            }
            if (!request.isPlain() && request.mayBeRejected()) {
                addNote(request, limit);
                runs++;
            }
            ensure(RUN_BYTES);
            script.writeRequest(request, out);
            out.putInt(end - first);
            first = end;
        }
        if (runs > MAX_SHORT) {
            throw new IllegalArgumentException("at most " + MAX_SHORT + " different requests of one key, were " + runs);
        }
        out.putShort(runsAt, (short) runs);
    }

    /** Adds what the script has to know only about the requests of the next run. */
    private void addNote(Request request, LimitStep<?> limit) {
        if (request.takesFewer() && !limit.takesFewer() || request.leave() > 0 && !limit.leavesPermits()) {
            throw new IllegalArgumentException(
                    "the script of a " + limit.getClass().getSimpleName()
                            + " neither takes fewer permits nor leaves some, was " + request);
        }
        ensure(RUN_BYTES);
        out.putDouble(request.least()).putDouble(request.leave()).putInt(0);
    }

    /** The complete argument. */
    byte[] toBytes() {
        byte[] bytes = new byte[out.position()];
        out.flip().get(bytes);
        return bytes;
    }

    private void ensure(int more) {
        if (out.remaining() < more) {
            out = ByteBuffer.allocate(Math.max(2 * out.capacity(), out.position() + more))
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .put(out.flip());
        }
    }
}
