package io.limiter.algorithm;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.limiter.internal.arithmetic.Ranges;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import io.limiter.step.Step;
import io.limiter.step.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * At most {@code limit} permits held at the same time. A holder acquires permits under an id that it chooses, and
 * releases them under the same id.
 *
 * <p>Each holder has a <em>lease</em> that expires after {@code leaseTime} unless it is renewed, so the permits of a crashed holder become free. At
 * most {@code limit} permits are held under live leases, according to the clock of the backend. A holder that lost its lease and continues to work is
 * not counted, and has to detect that.
 *
 * <p>A request that {@linkplain Request#holdOrWait waits} and is rejected leaves a ticket for {@value Request#TICKET_MICROS} microseconds, which each
 * further try under its id renews. Whoever waits longest is served first. A request therefore cannot take the permits of earlier tickets, except those
 * of a lower limit that could not be granted now. The ticket becomes the lease, or ends with a release.
 *
 * <p>All requests are idempotent. A second acquisition under an id renews its lease and takes no more permits, and a release or renewal without a lease
 * changes nothing. So a request whose answer was lost can be followed by a release, and a late release or renewal affects no other holder.
 *
 * <p>The {@code retryAfter} of a rejection is when enough leases expire if none is renewed or released. The request may
 * be granted earlier, or not even then.
 *
 * <p>The leases are those of Gray and Cheriton, <em>Leases: An Efficient Fault-Tolerant Mechanism for Distributed File
 * Cache Consistency</em> (1989), with several holders.
 */
public final class ConcurrencyLimit implements AnyLimit, LimitStep<ConcurrencyLimit.State> {

    /** How long a lease lasts by default. */
    public static final Duration DEFAULT_LEASE_TIME = Duration.ofSeconds(30);

    private static final int MAX_LIMIT = 1000;
    private static final int MAX_TICKETS = 1000;

    private final long limit;
    private final Duration leaseTime;

    private ConcurrencyLimit(long limit, Duration leaseTime) {
        Ranges.range("limit", limit, 1, MAX_LIMIT);
        Ranges.duration("leaseTime", leaseTime, Duration.ofMillis(100));

        this.limit = limit;
        this.leaseTime = leaseTime;
    }

    /** A limit on the permits held at the same time, with leases of 30 s. */
    public static ConcurrencyLimit of(long limit) {
        return new ConcurrencyLimit(limit, DEFAULT_LEASE_TIME);
    }

    /** This limit with another lease time, from 100 ms to 1,000 days. */
    public ConcurrencyLimit withLeaseTime(Duration newLeaseTime) {
        return new ConcurrencyLimit(limit, newLeaseTime);
    }

    /**
     * This lease time with the highest limit, under which a peek sees all permits, also those of an earlier, higher
     * limit.
     */
    public ConcurrencyLimit withMostPermits() {
        return new ConcurrencyLimit(MAX_LIMIT, leaseTime);
    }

    public long leaseMicros() {
        return Ranges.micros(leaseTime);
    }

    /** The most permits held at the same time, from 1 to 1,000, because each decision reads all holders. */
    public long limit() {
        return limit;
    }

    /** How long a lease lasts unless it is renewed, from 100 ms to 1,000 days. */
    public Duration leaseTime() {
        return leaseTime;
    }

    @Override
    public ConcurrencyLimit asStep() {
        return this;
    }

    @Override
    public Class<State> stateType() {
        return State.class;
    }

    @Override
    public long capacity() {
        return limit;
    }

    @Override
    public ConcurrencyLimit scaled(double share) {
        return share == 1.0 ? this : new ConcurrencyLimit(Ranges.share(limit, share), leaseTime);
    }

    @Override
    public String keySuffix() {
        return ":holders";
    }

    /** False: eviction would release permits that are still held. */
    @Override
    public boolean isEvictable() {
        return false;
    }

    /** False: a holder may release its permits at any time. */
    @Override
    public boolean isCacheable(Verdict rejection) {
        return false;
    }

    /**
     * {@inheritDoc}
     *
     * @throws IllegalArgumentException if permits are acquired or released without an id, or charged: they could not be
     *     released
     */
    @Override
    public Step<State> step(@Nullable State state, long nowMicros, Request request) {
        checkId(request);
        List<Holder> live = new ArrayList<>();
        boolean bound = false;
        for (Holder holder : state == null ? List.<Holder>of() : state.holders()) {
            if (holder.isLive(nowMicros)) {
                Holder bounded = holder.bound(nowMicros);
                bound |= bounded != holder;
                live.add(bounded);
            }
        }
        int at = indexOf(live, request.id());
        long retry = retryAfterMicros(live, at, nowMicros, request);
        if (request.isPeek()) {
            return Step.of(state, verdict(live, nowMicros, retry));
        }
        boolean changed = request.action() == Request.Action.REFUND
                ? at >= 0 && live.remove(at) != null
                : retry == 0 ? hold(live, at, nowMicros, request) : queue(live, at, nowMicros, request);
        return Step.of(changed || bound ? new State(live) : state, verdict(live, nowMicros, retry));
    }

    /** Acquires a lease, or renews one. */
    private boolean hold(List<Holder> live, int at, long nowMicros, Request request) {
        boolean renews = at >= 0 && !live.get(at).isTicket();
        long permits = renews ? live.get(at).permits() : request.permits();
        Holder held = new Holder(request.id(), permits, nowMicros + leaseMicros(), leaseMicros());
        if (renews) {
            live.set(at, held);
        } else {
            if (at >= 0) {
                live.remove(at);
            }
            live.add(held);
        }
        return true;
    }

    /** Leaves a ticket, or renews one, if the request waits. */
    private boolean queue(List<Holder> live, int at, long nowMicros, Request request) {
        boolean waits = request.action() == Request.Action.TAKE && request.timeoutMicros() > 0;
        if (!waits || request.permits() > limit) {
            return false;
        }
        Holder ticket = new Holder(request.id(), request.permits(), nowMicros + Request.TICKET_MICROS, -limit);
        if (at >= 0) {
            live.set(at, ticket);
            return true;
        }
        return live.stream().filter(Holder::isTicket).count() < MAX_TICKETS && live.add(ticket);
    }

    @Override
    public long lifetimeMillis(State state, long nowMicros) {
        return Ranges.lifetimeMillis(lastExpiryMicros(state.holders(), nowMicros));
    }

    /**
     * @throws IllegalArgumentException if the request has no id, is a charge or a prefetch, or is for fewer permits, too
     */
    public static void checkId(Request request) {
        if (Objects.requireNonNull(request, "request").action() == Request.Action.CHARGE
                || request.action() == Request.Action.PREFETCH
                || !request.isPlain()
                || !request.isPeek() && request.id() == 0) {
            throw new IllegalArgumentException(
                    "permits of a ConcurrencyLimit are held under an id and released under it, was " + request);
        }
    }

    private static int indexOf(List<Holder> holders, long id) {
        for (int i = 0; i < holders.size(); i++) {
            if (holders.get(i).id() == id) {
                return i;
            }
        }
        return -1;
    }

    /**
     * 0 if the request is granted, otherwise the time until enough leases expire.
     *
     * @param at the place of the holder with the id of the request, negative if there is none
     */
    private long retryAfterMicros(List<Holder> live, int at, long nowMicros, Request request) {
        return switch (request.action()) {
            case REFUND -> 0;
            case RENEW -> holds(live, at) ? 0 : Verdict.NEVER_MICROS;
            case TAKE -> holds(live, at) ? 0 : retryAfterMicros(live, at, nowMicros, request.permits());
            case PEEK, CHARGE, PREFETCH -> retryAfterMicros(live, -1, nowMicros, request.permits());
        };
    }

    private static boolean holds(List<Holder> live, int at) {
        return at >= 0 && !live.get(at).isTicket();
    }

    /** @param at the place of its ticket, negative if there is none, so that all others are before it */
    private long retryAfterMicros(List<Holder> live, int at, long nowMicros, long permits) {
        if (permits > limit) {
            return Verdict.NEVER_MICROS;
        }
        long held = held(live);
        List<Holder> before = new ArrayList<>(live.size());
        long tooMany = permits - limit;
        for (int i = 0; i < live.size(); i++) {
            Holder holder = live.get(i);
            if (!holder.isTicket() || (at < 0 || i < at) && comesBefore(holder, held)) {
                before.add(holder);
                tooMany += holder.permits();
            }
        }
        if (tooMany <= 0) {
            return 0;
        }
        before.sort(Comparator.comparingLong(Holder::expiresMicros));
        for (Holder holder : before) {
            tooMany -= holder.permits();
            if (tooMany <= 0) {
                return holder.expiresMicros() - nowMicros;
            }
        }
        throw new IllegalStateException("there are no " + permits + " permits of " + limit + " without holders");
    }

    /** Whether the permits of an earlier ticket are kept for it. One under a lower limit must not hold up others in vain. */
    private boolean comesBefore(Holder ticket, long held) {
        return ticket.limitOfTicket() >= limit || held + ticket.permits() <= ticket.limitOfTicket();
    }

    private static long held(List<Holder> live) {
        long held = 0;
        for (Holder holder : live) {
            held += holder.isTicket() ? 0 : holder.permits();
        }
        return held;
    }

    private Verdict verdict(List<Holder> live, long nowMicros, long retryAfterMicros) {
        return Verdicts.of(
                retryAfterMicros == 0,
                limit,
                limit - held(live),
                retryAfterMicros,
                lastExpiryMicros(live, nowMicros),
                0);
    }

    /** How long until all leases have expired. */
    private static long lastExpiryMicros(List<Holder> holders, long nowMicros) {
        long last = 0;
        for (Holder holder : holders) {
            last = Math.max(last, holder.expiresMicros() - nowMicros);
        }
        return last;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other
                || other instanceof ConcurrencyLimit that && limit == that.limit && leaseTime.equals(that.leaseTime);
    }

    @Override
    public int hashCode() {
        int hash = Long.hashCode(limit);
        hash = 31 * hash + leaseTime.hashCode();
        return hash;
    }

    @Override
    public String toString() {
        return "ConcurrencyLimit[limit=" + limit + ", leaseTime=" + leaseTime + "]";
    }

    /**
     * The state of a {@link ConcurrencyLimit}.
     *
     * @param holders the holders, in the order of their acquisitions, and the tickets, in the order in which they came; some may
     *     have expired
     */
    public record State(@JsonProperty(required = true) List<Holder> holders) {

        public State {
            holders = List.copyOf(holders);
        }
    }

    /**
     * A lease of a {@link ConcurrencyLimit}: its holder, permits and expiry. Or a ticket of one that waits for it.
     *
     * @param id chosen by the holder, from 1 to {@link Request#MAX_ID}
     * @param permits how many, at least 1
     * @param expiresMicros when the lease expires unless it is renewed, in microseconds since the epoch
     * @param leaseMicros how long the lease lasts from each renewal, in microseconds; the expiry is never further ahead. Of a ticket,
     *     the negative limit under which it waits
     */
    public record Holder(long id, long permits, long expiresMicros, long leaseMicros) {

        private static final long MAX_MICROS = (1L << 53) - 1;

        public Holder {
            if (!(id >= 1
                    && id <= Request.MAX_ID
                    && permits >= 1
                    && permits <= Integer.MAX_VALUE
                    && expiresMicros >= 0
                    && expiresMicros <= MAX_MICROS
                    && (leaseMicros >= 1 && leaseMicros <= MAX_MICROS
                            || leaseMicros <= -1 && leaseMicros >= -MAX_LIMIT))) {
                throw new IllegalArgumentException("not a holder: id " + id + ", permits " + permits
                        + ", expiresMicros " + expiresMicros + ", leaseMicros " + leaseMicros);
            }
        }

        /**
         * A holder of encoded numbers.
         *
         * @throws IllegalArgumentException if one of them is not whole
         */
        @JsonCreator
        public static Holder of(
                @JsonProperty(value = "id", required = true) double id,
                @JsonProperty(value = "permits", required = true) double permits,
                @JsonProperty(value = "expiresMicros", required = true) double expiresMicros,
                @JsonProperty(value = "leaseMicros", required = true) double leaseMicros) {
            if (!(id == (long) id
                    && permits == (long) permits
                    && expiresMicros == (long) expiresMicros
                    && leaseMicros == (long) leaseMicros)) {
                throw new IllegalArgumentException("not a holder's whole numbers: id " + id + ", permits " + permits
                        + ", expiresMicros " + expiresMicros + ", leaseMicros " + leaseMicros);
            }
            return new Holder((long) id, (long) permits, (long) expiresMicros, (long) leaseMicros);
        }

        boolean isTicket() {
            return leaseMicros < 0;
        }

        long limitOfTicket() {
            return -leaseMicros;
        }

        boolean isLive(long nowMicros) {
            return expiresMicros > nowMicros;
        }

        /** This holder with an expiry at most one lease time ahead. Only a clock that stepped back puts it further. */
        Holder bound(long nowMicros) {
            long most = isTicket() ? Request.TICKET_MICROS : leaseMicros;
            return expiresMicros - nowMicros > most ? new Holder(id, permits, nowMicros + most, leaseMicros) : this;
        }
    }
}
