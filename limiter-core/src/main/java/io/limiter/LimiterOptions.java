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
 * The options of limiters besides their limits, for {@link LimiterFactory#with}. Options that are not set are those of the factory. Immutable.
 *
 * <pre>{@code
 * LimiterFactory gold = limiters.with(LimiterOptions.NONE.withPlan("gold").withFailurePolicy(FailurePolicy.DENY));
 * }</pre>
 */
public final class LimiterOptions {

    /** No option is set. */
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

    /** These options and others, which have precedence if both set an option. */
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
     * Another namespace, for limits that several applications share on purpose, such as the quota of a third party. All of these applications
     * must name the same one.
     *
     * <p>Limiters of one name in two namespaces share no permits. Live limits and statistics depend only on prefix and name, so those of the
     * application apply in all namespaces.
     *
     * @param namespace at most 100 characters. Empty for none
     * @throws IllegalArgumentException if it is longer, or has only spaces
     */
    public LimiterOptions withNamespace(String namespace) {
        KeySpace.checkNamespace(Objects.requireNonNull(namespace, "namespace"));
        return with(Option.NAMESPACE, namespace);
    }

    /**
     * Another prefix of the keys. Limiters of one name under two prefixes share nothing. By default, the prefix depends on the kind of limit.
     *
     * @param prefix may be empty, but must not contain braces, because these delimit the hash tag in a Redis Cluster
     * @throws IllegalArgumentException if it contains braces
     */
    public LimiterOptions withPrefix(String prefix) {
        KeySpace.checkPrefix(Objects.requireNonNull(prefix, "prefix"));
        return with(Option.PREFIX, prefix);
    }

    /**
     * The hash tag of the keys, which decides their slots in a Redis Cluster. By default, it is the first key.
     *
     * <p>Limiters of one name with two hash tags share only the permits that have no key.
     */
    public LimiterOptions withHashTag(HashTag hashTag) {
        return with(Option.HASH_TAG, Objects.requireNonNull(hashTag, "hashTag"));
    }

    /**
     * The limiters are a plan of the limit that has their name, so they take its permits under another definition.
     *
     * <p>When the plan of a key changes, its used permits stay used, scaled as with {@link RateLimiter#setRate}. Live limits, rates that are set,
     * statistics and listeners call the limiters of a plan {@code name.plan}. A plan must be of the same kind as its limit, and no other limiter
     * may have the name {@code name.plan}, because otherwise building it throws {@link IllegalArgumentException}.
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
     * <p>A factory with this option rejects other kinds of limit, and buckets in which the next caller waits. A factory that decides in this
     * process ignores it, because it has no backend to prefetch from.
     */
    public LimiterOptions withPrefetch(Prefetch prefetch) {
        return with(Option.PREFETCH, Objects.requireNonNull(prefetch, "prefetch"));
    }

    /**
     * The limiters ban keys that they reject too often.
     *
     * <p>A banned key is rejected with the source {@link io.limiter.Decision.Source#OVERRIDE}, and its retry-after is the rest of the ban. A
     * caller with a timeout does not wait for the end of the ban. The key is banned whatever its plan. Keys that a live limit exempts are not
     * banned, and neither are the permits of the limiter itself, which all callers share. {@link Limiter#reset} ends a ban.
     *
     * <p>Limiters of one name share the bans of their keys. Limiters without a ban ignore them. A factory with this option rejects concurrency
     * limits and prefetch.
     */
    public LimiterOptions withBan(Ban ban) {
        return with(Option.BAN, Objects.requireNonNull(ban, "ban"));
    }

    /**
     * Whether the callers of a plan are not limited. Their requests are granted and counted without a call to the backend, with the source
     * {@link io.limiter.Decision.Source#OVERRIDE}. They take no permits, and so return and settle none. Live limits of the plan's name and of
     * the key still limit them, and so does a live ban. Default false. A factory with this option rejects limiters without a plan.
     */
    public LimiterOptions withUnlimited(boolean unlimited) {
        return with(Option.UNLIMITED, unlimited);
    }

    /**
     * The limiters leave some permits to the other limiters of their name, for example to callers who must not wait for a background job. A
     * request is granted if the permits that it takes and the permits that it leaves are all available, and takes only the former.
     *
     * <p>In {@link Limiter#decide(long)} and all other decisions, the limit, the remaining permits and the retry-after describe the permits that
     * such a caller can use. With a timeout, it waits like a caller of a window, and reserves nothing ahead. It takes no prefetched permits. A
     * rejection that is only because of the permits that it leaves does not count for a ban. A share is a part of the capacity in effect. If a
     * live limit makes the capacity too small, such callers still get one permit. A share of 0 leaves none, for example in a plan of a limit that
     * leaves some.
     *
     * <p>A factory with this option rejects concurrency limits, buckets that warm up or whose next caller waits, limits whose step does not
     * {@linkplain io.limiter.step.LimitStep#leavesPermits() support} it, shares that leave nothing to take, and prefetch.
     */
    public LimiterOptions withLeave(Share leave) {
        return with(Option.LEAVE, Objects.requireNonNull(leave, "leave"));
    }

    /**
     * Fixed windows warn when this part of their permits is used, once for each key and window in the whole fleet. See {@link
     * LimiterListener#onLimitWarning}.
     *
     * <p>A window that has warned does not warn again after permits were returned, or under a lower limit. It warns again under a limit of which
     * the share is more permits. If a live limit is lower than the number, the window warns when its last permit is used. A decision without
     * Redis does not warn. A share of 0 never warns, for example in a plan of a limit that does. A factory with this option rejects other kinds
     * of limit, and numbers above the limit.
     */
    public LimiterOptions withWarnAt(Share warnAt) {
        return with(Option.WARN_AT, Objects.requireNonNull(warnAt, "warnAt"));
    }

    /**
     * Whether {@link LimiterListener}s are called for rejections and warnings, for example not for limits in shadow mode. Rejections count in
     * the statistics in any case. Default true.
     */
    public LimiterOptions withListeners(boolean listeners) {
        return with(Option.LISTENERS, listeners);
    }

    /**
     * Whether live limits change the limiters. Set it to false for limiters whose limit the application computes itself. In any case, live
     * limits of single keys apply, and limiters of one name share their permits. Default true.
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
