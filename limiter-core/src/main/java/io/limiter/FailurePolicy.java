package io.limiter;

import java.util.Objects;

/**
 * Decides for a limiter when its backend does not: Redis fails, or does not answer in time. Immutable.
 *
 * <table>
 * <caption>The policies</caption>
 * <tr><td>{@link #LOCAL}</td><td>this JVM decides alone, under the same limit or a share of it: over any length of time,
 *     each instance admits at most its share of the limit on top of what Redis grants</td></tr>
 * <tr><td>{@link #DENY}</td><td>all requests are rejected, with a retry-after of the probe interval</td></tr>
 * <tr><td>{@link #ALLOW}</td><td>all requests are granted; there is no limit meanwhile</td></tr>
 * <tr><td>{@link #THROW}</td><td>the caller gets the {@link LimiterBackendException}</td></tr>
 * </table>
 *
 * <p>The {@linkplain io.limiter.algorithm.Decision#source() source} of such a decision says so. Refunds and charges meanwhile go
 * to the local fallback under {@code LOCAL}, and are lost under {@code DENY} and {@code ALLOW}.
 * Limiters of a factory that was closed throw, whatever the policy.
 */
public final class FailurePolicy {

    /** The kinds of policies. */
    public enum Action {
        /** Reject. */
        DENY,
        /** Grant. */
        ALLOW,
        /** Decide in this JVM. */
        LOCAL,
        /** Fail. */
        THROW
    }

    /** Rejects all. */
    public static final FailurePolicy DENY = new FailurePolicy(Action.DENY, 1.0);

    /** Grants all. */
    public static final FailurePolicy ALLOW = new FailurePolicy(Action.ALLOW, 1.0);

    /** Throws the exception to the caller. */
    public static final FailurePolicy THROW = new FailurePolicy(Action.THROW, 1.0);

    /** Decides in this JVM, under the whole limit. */
    public static final FailurePolicy LOCAL = new FailurePolicy(Action.LOCAL, 1.0);

    private final Action action;
    private final double share;

    private FailurePolicy(Action action, double share) {
        this.action = action;
        this.share = share;
    }

    /** The policy of an action, for {@code LOCAL} under the whole limit. */
    public static FailurePolicy of(Action action) {
        return switch (Objects.requireNonNull(action, "action")) {
            case DENY -> DENY;
            case ALLOW -> ALLOW;
            case LOCAL -> LOCAL;
            case THROW -> THROW;
        };
    }

    /**
     * Decides in this JVM, under a share of the limit: with {@code 1.0 / instances}, all of them together admit no more
     * than the limit if the load is spread evenly.
     *
     * @param share more than 0, at most 1
     * @throws IllegalArgumentException if out of range
     */
    public static FailurePolicy local(double share) {
        // Written so that NaN fails.
        if (!(share > 0 && share <= 1)) {
            throw new IllegalArgumentException("share must be more than 0 and at most 1, was " + share);
        }
        return share == 1.0 ? LOCAL : new FailurePolicy(Action.LOCAL, share);
    }

    public Action action() {
        return action;
    }

    /** The share of the limit under {@link #LOCAL}; 1 for other policies. */
    public double share() {
        return share;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FailurePolicy policy
                && policy.action == action
                && Double.compare(policy.share, share) == 0;
    }

    @Override
    public int hashCode() {
        return 31 * action.hashCode() + Double.hashCode(share);
    }

    @Override
    public String toString() {
        return share == 1.0 ? action.name() : action + "(" + share + ")";
    }
}
