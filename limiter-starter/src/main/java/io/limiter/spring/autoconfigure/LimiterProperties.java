package io.limiter.spring.autoconfigure;

import io.limiter.FailurePolicy;
import io.limiter.internal.key.KeySpace;
import io.limiter.live.LiveOptions;
import io.limiter.spring.internal.key.address.ForwardedHeader;
import io.limiter.spring.internal.settings.SettingChecks;
import io.limiter.spring.internal.web.BodyFormat;
import io.limiter.spring.internal.web.HeaderSet;
import io.limiter.spring.internal.web.RejectionResponses;
import io.limiter.spring.settings.InvalidSettingException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.core.env.Environment;

/**
 * The settings under {@code limiter}.
 *
 * @param enabled Whether limits are enforced. If not, annotated methods and HTTP requests are not limited, and the
 *     LimiterFactory bean grants everything.
 * @param type Where permits are kept: in Redis, shared by all instances, or in this process only.
 * @param namespace Separates the permits, live limits and reports of this application from those of others on one Redis, at most
 *     100 characters. The default is spring.application.name. Applications with the same namespace share them.
 * @param engine What makes a decision in Redis atomic: one script, or a lock under which the state is loaded and saved. The lock is the
 *     DistributedLock bean, or Redisson's if there is a RedissonClient, or else a plain one.
 * @param order Order of the limits among the advisors of a method. Lower comes first. The default is before
 *     retries, transactions and caches, and after method security.
 * @param onFailure What decides while Redis is unavailable. With local, each instance decides alone. With owner, the instance that owns
 *     the key decides. deny rejects, allow grants, and throw fails the call. With local, an instance decides under a share of each limit,
 *     which is 1 / instances unless set, as in local(0.2). Live limits count the instances, and there are never fewer than
 *     limiter.failure.expected-instances.
 * @param rejectionCache The cache of rejections that are repeated without a call to Redis.
 * @param failure When Redis counts as unavailable, and how it is tried again.
 * @param local Settings of the local type.
 * @param key How keys are made.
 * @param web The limits in HTTP responses.
 * @param live Limits that are changed while the application runs.
 * @param metrics The meters of limits.
 */
