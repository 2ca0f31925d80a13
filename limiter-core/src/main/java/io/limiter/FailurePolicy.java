package io.limiter;

import java.util.Locale;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Decides for a limiter when its backend does not: Redis fails, or does not answer in time. Immutable.
 *
 * <table>
 * <caption>The policies</caption>
 * <tr><td>{@link #LOCAL}</td><td>this JVM decides alone, under a share of the limit: over any length of time, each instance
 *     admits at most its share of the limit, but at least one permit, in addition to the permits that Redis grants</td></tr>
 * <tr><td>{@link #OWNER}</td><td>each key is owned by one of the instances that live limits have counted. The owner decides alone,
 *     under the whole limit, and all others reject as under {@code DENY}</td></tr>
 * <tr><td>{@link #DENY}</td><td>all requests are rejected, with a retry-after of the probe interval</td></tr>
 * <tr><td>{@link #ALLOW}</td><td>all requests are granted, so there is no limit until Redis has recovered</td></tr>
 * <tr><td>{@link #THROW}</td><td>the caller gets the {@link LimiterBackendException}</td></tr>
 * </table>
 *
 * <p>The {@linkplain io.limiter.Decision#source() source} of such a decision says that the policy made it. Refunds and charges go to the
 * local fallback under {@code LOCAL} and to that of the owner under {@code OWNER}. They are lost under {@code DENY} and {@code ALLOW}.
 * Limiters of a closed factory throw, whatever the policy.
 */
public final class FailurePolicy {

    /** The kinds of policy. */
    public enum Action {
        /** Reject. */
        DENY,
        /** Grant. */
        ALLOW,
        /** Decide in this JVM. */
        LOCAL,
        /** Decide in this JVM if it owns the key, otherwise reject. */
        OWNER,
        /** Fail. */
        THROW
    }

    /** Rejects all. */
    public static final FailurePolicy DENY = new FailurePolicy(Action.DENY, 0);

    /** Grants all. */
    public static final FailurePolicy ALLOW = new FailurePolicy(Action.ALLOW, 0);

    /** Throws the exception to the caller. */
    public static final FailurePolicy THROW = new FailurePolicy(Action.THROW, 0);

    /**
     * Decides in this JVM, under the share of one instance, which is 1 / instances. The instances are those that were alive when Redis
     * last answered. Live limits count them. Without live limits, the share is 1 / {@code expectedInstances}, which is the whole limit
     * unless set. A share of less than one permit is one permit, so a limit of few permits grants one for each instance.
     */
    public static final FailurePolicy LOCAL = new FailurePolicy(Action.LOCAL, 0);

    /**
     * One instance decides about each key, under the whole limit, and all others reject it. So even a limit of few permits is granted
     * only once, and not once for each instance. But behind a load balancer that does not route by the key, most callers reach an
     * instance that rejects them. Instances know each other from live limits, and one that does not know the others yet rejects all.
     */
    public static final FailurePolicy OWNER = new FailurePolicy(Action.OWNER, 0);

    private static final Pattern LOCAL_SHARE =
            Pattern.compile("local\\s*\\(\\s*([0-9.]{1,20}(?:e-?[0-9]{1,3})?)\\s*\\)", Pattern.CASE_INSENSITIVE);

    private final Action action;
    // 0 for that of one instance.
    private final double share;

    private FailurePolicy(Action action, double share) {
        this.action = action;
        this.share = share;
    }

    /** The policy with this action. {@code LOCAL} is under the share of one instance. */
    public static FailurePolicy of(Action action) {
        return switch (Objects.requireNonNull(action, "action")) {
            case DENY -> DENY;
            case ALLOW -> ALLOW;
            case LOCAL -> LOCAL;
            case OWNER -> OWNER;
            case THROW -> THROW;
        };
    }

    /**
     * The policy that a text of an annotation or a property names: {@code local}, {@code owner}, {@code deny}, {@code allow} or
     * {@code throw}, in upper or lower case, or {@code local} with a fixed share, {@code local(0.2)}.
     *
     * @throws IllegalArgumentException if the text is none of these, or the share is not more than 0 and at most 1
     */
    public static FailurePolicy parse(String text) {
        Matcher local = LOCAL_SHARE.matcher(Objects.requireNonNull(text, "text").strip());
        try {
            return local.matches()
                    ? local(Double.parseDouble(local.group(1)))
                    : of(Action.valueOf(text.strip().toUpperCase(Locale.ROOT)));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "must be local, owner, deny, allow or throw, or local with a share of more than 0 and at most 1, such as"
                            + " local(0.2), was '" + text + "'",
                    e);
        }
    }

    /**
     * Decides in this JVM, under a fixed share of the limit.
     *
     * @param share more than 0, at most 1, which is the whole limit
     * @throws IllegalArgumentException if out of range
     */
    public static FailurePolicy local(double share) {
        // Written so that NaN fails.
        if (!(share > 0 && share <= 1)) {
            throw new IllegalArgumentException("share must be more than 0 and at most 1, was " + share);
        }
        return new FailurePolicy(Action.LOCAL, share);
    }

    public Action action() {
        return action;
    }

    /** The fixed share of the limit. It is empty for the share of one instance, and for policies other than {@code LOCAL}. */
    public OptionalDouble share() {
        return share == 0 ? OptionalDouble.empty() : OptionalDouble.of(share);
    }

    /**
     * The share of the limit under which each instance decides alone with {@code LOCAL}. With {@code OWNER} it is the whole limit.
     *
     * @param instances how many there are, at least 1
     * @return more than 0, at most 1
     * @throws IllegalArgumentException if instances are less than 1
     */
    public double share(int instances) {
        if (instances < 1) {
            throw new IllegalArgumentException("instances must be at least 1, was " + instances);
        }
        if (action == Action.OWNER) {
            return 1;
        }
        return share == 0 ? 1.0 / instances : share;
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

    /** The text that {@link #parse} reads, such as {@code deny} or {@code local(0.2)}. */
    @Override
    public String toString() {
        String name = action.name().toLowerCase(Locale.ROOT);
        return share == 0 ? name : name + "(" + share + ")";
    }
}
