package io.limiter;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The state of a factory's backend. */
public final class BackendState {

    /** The name of the node if there is only one. */
    public static final String ONLY_NODE = "Redis";

    private final boolean up;
    private final Instant since;
    private final @Nullable LimiterBackendException failure;
    private final List<FailingLimiter> failing;
    private final List<String> unavailableNodes;
    private final int nodes;
    private final double undecided;
    private final @Nullable LimiterBackendException undecidedBy;

    private BackendState(
            boolean up,
            Instant since,
            @Nullable LimiterBackendException failure,
            List<FailingLimiter> failing,
            List<String> unavailableNodes,
            int nodes,
            double undecided,
            @Nullable LimiterBackendException undecidedBy) {
        this.up = up;
        this.since = Objects.requireNonNull(since, "since");
        this.failure = failure;
        this.failing = List.copyOf(failing);
        this.unavailableNodes = List.copyOf(unavailableNodes);
        this.nodes = Math.max(nodes, Math.max(1, unavailableNodes.size()));
        this.undecided = undecided;
        this.undecidedBy = undecidedBy;
    }

    /** The state of a backend of one node, without limiters that fail permanently. */
    public static BackendState of(boolean up, Instant since, @Nullable LimiterBackendException failure) {
        return new BackendState(up, since, failure, List.of(), up ? List.of() : List.of(ONLY_NODE), 1, 0, null);
    }

    /** This state with other nodes: those that do not decide, and how many there are. */
    public BackendState withNodes(List<String> newUnavailableNodes, int newNodes) {
        return new BackendState(up, since, failure, failing, newUnavailableNodes, newNodes, undecided, undecidedBy);
    }

    /** This state with other limiters that fail permanently. */
    public BackendState withFailing(List<FailingLimiter> newFailing) {
        return new BackendState(up, since, failure, newFailing, unavailableNodes, nodes, undecided, undecidedBy);
    }

    /** This state with another share of decisions that the backend did not make. */
    public BackendState withUndecided(double newUndecided, @Nullable LimiterBackendException newUndecidedBy) {
        return new BackendState(up, since, failure, failing, unavailableNodes, nodes, newUndecided, newUndecidedBy);
    }

    /** The share of nodes that decide, from 0 to 1. */
    public double availability() {
        return (nodes - unavailableNodes.size()) / (double) nodes;
    }

    /** {@link #failure()}, if there was one. */
    public Optional<LimiterBackendException> lastFailure() {
        return Optional.ofNullable(failure);
    }

    /**
     * Whether the backend decides. Otherwise, the {@link FailurePolicy} decides for all limiters, or in a Redis Cluster for the keys of the
     * unavailable masters.
     */
    public boolean up() {
        return up;
    }

    /** The start of this state, or the time at which the factory was built if the backend was never unavailable. */
    public Instant since() {
        return since;
    }

    /** The last failure that counted against the backend, even after it has recovered, or {@code null} if there was none. */
    public @Nullable LimiterBackendException failure() {
        return failure;
    }

    /**
     * Limiters that fail permanently, for all or some of their keys, although the backend is up. At most 100 are named, and the others are
     * one entry named {@link LimiterTotals#OTHER}.
     */
    public List<FailingLimiter> failing() {
        return failing;
    }

    /** In a Redis Cluster, the masters that do not decide, as {@code host:port}. Elsewhere {@link #ONLY_NODE}, or none. */
    public List<String> unavailableNodes() {
        return unavailableNodes;
    }

    /** The number of masters in a Redis Cluster as far as it is known, and 1 elsewhere. */
    public int nodes() {
        return nodes;
    }

    /**
     * The share of the decisions of the last minute that the backend did not make, from 0 to 1, because a failure policy made them or the
     * request failed. Cached rejections and prefetched permits count as decisions of the backend.
     */
    public double undecided() {
        return undecided;
    }

    /** The last failure because of which a failure policy decided, or {@code null} if there was none. */
    public @Nullable LimiterBackendException undecidedBy() {
        return undecidedBy;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other
                || other instanceof BackendState that
                        && up == that.up
                        && since.equals(that.since)
                        && Objects.equals(failure, that.failure)
                        && failing.equals(that.failing)
                        && unavailableNodes.equals(that.unavailableNodes)
                        && nodes == that.nodes
                        && Double.compare(undecided, that.undecided) == 0
                        && Objects.equals(undecidedBy, that.undecidedBy);
    }

    @Override
    public int hashCode() {
        int hash = Boolean.hashCode(up);
        hash = 31 * hash + since.hashCode();
        hash = 31 * hash + Objects.hashCode(failure);
        hash = 31 * hash + failing.hashCode();
        hash = 31 * hash + unavailableNodes.hashCode();
        hash = 31 * hash + Integer.hashCode(nodes);
        hash = 31 * hash + Double.hashCode(undecided);
        hash = 31 * hash + Objects.hashCode(undecidedBy);
        return hash;
    }

    @Override
    public String toString() {
        return "BackendState[up=" + up + ", since=" + since + ", failure=" + failure + ", failing=" + failing
                + ", unavailableNodes=" + unavailableNodes + ", nodes=" + nodes + ", undecided=" + undecided
                + ", undecidedBy=" + undecidedBy + "]";
    }
}
