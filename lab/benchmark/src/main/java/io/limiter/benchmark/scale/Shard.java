package io.limiter.benchmark.scale;

/** One Redis, which is one core: calls are executed one after the other, in the order in which they arrive. */
final class Shard {

    /** What a call does in Redis, at the time at which its script runs. */
    interface Script {
        void run(long serverMicros);
    }

    // Redis's processor time as the benchmark measures it: of limiter-plain for a call with one request for one key,
    // reading
    // it from the socket and writing the reply included; of limiter with 1,024 in flight on a hot key for each further
    // request, and on many keys for each further key.
    private static final long CALL_NANOS = 6_300;
    private static final long REQUEST_NANOS = 40;
    private static final long KEY_NANOS = 1_900;

    /** From an instance to Redis, and back. */
    private static final long ONE_WAY_NANOS = 150_000;

    private final Timeline timeline;
    private long freeAtNanos;
    private long busyNanos;
    private long calls;
    private long requests;
    private boolean lost;

    Shard(Timeline timeline) {
        this.timeline = timeline;
    }

    /** Calls in flight, and all that come, get no reply. */
    void lose() {
        lost = true;
    }

    void recover() {
        lost = false;
        freeAtNanos = timeline.nowNanos();
    }

    /** Sends a call. {@code reply} runs when its reply has arrived, if ever. */
    void call(int requests, int keys, Script script, Runnable reply) {
        if (lost) {
            return;
        }
        long start = Math.max(timeline.nowNanos() + ONE_WAY_NANOS, freeAtNanos);
        long taken = CALL_NANOS + (keys - 1) * KEY_NANOS + (requests - keys) * REQUEST_NANOS;
        freeAtNanos = start + taken;
        timeline.at(start, () -> {
            if (lost) {
                return;
            }
            calls++;
            this.requests += requests;
            busyNanos += taken;
            script.run(timeline.nowNanos() / 1_000);
            timeline.at(start + taken + ONE_WAY_NANOS, reply);
        });
    }

    long calls() {
        return calls;
    }

    long requests() {
        return requests;
    }

    long busyNanos() {
        return busyNanos;
    }

    void startMeasuring() {
        calls = 0;
        requests = 0;
        busyNanos = 0;
    }
}
