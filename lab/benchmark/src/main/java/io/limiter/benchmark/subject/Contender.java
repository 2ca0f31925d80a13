package io.limiter.benchmark.subject;

/**
 * A rate limiter that can be opened as a subject.
 *
 * @param name as it is selected and shown
 * @param family its role in the comparison
 * @param inProcess whether its permits are in this JVM, not in Redis
 * @param async whether its subjects are {@link Subject.Async}s
 * @param guarantee how exactly it limits
 */
public record Contender(
        String name, Family family, boolean inProcess, boolean async, Guarantee guarantee, Opener opener) {

    /** The role of a contender in the comparison. */
    public enum Family {
        /** One of this project. */
        OURS,
        /** No limiter: the least a decision by a call to Redis can cost. Always grants. */
        FLOOR,
        PEER
    }

    /** How far the grants of a contender can exceed its limit. */
    public enum Guarantee {
        NONE(false, "limits nothing"),
        EXACT(true, "at most capacity + rate × time in any time, in the whole fleet"),
        EXACT_LOG(true, "never more than the limit within any period, in the whole fleet"),
        EXACT_IN_PROCESS(true, "at most capacity + rate × time in any time, in one JVM"),
        PREFETCH(false, "at most capacity + rate × (time + prefetch time) in any time, in the whole fleet"),
        WHOLE_SECONDS(false, "its clock has whole seconds, so up to twice the limit around the end of a second");

        private final boolean exact;
        private final String text;

        Guarantee(boolean exact, String text) {
            this.exact = exact;
            this.text = text;
        }

        /** Whether it never grants more than capacity + rate × time, so that it can be the best peer. */
        public boolean exact() {
            return exact;
        }

        public String text() {
            return text;
        }
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
}
