package io.limiter.internal.limiter;

import io.limiter.SetDecision;
import io.limiter.internal.arithmetic.Ranges;
import io.limiter.internal.engine.Ask;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.named.EffectiveLimit;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One limit of a set.
 *
 * @param permits how many this part takes for each permit of the set
 * @param takesFewer whether it takes fewer, at least one, if there are not as many; only of a set of one
 */
record SetPart(EngineLimiter<?> limiter, long permits, boolean takesFewer) {

    SetPart {
        Ranges.permits(permits);
    }

    /** One that takes all or nothing. */
    SetPart(EngineLimiter<?> limiter, long permits) {
        this(limiter, permits, false);
    }

    String storedKey() {
        return limiter.path.storedKey();
    }

    /** A peek looks at the ban, too. */
    PartRequest start(Request request) {
        EffectiveLimit<?> used = limiter.effective();
        Ask own = used.failover().start(storedKey(), used.step(), request);
        LimiterBan ban = request.isPeek() ? limiter.ban() : null;
        return new PartRequest(
                this,
                used.step(),
                request,
                own,
                ban == null ? null : used.failover().start(ban.keyOf(storedKey()), ban.ban(), Request.peek(1, 0)));
    }

    /** A request that is under way, with the request to its ban, which is {@code null} if there is no ban. */
    record PartRequest(
            SetPart part,
            LimitStep<?> limit,
            Request request,
            Ask own,
            @Nullable Ask ofBan) {

        Outcome await() {
            Outcome decided = own.await();
            return ofBan == null
                    ? decided
                    : Objects.requireNonNull(part.combined(limit, request, decided, ofBan.await()));
        }

        /** As {@link #await}, without blocking the calling thread. */
        CompletableFuture<Outcome> future() {
            return ofBan == null
                    ? own
                    : own.thenCombine(
                            ofBan,
                            (decided, byBan) -> Objects.requireNonNull(part.combined(limit, request, decided, byBan)));
        }
    }

    /** See {@link LimiterBan#combined}. */
    @Nullable
    Outcome combined(LimitStep<?> limit, Request request, @Nullable Outcome own, @Nullable Outcome ofBan) {
        LimiterBan ban = limiter.ban();
        return ban == null ? own : ban.combined(limiter.path, limit, request, own, ofBan);
    }

    PartRequest startPeek(long permitsOfSet) {
        return start(peek(permitsOfSet));
    }

    Request take(EffectiveLimit<?> used, long permitsOfSet, long timeoutMicros) {
        Request whole = used.take(permitsFor(permitsOfSet), timeoutMicros);
        return takesFewer ? whole.withLeast(1) : whole;
    }

    Request peek(long permitsOfSet) {
        return limiter.effective().leaving(Request.peek(permitsFor(permitsOfSet), 0));
    }

    Request refund(long permitsOfSet) {
        return limiter.effective().leaving(Request.refund(permitsFor(permitsOfSet)));
    }

    long permitsFor(long permitsOfSet) {
        // Here: the product of a negative number can be positive.
        Ranges.permits(permitsOfSet);
        if (permitsOfSet > Ranges.MAX_PERMITS / permits) {
            throw new IllegalArgumentException("permits must be at most " + Ranges.MAX_PERMITS / permits + " where "
                    + this + " takes " + permits + " for each, was " + permitsOfSet);
        }
        return permitsOfSet * permits;
    }

    /** Equal for requests that need as many permits of the same key under the same limit. */
    Object queueKey(long permitsOfSet) {
        EffectiveLimit<?> used = limiter.effective();
        return new QueueKey(storedKey(), take(used, permitsOfSet, 0), used.step());
    }

    private record QueueKey(String storedKey, Request request, LimitStep<?> limit) {}

    static SetDecision toDecision(List<SetPart> parts, Outcome decisions) {
        List<SetDecision.OfPart> decided = new ArrayList<>(parts.size());
        for (int i = 0; i < parts.size(); i++) {
            Outcome decision = decisions.part(i);
            if (decision != null) {
                decided.add(SetDecision.OfPart.of(parts.get(i).limiter(), decision.toDecision()));
            }
        }
        return SetDecision.of(decided);
    }

    /** The limit that the caller waits for. */
    static BoundLimit<?> slowest(SetDecision decided) {
        SetDecision.OfPart slowest = Collections.max(
                decided.parts(),
                Comparator.comparingLong(each -> each.decision().waitMicros()));
        return ((EngineLimiter<?>) slowest.limiter()).bound;
    }

    @Override
    public String toString() {
        return limiter.name();
    }
}
