package io.limiter;

import io.limiter.algorithm.Ban;
import io.limiter.internal.key.KeySpace;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What limiters have in common besides their limits, for {@link LimiterFactory#with}. What is not set is the factory's. Immutable.
 *
 * <pre>{@code
 * LimiterFactory gold = limiters.with(LimiterOptions.NONE.withPlan("gold").withFailurePolicy(FailurePolicy.DENY));
 * }</pre>
 */
public final class LimiterOptions {

    /** Nothing is set. */
    public static final LimiterOptions NONE = new LimiterOptions(new EnumMap<>(Option.class));

    private final Map<Option, Object> values;

    private LimiterOptions(EnumMap<Option, Object> values) {
        this.values = Collections.unmodifiableMap(values);
    }

    private enum Option {
        NAMESPACE,
        PREFIX,
        HASH_TAG,
        PLAN,
        FAILURE_POLICY,
        PREFETCH,
        BAN,
        UNLIMITED,
        LEAVE,
        WARN_AT,
        LISTENERS,
        LIVE_LIMITS
    }

    private LimiterOptions with(Option option, Object value) {
        EnumMap<Option, Object> changed = new EnumMap<>(Option.class);
        changed.putAll(values);
        changed.put(option, value);
        return new LimiterOptions(changed);
    }

    /** These options and others, which win where both are set. */
    public LimiterOptions with(LimiterOptions options) {
        if (Objects.requireNonNull(options, "options").values.isEmpty()) {
            return this;
        }
        EnumMap<Option, Object> both = new EnumMap<>(Option.class);
        both.putAll(values);
        both.putAll(options.values);
        return new LimiterOptions(both);
    }

    /**
     * Another namespace, for limits that several applications share on purpose, such as the quota of a third party. All of them name
     * the same one.
     *
     * <p>Limiters of one name in two namespaces share no permits. Live limits and statistics go by prefix and name alone, and those
     * of the application apply in all namespaces.
     *
     * @param namespace at most 100 characters; empty for none
     * @throws IllegalArgumentException if it is longer, or has only spaces
     */
    public LimiterOptions withNamespace(String namespace) {
        KeySpace.checkNamespace(Objects.requireNonNull(namespace, "namespace"));
        return with(Option.NAMESPACE, namespace);
    }

    /**
     * Another prefix of the keys. Limiters of one name under two prefixes share nothing. Unless set, each kind of limit has its own.
     *
     * @param prefix may be empty; must not contain braces, which delimit the hash tag in a Redis Cluster
     * @throws IllegalArgumentException if it does
     */
    public LimiterOptions withPrefix(String prefix) {
        KeySpace.checkPrefix(Objects.requireNonNull(prefix, "prefix"));
        return with(Option.PREFIX, prefix);
    }

    /**
     * Another hash tag of the keys than their first one, which decides their slots in a Redis Cluster.
     *
     * <p>Limiters of one name with two hash tags share only the permits that have no key.
     */
    public LimiterOptions withHashTag(HashTag hashTag) {
        return with(Option.HASH_TAG, Objects.requireNonNull(hashTag, "hashTag"));
    }

    /**
     * The limiters are a plan of the limit of their name: they take its permits, under another definition.
     *
     * <p>A key keeps what it has used when its plan changes, scaled as by {@link RateLimiter#setRate}. Live limits, rates that
     * are set, statistics and listeners know limiters of a plan as {@code name.plan}, and those of the limit itself by their
     * name. A plan is of the same kind as its limit; building one that is not, or a limiter whose name is that of a plan of
     * another one, throws {@link IllegalArgumentException}.
     *
     * @throws IllegalArgumentException if it is blank
     */
    public LimiterOptions withPlan(String plan) {
        if (Objects.requireNonNull(plan, "plan").isBlank()) {
            throw new IllegalArgumentException("plan must not be blank, was '" + plan + "'");
        }
        return with(Option.PLAN, plan);
    }

    /**
     * Another failure policy, which decides when the backend does not.
     *
     * <p>Limiters of one name under two policies share their permits. A factory that decides in this process has no backend that could
     * fail, and ignores the policy.
     */
    public LimiterOptions withFailurePolicy(FailurePolicy policy) {
        return with(Option.FAILURE_POLICY, Objects.requireNonNull(policy, "policy"));
    }

    /**
     * Token buckets prefetch permits.
     *
     * <p>A factory with it rejects other kinds of limit, and buckets in which the next caller waits. A factory that decides in this
     * process has no backend to prefetch from, and ignores it.
     */
    public LimiterOptions withPrefetch(Prefetch prefetch) {
        return with(Option.PREFETCH, Objects.requireNonNull(prefetch, "prefetch"));
    }

    /**
     * The limiters ban keys that they reject too often.
     *
     * <p>A banned key is rejected with the source {@link io.limiter.Decision.Source#OVERRIDE} and the rest of the ban as
     * its retry-after; a timeout does not wait for its end. The ban is that of the key, whatever its plan. It does not apply to keys
     * that a live limit exempts, nor to the limiter's own permits, which are those of all callers. {@link Limiter#reset} ends it.
     *
     * <p>Limiters of one name share the bans of their keys. Limiters without a ban ignore them. A factory with it rejects concurrency
     * limits, and prefetch.
     */
    public LimiterOptions withBan(Ban ban) {
        return with(Option.BAN, Objects.requireNonNull(ban, "ban"));
    }

    /**
     * Whether the callers of a plan are not limited: their requests are granted and counted without a call to the backend, with the
     * source {@link io.limiter.Decision.Source#OVERRIDE}, take no permits, and so return and settle none. Live limits of the plan's name
     * and of the key limit them all the same, and so does a live ban. Default false. A factory with it rejects limiters without a plan.
     */
    public LimiterOptions withUnlimited(boolean unlimited) {
        return with(Option.UNLIMITED, unlimited);
    }

    /**
     * The limiters leave some permits to the other limiters of their name, for example to callers who must not wait for a background
     * job: a request is granted if as many are there as it takes and leaves, and takes no more than it takes.
     *
     * <p>Of {@link Limiter#decide(long)} and all other decisions, the limit, the remaining permits and the retry-after are what such a
     * caller can use. With a timeout, it waits as callers of a window do, and reserves nothing ahead. It takes no prefetched permits.
     * A rejection that is only for what it leaves counts for no ban. A share is that of the capacity in effect; a live limit that
     * makes the capacity too small leaves one permit for such callers.
     *
     * <p>A factory with it rejects concurrency limits, buckets that warm up or whose next caller waits, limits whose step does not
     * {@linkplain io.limiter.step.LimitStep#leavesPermits() support} it, and shares that leave nothing to take.
     */
    public LimiterOptions withLeave(Share leave) {
        return with(Option.LEAVE, Objects.requireNonNull(leave, "leave"));
    }

    /**
     * Fixed windows warn when so many permits are used, once for each key and window in the whole fleet: see {@link
     * LimiterListener#onLimitWarning}.
     *
     * <p>A window that has warned does not warn again after permits were returned, or under a lower limit, but under a limit whose
     * share is more permits. If a live limit grants less than the number, it warns with the last permit. A decision without Redis
     * warns nothing. A factory with it rejects other kinds of limit, and numbers above the limit.
     */
    public LimiterOptions withWarnAt(Share warnAt) {
        return with(Option.WARN_AT, Objects.requireNonNull(warnAt, "warnAt"));
    }

    /**
     * Whether {@link LimiterListener}s are called for rejections and warnings; not for limits in shadow mode. Rejections count in the statistics
     * either way. Default true.
     */
    public LimiterOptions withListeners(boolean listeners) {
        return with(Option.LISTENERS, listeners);
    }

    /**
     * Whether live limits change the limiters; not those whose limit the application computes itself. Live limits of single keys apply
     * either way. Limiters of one name share their permits either way. Default true.
     */
    public LimiterOptions withLiveLimits(boolean liveLimits) {
        return with(Option.LIVE_LIMITS, liveLimits);
    }

    public Optional<String> namespace() {
        return Optional.ofNullable((String) values.get(Option.NAMESPACE));
    }

    public Optional<String> prefix() {
        return Optional.ofNullable((String) values.get(Option.PREFIX));
    }

    public Optional<HashTag> hashTag() {
        return Optional.ofNullable((HashTag) values.get(Option.HASH_TAG));
    }

    public Optional<String> plan() {
        return Optional.ofNullable((String) values.get(Option.PLAN));
    }

    public Optional<FailurePolicy> failurePolicy() {
        return Optional.ofNullable((FailurePolicy) values.get(Option.FAILURE_POLICY));
    }

    public Optional<Prefetch> prefetch() {
        return Optional.ofNullable((Prefetch) values.get(Option.PREFETCH));
    }

    public Optional<Ban> ban() {
        return Optional.ofNullable((Ban) values.get(Option.BAN));
    }

    public Optional<Boolean> unlimited() {
        return Optional.ofNullable((Boolean) values.get(Option.UNLIMITED));
    }

    public Optional<Share> leave() {
        return Optional.ofNullable((Share) values.get(Option.LEAVE));
    }

    public Optional<Share> warnAt() {
        return Optional.ofNullable((Share) values.get(Option.WARN_AT));
    }

    public Optional<Boolean> listeners() {
        return Optional.ofNullable((Boolean) values.get(Option.LISTENERS));
    }

    public Optional<Boolean> liveLimits() {
        return Optional.ofNullable((Boolean) values.get(Option.LIVE_LIMITS));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof LimiterOptions options && values.equals(options.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return "LimiterOptions" + values;
    }
}
