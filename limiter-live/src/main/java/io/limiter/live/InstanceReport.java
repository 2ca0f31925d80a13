package io.limiter.live;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What one instance reports.
 */
public final class InstanceReport {

    private final String instance;
    private final Instant at;
    private final long liveVersion;
    private final String backendState;
    private final List<LimitReport> limits;
    private final List<BannedKey> bans;

    private InstanceReport(
            String instance,
            Instant at,
            long liveVersion,
            String backendState,
            List<LimitReport> limits,
            List<BannedKey> bans) {
        this.instance = Objects.requireNonNull(instance, "instance");
        this.at = Objects.requireNonNull(at, "at");
        this.liveVersion = liveVersion;
        this.backendState = Objects.requireNonNull(backendState, "backendState");
        this.limits = List.copyOf(limits);
        this.bans = List.copyOf(bans);
    }

    /** Creates one with these values, which applications need only in tests. */
    public static InstanceReport of(
            String instance,
            Instant at,
            long liveVersion,
            String backendState,
            List<LimitReport> limits,
            List<BannedKey> bans) {
        return new InstanceReport(instance, at, liveVersion, backendState, limits, bans);
    }

    /** The name of the instance. */
    public String instance() {
        return instance;
    }

    /** When it reported, in server time. Reports older than 5 s are not shown. */
    public Instant at() {
        return at;
    }

    /** {@link LiveLimits#version()} there. */
    public long liveVersion() {
        return liveVersion;
    }

    /** {@link io.limiter.BackendState} there, as text. */
    public String backendState() {
        return backendState;
    }

    /** The limits by prefix and name. */
    public List<LimitReport> limits() {
        return limits;
    }

    /** The 100 longest bans that it knows. */
    public List<BannedKey> bans() {
        return bans;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof InstanceReport that
                && instance.equals(that.instance)
                && at.equals(that.at)
                && liveVersion == that.liveVersion
                && backendState.equals(that.backendState)
                && limits.equals(that.limits)
                && bans.equals(that.bans);
    }

    @Override
    public int hashCode() {
        return Objects.hash(instance, at, liveVersion, backendState, limits, bans);
    }

    @Override
    public String toString() {
        return "InstanceReport[instance=" + instance + ", at=" + at + ", liveVersion=" + liveVersion + ", backendState="
                + backendState + ", limits=" + limits + ", bans=" + bans + "]";
    }
}
