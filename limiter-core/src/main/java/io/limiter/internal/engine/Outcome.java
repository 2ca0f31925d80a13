package io.limiter.internal.engine;

import io.limiter.Decision;
import io.limiter.Decision.Source;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import io.limiter.step.Verdict;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What engines answer: a verdict, whose ticket cancels what it grants, and what decided. A limiter makes the {@link Decision} from it
 * that its caller gets, which has no ticket.
 *
 * @param verdict what was decided; for several parts, the verdict that the caller waits for the longest
 * @param source what decided
 * @param parts the outcomes of several parts, in their order, with {@code null} for a part that was not decided because another one is
 *     rejected by the cache; empty if there is one part, as mostly
 */
public record Outcome(Verdict verdict, Source source, List<@Nullable Outcome> parts) {

    /** With one part. */
    public Outcome(Verdict verdict, Source source) {
        this(verdict, source, List.of());
    }

    /** With one part, decided by the backend. */
    public static Outcome of(Verdict verdict) {
        return new Outcome(verdict, Source.BACKEND);
    }

    /** A grant that no state decides: the caller has all that it can use of the limit. */
    public static Outcome granted(LimitStep<?> limit, Request request, Source source) {
        long usable = limit.capacity() - request.leave();
        return new Outcome(Verdict.granted(usable, usable, 0), source);
    }

    /** A rejection that not the limit decides, so that it says how many permits the caller can use of that, and when. */
    public static Outcome rejected(
            LimitStep<?> limit, Request request, long retryAfterMicros, long fullAfterMicros, Source source) {
        long usable = limit.capacity() - request.leave();
        return new Outcome(Verdict.rejected(usable, 0, retryAfterMicros, fullAfterMicros), source);
    }

    /**
     * Of several parts: it is granted if each of them is. Of one, it is the outcome of that.
     *
     * @param parts at least one was decided
     */
    public static Outcome of(List<@Nullable Outcome> parts) {
        if (parts.size() == 1) {
            return Objects.requireNonNull(parts.get(0), "a decided part");
        }
        boolean granted = true;
        for (Outcome part : parts) {
            granted &= part != null && part.isGranted();
        }
        Outcome slowest = null;
        for (Outcome part : parts) {
            if (part != null && (granted || !part.isGranted()) && (slowest == null || part.isSlowerThan(slowest))) {
                slowest = part;
            }
        }
        Objects.requireNonNull(slowest, "a decided part");
        return new Outcome(slowest.verdict, slowest.source, parts);
    }

    private boolean isSlowerThan(Outcome other) {
        return isGranted() ? waitMicros() > other.waitMicros() : retryAfterMicros() > other.retryAfterMicros();
    }

    /** The outcome of a part; {@code null} if it was not decided. */
    public @Nullable Outcome part(int part) {
        return parts.isEmpty() ? this : parts.get(part);
    }

    /** This outcome, which has one part, from another source. */
    public Outcome withSource(Source newSource) {
        return new Outcome(verdict, newSource);
    }

    /** What the caller gets. */
    public Decision toDecision() {
        return Decision.of(verdict, source);
    }

    public boolean isGranted() {
        return verdict.isGranted();
    }

    public long limit() {
        return verdict.limit();
    }

    public long remaining() {
        return verdict.remaining();
    }

    public long waitMicros() {
        return verdict.waitMicros();
    }

    public long retryAfterMicros() {
        return verdict.retryAfterMicros();
    }

    public long fullAfterMicros() {
        return verdict.fullAfterMicros();
    }
}
