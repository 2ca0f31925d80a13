package io.limiter.spring.autoconfigure;

import io.limiter.FailurePolicy;
import io.limiter.internal.limiter.CacheBounds;
import io.limiter.spring.key.address.ForwardedHeader;
import io.limiter.spring.settings.LimitSettings;
import io.limiter.spring.settings.SettingChecks;
import io.limiter.spring.web.AnswerSettings;
import io.limiter.spring.web.HeaderSet;
import io.limiter.spring.web.ProblemBody;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The settings under {@code limiter}.
 *
 * @param enabled Whether the limiter is set up at all. If not, annotated methods and HTTP requests are not limited, and the
 *     LimiterFactory to inject grants everything.
 * @param type Where permits are kept: in Redis, shared by all instances, or in this process alone.
 * @param engine How a decision in Redis is made atomic: by one script, or by load and save under a lock.
 * @param order Order of the limits among the advisors of a method. Lower comes first. The default is before
 *     transactions and caches, and after method security.
 * @param lock Settings of the lock engine.
 * @param groupCommit How decisions share calls to Redis.
 * @param denyCache How refusals are remembered.
 * @param failure What happens when Redis does not answer.
 * @param cache How many limiters are kept at hand; permits are not affected.
 * @param local Settings of the local type.
 * @param key How callers are told apart.
 * @param web What answers over HTTP tell of limits.
 * @param http Limits on HTTP requests, by path, before anything handles them.
 * @param endpoint What operators see and do at the Actuator endpoint limiters.
 * @param limits Numbers of annotated limits by their names. They win over those of the annotations.
 */