@ConfigurationProperties("limiter")
record LimiterProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("redis") Type type,
        @Nullable String namespace,
        @DefaultValue("script") Engine engine,
        @DefaultValue("2147482647") int order,
        @DefaultValue("local") String onFailure,
        @DefaultValue RejectionCache rejectionCache,
        @DefaultValue Failure failure,
        @DefaultValue Local local,
        @DefaultValue Key key,
        @DefaultValue Web web,
        @DefaultValue Live live,
        @DefaultValue Metrics metrics) {

    LimiterProperties {
        policy(onFailure);
    }

    FailurePolicy failurePolicy() {
        return policy(onFailure);
    }

    private static FailurePolicy policy(String text) {
        return SettingChecks.named("limiter.on-failure", " ", () -> FailurePolicy.parse(text));
    }

    /** Whether an instance decides under its part of the limits, and only live limits know how many there are. */
    boolean isOfOneInstance() {
        return failurePolicy().equals(FailurePolicy.LOCAL) && failure.expectedInstances() == 1;
    }

    /**
     * The namespace of the application; empty for none.
     *
     * @throws InvalidSettingException if it is too long
     */
    String namespace(Environment environment) {
        String used = (namespace == null ? environment.getProperty("spring.application.name", "") : namespace).strip();
        if (used.length() > KeySpace.MAX_NAMESPACE) {
            throw new InvalidSettingException(
                    "limiter.namespace",
                    " must have at most " + KeySpace.MAX_NAMESPACE + " characters, and is '" + used + "'"
                            + (namespace == null ? ", from spring.application.name: set a shorter one" : ""));
        }
        return used;
    }

    enum Type {

        /** In Redis, shared by all instances. */
        REDIS,

        /** In this process only. */
        LOCAL
    }

    enum Engine {

        /** One Lua script, in one round trip. */
        SCRIPT,

        /** Load and save under a distributed lock. */
        LOCK
    }

    /**
     * The meters.
     *
     * @param maxLimits How many limits have meters of their own, from 0 to 10000: those that are built first. The
     *     others are summed as "other".
     */
    record Metrics(@DefaultValue("200") int maxLimits) {

        Metrics {
            SettingChecks.range("limiter.metrics.max-limits", maxLimits, 0, 10_000);
        }
    }

    /**
     * The cache of rejections that are repeated without a call to Redis.
     *
     * @param size How many rejections are cached, or 0 for none.
     */
    record RejectionCache(@DefaultValue("16384") int size) {

        RejectionCache {
            SettingChecks.range("limiter.rejection-cache.size", size, 0, 1 << 24);
        }
    }

    /**
     * When Redis is unavailable, and what then counts.
     *
     * @param expectedInstances How many instances there are at least, from 1. With limiter.on-failure=local, an instance that starts
     *     without Redis, or has not counted the others, decides under its part of this number.
     * @param decisionTimeout How long a decision may take before the policy decides, from 1ms to 1h, without the wait for
     *     permits.
     * @param firstDecisionTimeout How long a decision may take until Redis has first answered, if that is longer than
     *     decision-timeout, from 1ms to 1h. The first decisions of an application load classes, connect and send the scripts.
     *     It applies for that time from the first of them, or from the start of the warm-up.
     * @param warmUp Whether the application connects to Redis and sends the scripts before the web server starts, rather than
     *     with the first decision. The start waits at most 2 s for that.
     */
    record Failure(
            @DefaultValue("1") int expectedInstances,
            @DefaultValue("100ms") Duration decisionTimeout,
            @DefaultValue("1s") Duration firstDecisionTimeout,
            @DefaultValue("true") boolean warmUp) {

        Failure {
            SettingChecks.range("limiter.failure.expected-instances", expectedInstances, 1, 1_000_000);
            SettingChecks.range(
                    "limiter.failure.decision-timeout", decisionTimeout, Duration.ofMillis(1), Duration.ofHours(1));
            SettingChecks.range(
                    "limiter.failure.first-decision-timeout",
                    firstDecisionTimeout,
                    Duration.ofMillis(1),
                    Duration.ofHours(1));
        }
    }

    /**
     * Decisions in this JVM: of the type local, and under the failure policy local.
     *
     * @param maxKeys How many keys are kept in memory at most. Beyond that, keys that are full again soonest are evicted.
     */
    record Local(@DefaultValue("100000") int maxKeys) {

        Local {
            SettingChecks.range("limiter.local.max-keys", maxKeys, 1, Integer.MAX_VALUE);
        }
    }

    /**
     * The keys.
     *
     * @param trustedProxies Addresses and ranges, such as 10.0.0.0/8, of the trusted reverse proxies. If empty, no forwarded
     *     header is read.
     * @param forwardedHeader The header to which the trusted proxies write the caller's address.
     * @param ipv6PrefixLength How many leading bits of an IPv6 address are the key, from 1 to 128. Most clients have a
     *     whole /64 to choose addresses from.
     * @param hashTags Over how many hash tags keys are spread in a Redis Cluster, from 0 to 1024, so that decisions on different keys
     *     share calls. With another number, or 0 for none, keys have other permits.
     */
    record Key(
            @DefaultValue List<String> trustedProxies,
            @DefaultValue("any") ForwardedHeader forwardedHeader,
            @DefaultValue("64") int ipv6PrefixLength,
            @DefaultValue("64") int hashTags) {

        Key {
            SettingChecks.range("limiter.key.ipv6-prefix-length", ipv6PrefixLength, 1, 128);
            SettingChecks.range("limiter.key.hash-tags", hashTags, 0, 1024);
        }
    }

    /**
     * HTTP responses.
     *
     * @param status The status of rejections, from 400 to 599.
     * @param headers The headers of limited responses, in addition to the Retry-After of rejections.
     * @param body The body of rejections.
     * @param message The detail of rejections, or the code of a message in braces, unless the limit has a message of its own.
     *     Empty for the message limiter.message.
     * @param filterOrder Order of the filter for limiter.http. The default is before Spring Security.
     * @param userFilterOrder Order of the filter for the limits of limiter.http by user. The default is after Spring
     *     Security.
     */
    record Web(
            @DefaultValue("429") int status,
            @DefaultValue("ratelimit") HeaderSet headers,
            @DefaultValue("problem") BodyFormat body,
            @DefaultValue("") String message,
            @DefaultValue("-200") int filterOrder,
            @DefaultValue("-50") int userFilterOrder) {

        Web {
            SettingChecks.range("limiter.web.status", status, 400, 599);
        }

        RejectionResponses.Settings answers() {
            return RejectionResponses.Settings.of(status, headers, body, message);
        }
    }

    /**
     * Limits that are changed while the application runs, in Redis for all instances.
     *
     * @param enabled Whether live limits apply to this instance.
     * @param pollInterval How often this instance polls Redis for changes, from 100ms to 1h.
     * @param restore Whether instances write the live limits back if Redis has lost them. If not, they drop them.
     * @param history How many changes of each live limit Redis keeps, from 1 to 10000.
     * @param showKeys Whether reports of instances, the console, audit events and live limits of keys contain the keys
     *     themselves, which may be addresses or names of people. If not, they contain hashes.
     */
    record Live(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("1s") Duration pollInterval,
            @DefaultValue("false") boolean restore,
            @DefaultValue("50") int history,
            @DefaultValue("false") boolean showKeys) {

        Live {
            SettingChecks.range("limiter.live.history", history, 1, 10_000);
            SettingChecks.range(
                    "limiter.live.poll-interval", pollInterval, Duration.ofMillis(100), Duration.ofHours(1));
        }

        LiveOptions options() {
            return LiveOptions.DEFAULT
                    .withPollInterval(pollInterval)
                    .withRestore(restore)
                    .withHistory(history)
                    .withShowKeys(showKeys);
        }
    }
}
