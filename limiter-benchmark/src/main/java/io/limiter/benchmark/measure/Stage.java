package io.limiter.benchmark.measure;

import io.limiter.benchmark.load.Cell;
import java.util.List;
import java.util.Map;

/** What a decision of the limiter consists of. */
public enum Stage {
    LOAD("the benchmark's own loop", 0, "io.limiter.benchmark."),
    WAITING(
            "waiting: yield, park, wake others",
            0,
            "java.util.concurrent.locks.LockSupport",
            "io.limiter.internal.batch.Yielding"),
    REQUEST(
            "request: key, cache, counting",
            1,
            "io.limiter.internal.limiter.",
            "io.limiter.internal.waiting.",
            "io.limiter.internal.key.",
            "io.limiter.internal.cache.",
            "io.limiter.internal.statistics."),
    QUEUE("queue and batch", 6, "io.limiter.internal.batch."),
    FUTURE("future: made, sent, completed", 4, "io.limiter.internal.engine."),
    DEADLINE("deadline and circuit breaker", 0, "io.limiter.internal.resilience.", "io.limiter.internal.time."),
    ENCODING(
            "arguments and reply",
            0,
            "io.limiter.internal.redis.",
            "io.limiter.internal.backend.",
            "io.limiter.redis."),
    SYSTEM_CALLS(
            "system calls of the connection",
            0,
            "sun.nio.ch.",
            "io.netty.channel.epoll.Native",
            "io.netty.channel.unix."),
    CLIENT("Lettuce and Netty", 0, "io.lettuce.", "io.netty.", "org.springframework.data.redis."),
    /** The JVM's own threads, and what threads do between Java and the kernel. */
    OTHER("not sampled: the JVM, and threads that park or wake up", 0);

    private final String title;
    private final int atomicOperations;
    private final List<String> prefixes;

    /**
     * @param atomicOperations how many an asynchronous decision on one key makes, without those that all decisions of a call
     *     share; counted by reading the code
     * @param prefixes what the names of its classes start with; the first stage that has one counts
     */
    Stage(String title, int atomicOperations, String... prefixes) {
        this.title = title;
        this.atomicOperations = atomicOperations;
        this.prefixes = List.of(prefixes);
    }

    public String title() {
        return title;
    }

    public int atomicOperations() {
        return atomicOperations;
    }

    /**
     * The stage of the innermost class that belongs to one; what it calls belongs to it too.
     *
     * @param classes of a stack, from the innermost
     */
    static Stage of(List<String> classes) {
        for (String name : classes) {
            for (Stage stage : values()) {
                if (stage.prefixes.stream().anyMatch(name::startsWith)) {
                    return stage;
                }
            }
        }
        return OTHER;
    }

    /**
     * What the stages of a decision cost under one load.
     *
     * @param nanos processor time for one decision
     * @param bytes allocated for one decision
     */
    public record Costs(Cell cell, Map<Stage, Double> nanos, Map<Stage, Double> bytes) {}
}
