package io.limiter;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The state of a factory's backend.
 *
 * @param up whether the backend decides; otherwise the {@link FailurePolicy} decides for all limiters, in a Redis Cluster for
 *     the keys of the unavailable masters
 * @param since the start of this state; if the backend was never unavailable, when the factory was built
 * @param failure the last failure that counted against the backend, kept after it has recovered; {@code null} if none
 * @param failing limiters that fail permanently, for all or some of their keys, although the backend is up; at most 100 by
 *     name, the others as one named {@link LimiterTotals#OTHER}
 * @param unavailableNodes in a Redis Cluster, the masters that do not decide, as {@code host:port}; elsewhere {@link
 *     #ONLY_NODE}, or none
 * @param nodes the number of masters in a Redis Cluster as far as it is known, and 1 elsewhere
 * @param undecided the share of the decisions of the last minute that the backend did not make, from 0 to 1: those of failure
 *     policies and of requests that failed; with cached rejections and prefetched permits, the backend has decided
 * @param undecidedBy the last failure that made a failure policy decide; {@code null} if there was none
 */
public record BackendState(
        boolean up,
        Instant since,
        @Nullable LimiterBackendException failure,
        List<FailingLimiter> failing,
        List<String> unavailableNodes,
        int nodes,
        double undecided,
        @Nullable LimiterBackendException undecidedBy) {

    /** The name of the node where there is one only. */
    public static final String ONLY_NODE = "Redis";

    public BackendState {
        failing = List.copyOf(failing);
        unavailableNodes = List.copyOf(unavailableNodes);
        nodes = Math.max(nodes, Math.max(1, unavailableNodes.size()));
    }

    /** With one node, and without limiters that fail permanently. */
    public BackendState(boolean up, Instant since, @Nullable LimiterBackendException failure) {
        this(up, since, failure, List.of(), up ? List.of() : List.of(ONLY_NODE), 1);
    }

    /** Without decisions that the backend did not make. */
    public BackendState(
            boolean up,
            Instant since,
            @Nullable LimiterBackendException failure,
            List<FailingLimiter> failing,
            List<String> unavailableNodes,
            int nodes) {
        this(up, since, failure, failing, unavailableNodes, nodes, 0, null);
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
}
