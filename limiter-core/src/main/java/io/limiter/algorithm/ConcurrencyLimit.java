package io.limiter.algorithm;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.limiter.internal.arithmetic.Check;
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
 * <p>Each holder has a <em>lease</em> that expires after {@code leaseTime} unless it is renewed, so the permits of a
 * crashed holder become free. At most {@code limit} permits are held under live leases, by the clock of the backend. A
 * holder that lost its lease and goes on working is not counted: it has to detect that.
 *
 * <p>All requests are idempotent: a second acquisition under an id renews its lease and takes no more permits; a
 * release or renewal without a lease changes nothing. So a request whose answer was lost can be followed by a release,
 * and a late release or renewal affects no other holder.
 *
 * <p>The {@code retryAfter} of a rejection is when enough leases expire if none is renewed or released. The request may
 * be granted earlier, or not even then.
 *
 * <p>The leases are those of Gray and Cheriton, <em>Leases: An Efficient Fault-Tolerant Mechanism for Distributed File
 * Cache Consistency</em> (1989), with several holders.
 *
 * @param limit the most permits held at the same time, from 1 to 1,000; all holders are read with each decision
 * @param leaseTime how long a lease lasts unless it is renewed, from 100 ms to 1,000 days
 */
public record ConcurrencyLimit(int limit, Duration leaseTime) implements Limit<ConcurrencyLimit.State> {

    /** How long a lease lasts by default. */
    public static final Duration DEFAULT_LEASE_TIME = Duration.ofSeconds(30);

    private static final int MAX_LIMIT = 1000;

    public ConcurrencyLimit {
        Check.range("limit", limit, 1, MAX_LIMIT);
        Check.duration("leaseTime", leaseTime, Duration.ofMillis(100));
    }

    /** A limit on the permits held at the same time, with leases of 30 s. */
    public static ConcurrencyLimit of(int limit) {
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
        return Check.micros(leaseTime);
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
        return share == 1.0 ? this : new ConcurrencyLimit(Check.share(limit, share), leaseTime);
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
    public boolean isCacheable(Decision rejection) {
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
            return new Step<>(state, decision(live, nowMicros, retry));
        }
        boolean releases = at >= 0 && request.action() == Request.Action.REFUND;
        boolean acquires = retry == 0 && request.action() != Request.Action.REFUND;
        if (releases) {
            live.remove(at);
        } else if (acquires) {
            int permits = at >= 0 ? live.get(at).permits() : request.permits();
            Holder renewed = new Holder(request.id(), permits, nowMicros + leaseMicros(), leaseMicros());
            if (at >= 0) {
                live.set(at, renewed);
            } else {
                live.add(renewed);
            }
        }
        return new Step<>(releases || acquires || bound ? new State(live) : state, decision(live, nowMicros, retry));
    }

    @Override
    public long lifetimeMillis(State state, long nowMicros) {
        return Check.lifetimeMillis(lastExpiryMicros(state.holders(), nowMicros));
    }

    /**
     * @throws IllegalArgumentException if the request has no id, or is a charge or a prefetch
     */
    public static void checkId(Request request) {
        if (Objects.requireNonNull(request, "request").action() == Request.Action.CHARGE
                || request.action() == Request.Action.PREFETCH
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
     * 0 if the request is granted; otherwise the time until enough leases expire.
     *
     * @param at the place of the holder with the id of the request; negative if there is none
     */
    private long retryAfterMicros(List<Holder> live, int at, long nowMicros, Request request) {
        return switch (request.action()) {
            case REFUND -> 0;
            case RENEW -> at >= 0 ? 0 : Decision.NEVER_MICROS;
            case TAKE -> at >= 0 ? 0 : retryAfterMicros(live, nowMicros, request.permits());
            case PEEK, CHARGE, PREFETCH -> retryAfterMicros(live, nowMicros, request.permits());
        };
    }

    private long retryAfterMicros(List<Holder> live, long nowMicros, int permits) {
        if (permits > limit) {
            return Decision.NEVER_MICROS;
        }
        long tooMany = held(live) + permits - limit;
        if (tooMany <= 0) {
            return 0;
        }
        List<Holder> soonestFirst = new ArrayList<>(live);
        soonestFirst.sort(Comparator.comparingLong(Holder::expiresMicros));
        for (Holder holder : soonestFirst) {
            tooMany -= holder.permits();
            if (tooMany <= 0) {
                return holder.expiresMicros() - nowMicros;
            }
        }
        throw new IllegalStateException("there are no " + permits + " permits of " + limit + " without holders");
    }

    private static long held(List<Holder> live) {
        long held = 0;
        for (Holder holder : live) {
            held += holder.permits();
        }
        return held;
    }

    private Decision decision(List<Holder> live, long nowMicros, long retryAfterMicros) {
        return Decision.withoutReservations(
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

    /**
     * The state of a {@link ConcurrencyLimit}.
     *
     * @param holders the holders, in the order of their acquisitions; some leases may have expired
     */
    public record State(@JsonProperty(required = true) List<Holder> holders) {

        public State {
            holders = List.copyOf(holders);
        }
    }

    /**
     * A lease of a {@link ConcurrencyLimit}: its holder, permits and expiry.
     *
     * @param id chosen by the holder, from 1 to {@link Request#MAX_ID}
     * @param permits how many, at least 1
     * @param expiresMicros when the lease expires unless it is renewed, in microseconds since the epoch
     * @param leaseMicros how long the lease lasts from each renewal, in microseconds; the expiry is never further ahead
     */
    public record Holder(long id, int permits, long expiresMicros, long leaseMicros) {

        private static final long MAX_MICROS = (1L << 53) - 1;

        public Holder {
            if (!(id >= 1
                    && id <= Request.MAX_ID
                    && permits >= 1
                    && expiresMicros >= 0
                    && expiresMicros <= MAX_MICROS
                    && leaseMicros >= 1
                    && leaseMicros <= MAX_MICROS)) {
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
                    && permits == (int) permits
                    && expiresMicros == (long) expiresMicros
                    && leaseMicros == (long) leaseMicros)) {
                throw new IllegalArgumentException("not a holder's whole numbers: id " + id + ", permits " + permits
                        + ", expiresMicros " + expiresMicros + ", leaseMicros " + leaseMicros);
            }
            return new Holder((long) id, (int) permits, (long) expiresMicros, (long) leaseMicros);
        }

        boolean isLive(long nowMicros) {
            return expiresMicros > nowMicros;
        }

        /** This holder with an expiry at most one lease time ahead. Only a clock that stepped back puts it further. */
        Holder bound(long nowMicros) {
            return expiresMicros - nowMicros > leaseMicros
                    ? new Holder(id, permits, nowMicros + leaseMicros, leaseMicros)
                    : this;
        }
    }
}