@ConfigurationProperties("limiter")
record LimiterProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("redis") Type type,
        @DefaultValue("script") Engine engine,
        @DefaultValue("2147482647") int order,
        @DefaultValue Lock lock,
        @DefaultValue GroupCommit groupCommit,
        @DefaultValue RejectionCache denyCache,
        @DefaultValue Failure failure,
        @DefaultValue Cache cache,
        @DefaultValue Local local,
        @DefaultValue Key key,
        @DefaultValue Web web,
        @Nullable List<HttpRule> http,
        @DefaultValue Endpoint endpoint,
        @Nullable Map<String, LimitSettings> limits) {

    enum Type {

        /** In Redis, shared by all instances. */
        REDIS,

        /** In this process alone. */
        LOCAL
    }

    enum Engine {

        /** One Lua script, in one round trip. */
        SCRIPT,

        /** Load and save under a distributed lock. */
        LOCK
    }

    enum LockKind {

        /** Redisson's where there is a RedissonClient, otherwise the plain one. */
        AUTO,

        /** SET NX PX over the application's Redis connection. */
        REDIS,

        /** Redisson's lock. */
        REDISSON
    }

    /**
     * The lock engine.
     *
     * @param kind Which lock is used.
     * @param lease How long the lock of a crashed instance lasts. At least 1ms; long enough for a load and a save.
     * @param maxWait How long a call waits for the lock at most, if its own timeout is shorter. 0 means to try once.
     */
    record Lock(
            @DefaultValue("auto") LockKind kind,
            @DefaultValue("2s") Duration lease,
            @DefaultValue("1s") Duration maxWait) {

        Lock {
            SettingChecks.range("limiter.lock.lease", lease, Duration.ofMillis(1), Duration.ofDays(1));
            SettingChecks.range("limiter.lock.max-wait", maxWait, Duration.ZERO, Duration.ofDays(1));
        }
    }

    /**
     * Calls to Redis that decide many requests.
     *
     * @param maxQueued How many requests wait to be sent at most; a further one fails at once.
     * @param yield How long a waiting thread yields the processor before it parks, at most 10ms. More decisions a second
     *     for a core that never rests; not for virtual threads.
     */
    record GroupCommit(
            @DefaultValue("65536") int maxQueued,
            @DefaultValue("0ms") Duration yield) {

        GroupCommit {
            SettingChecks.range("limiter.group-commit.max-queued", maxQueued, 1, Integer.MAX_VALUE);
            SettingChecks.range("limiter.group-commit.yield", yield, Duration.ZERO, Duration.ofMillis(10));
        }
    }

    /**
     * Refusals that are repeated without a call to Redis.
     *
     * @param size How many are remembered; 0 for none.
     */
    record RejectionCache(@DefaultValue("16384") int size) {

        RejectionCache {
            SettingChecks.range("limiter.deny-cache.size", size, 0, 1 << 24);
        }
    }

    /**
     * When Redis does not answer.
     *
     * @param policy What limits answer then: local decides in each instance alone, deny refuses, allow lets through, throw
     *     fails the call.
     * @param share The share of each limit that an instance decides under with the policy local, more than 0 and at most 1.
     * @param budget How long a decision may take before the policy decides, from 1ms to 1h. Waiting for permits comes on
     *     top.
     * @param firstBudget How long a decision may take until Redis has first answered, if that is longer than the budget, from
     *     1ms to 1h: the first decisions of an application load classes, connect and send the scripts.
     * @param probeInterval Longest pause between calls that ask a Redis that was away whether it is back, from 1ms to 1h;
     *     the first is a sixteenth of it.
     * @param warmUp Whether Redis is connected to, and told the scripts, before a server takes requests, and not by the
     *     first decision. The start waits 2 s for that at most.
     */
    record Failure(
            @DefaultValue("local") FailurePolicy.Action policy,
            @DefaultValue("1.0") double share,
            @DefaultValue("100ms") Duration budget,
            @DefaultValue("1s") Duration firstBudget,
            @DefaultValue("500ms") Duration probeInterval,
            @DefaultValue("true") boolean warmUp) {

        Failure {
            policy(policy, share);
            SettingChecks.range("limiter.failure.budget", budget, Duration.ofMillis(1), Duration.ofHours(1));
            SettingChecks.range("limiter.failure.first-budget", firstBudget, Duration.ofMillis(1), Duration.ofHours(1));
            SettingChecks.range(
                    "limiter.failure.probe-interval", probeInterval, Duration.ofMillis(1), Duration.ofHours(1));
        }

        FailurePolicy failurePolicy() {
            return policy(policy, share);
        }

        private static FailurePolicy policy(FailurePolicy.Action policy, double share) {
            Double set = share == 1.0 ? null : Double.valueOf(share);
            return Objects.requireNonNull(
                    SettingChecks.failurePolicy("limiter.failure.policy", policy, "limiter.failure.share", set));
        }
    }

    /**
     * The cache of limiters.
     *
     * @param initial For how many limiters the cache is laid out at first.
     * @param maximum How many limiters are kept at most.
     * @param expireAfterAccess How long a limiter is kept that nobody asks for.
     */
    record Cache(
            @DefaultValue("100") int initial,
            @DefaultValue("10000") long maximum,
            @DefaultValue("5m") Duration expireAfterAccess) {

        Cache {
            SettingChecks.range("limiter.cache.initial", initial, 0, 1_000_000);
            SettingChecks.range("limiter.cache.maximum", maximum, 1, Integer.MAX_VALUE);
            SettingChecks.range(
                    "limiter.cache.expire-after-access", expireAfterAccess, Duration.ofMillis(1), MAX_DURATION);
        }

        CacheBounds bounds() {
            return new CacheBounds(initial, maximum, expireAfterAccess);
        }
    }

    /**
     * What is decided in this JVM: all by the local type, and by the other one under the failure policy local.
     *
     * @param maxKeys How many keys are held at most, by the local type and under the failure policy local; beyond that, those that would be full again soonest are forgotten.
     */
    record Local(@DefaultValue("100000") int maxKeys) {

        Local {
            SettingChecks.range("limiter.local.max-keys", maxKeys, 1, Integer.MAX_VALUE);
        }
    }

    /**
     * The keys.
     *
     * @param trustedProxies Addresses and ranges, such as 10.0.0.0/8, of the reverse proxies whose forwarded headers
     *     count. Empty means that no header counts.
     * @param forwardedHeader Which header the trusted proxies write the caller's address to.
     * @param ipv6PrefixLength How many bits of an IPv6 address tell callers apart, from 1 to 128. Most callers have a
     *     whole /64 to choose addresses from.
     */
    record Key(
            @DefaultValue List<String> trustedProxies,
            @DefaultValue("any") ForwardedHeader forwardedHeader,
            @DefaultValue("64") int ipv6PrefixLength) {

        Key {
            SettingChecks.range("limiter.key.ipv6-prefix-length", ipv6PrefixLength, 1, 128);
        }
    }

    /**
     * Answers over HTTP.
     *
     * @param status Status of refusals by a limit, from 400 to 599.
     * @param headers Which headers tell of limits, besides Retry-After on refusals.
     * @param body What the body of a refusal is.
     * @param message What refused callers are told, or the code of a message in braces, unless the limit has a message of
     *     its own. Empty for the message limiter.message.
     * @param filterOrder Order of the filter for limiter.http. The default is before Spring Security.
     * @param userFilterOrder Order of the filter for those limits of limiter.http whose key is the user. The default is
     *     after Spring Security.
     */
    record Web(
            @DefaultValue("429") int status,
            @DefaultValue("ratelimit") HeaderSet headers,
            @DefaultValue("problem") ProblemBody body,
            @DefaultValue("") String message,
            @DefaultValue("-200") int filterOrder,
            @DefaultValue("-50") int userFilterOrder) {

        Web {
            SettingChecks.range("limiter.web.status", status, 400, 599);
        }

        AnswerSettings answers() {
            return new AnswerSettings(status, headers, body, message);
        }
    }

    /**
     * The Actuator endpoint.
     *
     * @param writable Whether keys can be reset through it.
     * @param showKeys Whether it shows callers' keys as they are, which may be addresses or names of people. If not, it
     *     shows a hash of each.
     */
    record Endpoint(
            @DefaultValue("false") boolean writable,
            @DefaultValue("false") boolean showKeys) {}

    private static final Duration MAX_DURATION = Duration.ofDays(1000);
}
