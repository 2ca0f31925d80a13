package io.limiter.benchmark.measure;

/**
 * The figures of one subject in one round of one cell.
 *
 * @param seconds how long was measured
 * @param granted decisions in that time that were grants
 * @param rejected decisions that were rejections
 * @param failed requests that ended in an exception and are no decisions
 * @param latency from request to decision
 * @param commandsSent to Redis by the clients
 * @param redis the script calls and processor time in Redis
 * @param clientCpuNanos processor time of this JVM
 * @param allocatedBytes allocated in this JVM
 */
public record Slice(
        double seconds,
        long granted,
        long rejected,
        long failed,
        Latency latency,
        long commandsSent,
        RedisStats redis,
        long clientCpuNanos,
        long allocatedBytes) {

    public long decisions() {
        return granted + rejected;
    }

    public double decisionsPerSecond() {
        return decisions() / seconds;
    }

    /** A total over all decisions, for one; not a number if there were none. */
    public double perDecision(double total) {
        return decisions() == 0 ? Double.NaN : total / decisions();
    }

    /** Microseconds of one script in Redis; not a number if none ran. */
    public double microsPerScript() {
        return redis.scriptCalls() == 0 ? Double.NaN : (double) redis.scriptMicros() / redis.scriptCalls();
    }
}
