package io.limiter;

import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import java.util.List;
import java.util.Optional;

/**
 * What the limiters of one prefix and name have decided in this JVM since their factory was built. Reading is cheap, and the
 * numbers go on while they are read. Counted is every request for permits: not peeks, refunds and charges, nor permits that
 * were taken ahead or the renewals of leases.
 *
 * <p>Of a {@link LimitSet} that was granted each part counts as granted, of one that was rejected only the parts that reject.
 */
public interface LimiterTotals {

    /** The name of the entry that counts all together whose names were too many. */
    String OTHER = "other";

    /** What starts their keys in the backend. */
    String prefix();

    /** The limiters' name. */
    String name();

    /** The numbers that were built or set last; empty for {@link #OTHER} names. */
    Optional<Limit<?>> limit();

    /** What answers instead when the backend does not decide, as it was built last; empty for {@link #OTHER} names. */
    Optional<FailurePolicy> failurePolicy();

    /** {@link HashTag#FIRST_KEY} if one of the limiters was built with it. */
    HashTag hashTag();

    /** How many requests were granted. */
    long granted(Decision.Source source);

    /** How many requests were rejected. */
    long rejected(Decision.Source source);

    /** How many requests failed with a {@link LimiterBackendException}. */
    long errors();

    /**
     * Those keys that were asked for most in the last minutes, the hottest first. An estimate: it may have a key in place of
     * another with about as many requests, once there are more keys than it keeps.
     */
    List<HotKey> hottestKeys();

    /** How many requests were granted, whatever the source. */
    default long granted() {
        long sum = 0;
        for (Decision.Source source : Decision.Source.values()) {
            sum += granted(source);
        }
        return sum;
    }

    /** How many requests were rejected, whatever the source. */
    default long rejected() {
        long sum = 0;
        for (Decision.Source source : Decision.Source.values()) {
            sum += rejected(source);
        }
        return sum;
    }

    /**
     * A key that many ask for.
     *
     * @param key the caller's key, cut off behind 128 characters
     * @param requests about how many requests, of which those of the last minute count whole, those of the one before half,
     *     and so on
     */
    record HotKey(String key, long requests) {}
}
