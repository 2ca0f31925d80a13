package io.limiter.algorithm;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Never more than {@code limit} permits in <em>any</em> interval of length {@code period}, wherever it starts: a sliding
 * window log.
 *
 * <p>It remembers when each permit was granted, and a permit comes back one period later. So it is exact, where a
 * {@link FixedWindow} lets twice the limit through across a boundary and a {@link SlidingCounter} estimates; and it needs
 * memory for each grant: about 12 bytes for each microsecond in which something was granted within the last period, and
 * in Redis up to four times that, because what has left is cleared away only when it is about half of the log. All of it
 * is read for each decision. {@code docs/limits.md} has the figures.
 *
 * <p>A rejected request adds nothing. A limit or period that changes applies at once to what was granted; what a shorter
 * period has let go does not come back with a longer one. Permits that are refunded are the newest, those that are
 * cancelled the ones that were granted, as far as they still count. What is charged
 * counts even above the limit, up to 2,147,483,647 permits in one period; the oldest of more than twice the limit are
 * taken together, and leave with the last of them. If the clock steps back, grants that seem to
 * lie in the future count as made now, so nothing is freed and nobody is kept out for longer than one period.
 *
 * @param limit the most permits in any interval of one period, from 1 to 100,000
 * @param period the length of the interval, from 1 ms to 1,000 days
 */
public record SlidingLog(int limit, Duration period) implements Limit<GrantLog> {

    /** The largest limit. */
    public static final int MAX_LIMIT = 100_000;

    /** Above this limit a log is dear, and building a limiter says so in the log. */
    public static final int MODERATE_LIMIT = 1000;

    private static final long EXPIRE_MARGIN_MILLIS = 1000;

    public SlidingLog {
        if (limit < 1 || limit > MAX_LIMIT) {
            throw new IllegalArgumentException("limit of a sliding log must be between 1 and " + MAX_LIMIT + ", was "
                    + limit + (limit < 1 ? "" : ": use a SlidingCounter, which needs no memory for each grant"));
        }
        Check.duration("period", period, Duration.ofMillis(1));
    }

    /** At most so many permits in any interval of this length. */
    public static SlidingLog of(int limit, Duration period) {
        return new SlidingLog(limit, period);
    }

    public long periodMicros() {
        return Check.micros(period);
    }

    @Override
    public Class<GrantLog> stateType() {
        return GrantLog.class;
    }

    @Override
    public long capacity() {
        return limit;
    }

    @Override
    public SlidingLog scaled(double share) {
        return share == 1.0 ? this : new SlidingLog(Check.share(limit, share), period);
    }

    @Override
    public String keySuffix() {
        return ":log";
    }

    /** The script replies no more of a log than its own requests need. */
    @Override
    public boolean foreseesLarger() {
        return false;
    }

    /** Nothing is booked ahead, so the timeout makes no difference. */
    @Override
    public Step<GrantLog> step(@Nullable GrantLog state, long nowMicros, Request request) {
        Check.noId(request, this);
        double now = nowMicros;
        GrantLog found = state == null ? GrantLog.EMPTY : state;
        GrantLog log = found.notAfter(now);
        int first = log.firstAfter(now - periodMicros());
        double live = log.permitsFrom(first);
        boolean fits = live + request.permits() <= limit;
        boolean cancels = request.action() == Request.Action.REFUND && request.id() != 0;
        double givenBack = cancels
                ? Math.min(request.permits(), log.permitsAt(request.id(), first, now, limit))
                : request.permits();
        double after = switch (request.action()) {
            case TAKE -> fits ? live + request.permits() : live;
            case PEEK, RENEW -> live;
            case REFUND -> Math.max(0.0, live - givenBack);
            case CHARGE -> Math.min(live + request.permits(), GrantLog.MOST_PERMITS);
        };
        boolean asks = request.action() == Request.Action.TAKE || request.peek();
        boolean granted = fits || !asks;
        long retry = granted ? 0 : retryMicros(log, first, live, now, request.permits());
        // What lies in the future is moved once and for all: moved only in memory, it would go ahead with the clock.
        boolean save = after != live || (log != found && !request.peek());
        double kept = Math.min(live, after);
        GrantLog changed = !save
                ? log
                : cancels && after < live
                        ? log.without(givenBack, request.id(), first, now, limit)
                        : log.replaced(first, kept, after - kept, now, limit);
        boolean taken =
                granted && (request.action() == Request.Action.TAKE || request.action() == Request.Action.CHARGE);
        double reset = after == 0.0 ? 0.0 : leavesIn(changed.newestMicros(), now);
        return new Step<>(
                save ? changed : state,
                new Decision(
                        granted,
                        limit,
                        (long) Math.max(0.0, limit - after),
                        retry,
                        retry,
                        (long) reset,
                        Decision.Source.BACKEND,
                        taken ? nowMicros : 0));
    }

    private long retryMicros(GrantLog log, int first, double live, double now, int permits) {
        return permits > limit
                ? Decision.NEVER_MICROS
                : (long) leavesIn(log.timeOf(live + permits - limit, first), now);
    }

    private double leavesIn(double grantedMicros, double now) {
        return grantedMicros + periodMicros() - now;
    }

    @Override
    public long lifetimeMillis(GrantLog state, long nowMicros) {
        double leaves = state.size() == 0 ? 0.0 : leavesIn(state.newestMicros(), nowMicros);
        return Math.max(0, (long) Math.ceil(leaves / 1000.0)) + EXPIRE_MARGIN_MILLIS;
    }
}
