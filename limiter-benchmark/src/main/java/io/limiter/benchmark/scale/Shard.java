package io.limiter.benchmark.scale;

/** One Redis, which is one core: calls are executed one after the other, in the order in which they arrive. */
final class Shard {

    /** What a call does in Redis, at the time at which its script runs. */
    interface Script {
        void run(long serverMicros);
    }

    private final Timeline timeline;
    private final CallCost cost;
    private long freeAtNanos;
    private long busyNanos;
    private long calls;
    private long requests;
    private boolean lost;

    Shard(Timeline timeline, CallCost cost) {
        this.timeline = timeline;
        this.cost = cost;
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
        long start = Math.max(timeline.nowNanos() + cost.oneWayNanos(), freeAtNanos);
        long taken = cost.nanos(requests, keys);
        freeAtNanos = start + taken;
        timeline.at(start, () -> {
            if (lost) {
                return;
            }
            calls++;
            this.requests += requests;
            busyNanos += taken;
            script.run(timeline.nowNanos() / 1_000);
            timeline.at(start + taken + cost.oneWayNanos(), reply);
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
