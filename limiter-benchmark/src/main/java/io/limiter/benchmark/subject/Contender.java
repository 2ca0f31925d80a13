package io.limiter.benchmark.subject;

/**
 * A rate limiter that can be opened as a subject.
 *
 * @param name as it is selected and shown
 * @param family which part it has in the comparison
 * @param where where its permits are
 * @param async whether its subjects are {@link AsyncSubject}s
 */
public record Contender(String name, Family family, Where where, boolean async, Opener opener) {

    /** Which part a contender has in the comparison. */
    public enum Family {
        /** One of this project. */
        OURS,
        /** No limiter: the least that one which asks Redis for each decision can cost. Always grants. */
        FLOOR,
        PEER
    }

    /** Where the permits of a contender are. */
    public enum Where {
        REDIS,
        IN_PROCESS
    }

    /** How a contender is made ready to decide. */
    @FunctionalInterface
    public interface Opener {

        /**
         * @param clients its own connections; whoever opens it closes them after the subject
         * @param allowance what each id is allowed
         * @param ids whose permits are asked for, 16 characters each
         */
        Subject open(RedisClients clients, Allowance allowance, String[] ids);
    }

    public boolean isFloor() {
        return family == Family.FLOOR;
    }

    public boolean inProcess() {
        return where == Where.IN_PROCESS;
    }
}
