package io.limiter.benchmark.subject;

/**
 * A rate limiter that can be opened as a subject.
 *
 * @param name as it is selected and shown
 * @param family its role in the comparison
 * @param where where its permits are stored
 * @param async whether its subjects are {@link AsyncSubject}s
 * @param guarantee how exactly it limits
 */
public record Contender(String name, Family family, Where where, boolean async, Guarantee guarantee, Opener opener) {

    /** The role of a contender in the comparison. */
    public enum Family {
        /** One of this project. */
        OURS,
        /** No limiter: the least a decision by a call to Redis can cost. Always grants. */
        FLOOR,
        PEER
    }

    /** Where the permits of a contender are stored. */
    public enum Where {
        REDIS,
        IN_PROCESS
    }

    /** How a contender is made ready to decide. */
    @FunctionalInterface
    public interface Opener {

        /**
         * @param clients its own connections; the caller closes them after the subject
         * @param allowance the limit of each id
         * @param ids the keys, 16 characters each
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
