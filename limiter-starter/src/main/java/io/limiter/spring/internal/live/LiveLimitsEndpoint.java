package io.limiter.spring.internal.live;

import io.limiter.LimiterFactory;
import io.limiter.LimiterTotals;
import io.limiter.algorithm.LimitKind;
import io.limiter.live.ChangeNote;
import io.limiter.live.LiveKey;
import io.limiter.live.LiveLimits;
import io.limiter.live.LiveSettings;
import io.limiter.spring.internal.actuate.EndpointProblems;
import io.limiter.spring.internal.actuate.LimitLookup;
import io.limiter.spring.internal.actuate.LimitNames;
import io.limiter.spring.internal.actuate.LiveDefinition;
import io.limiter.spring.internal.actuate.Operator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * Shows live limits to operators, who change them where {@code management.endpoint.livelimits.access} is {@code unrestricted}.
 * Names may have slashes, so they are the rest of the path, and keys are parameters.
 */
@Endpoint(id = "livelimits", defaultAccess = Access.READ_ONLY)
public final class LiveLimitsEndpoint {

    private final LimiterFactory factory;
    private final LiveLimits live;

    /** @param live if they are {@link LiveLimits#NONE}, each request is answered with 400 and how to enable them */
    public LiveLimitsEndpoint(LimiterFactory factory, LiveLimits live) {
        this.factory = factory;
        this.live = live;
    }

    /** All live limits, those of keys, and the last changes: a {@link LiveDescription}. */
    @ReadOperation
    public @Nullable Object list() {
        return EndpointProblems.answered(() -> LiveDescription.of(live()));
    }

    /**
     * The {@link LiveDescription} of a name, or the live limit of a key.
     *
     * @param name the name, split at slashes
     * @param key whose live limit is returned alone
     * @param keyHash the hash of that key, as reports and the console show it
     * @return a problem with the status 404 if the key has no live limit, or the name has nothing and no limit here has it
     */
    @ReadOperation
    public @Nullable Object get(
            @Selector(match = Selector.Match.ALL_REMAINING) String[] name,
            // The one that both lines of Spring Boot know.
            @org.springframework.lang.Nullable String key,
            @org.springframework.lang.Nullable String keyHash) {
        return EndpointProblems.answered(() -> {
            String of = liveName(name);
            LiveKey ofKey = LiveRequest.key(key, keyHash);
            if (ofKey != null) {
                return live().get(of, ofKey)
                        .<Object>map(LiveDefinition::of)
                        .orElseGet(() -> EndpointProblems.notFound("this key has no live limit of '" + of + "'"));
            }
            List<LimiterTotals> totals = factory.statistics().totals();
            LiveDescription description = LiveDescription.of(live(), of, LimiterTotals.limiterOf(of, totals));
            Set<String> known = names();
            return known.contains(of) || !description.isEmpty()
                    ? description
                    : EndpointProblems.notFound(LimitNames.problem(of, known));
        });
    }

    /**
     * Stores a live limit. Parameters are as of {@link LiveSettings}; plain numbers of times are seconds. A name that no limit here
     * has may be misspelt, so it is rejected unless the kind says for what limit the live limit is prepared.
     *
     * @param name the name, split at slashes
     * @param version of the live limit that the name or the key has; none is expected without
     * @param key whose live limit is changed; {@code null} for that of all keys
     * @param keyHash the hash of that key, as reports and the console show it
     * @param access of the key: {@code exempt} or {@code banned}
     * @param expiresIn after which the live limit ends by itself
     * @param who makes the change, without a login
     * @return the live limit
     */
    @WriteOperation
    public @Nullable Object put(
            SecurityContext security,
            @Selector(match = Selector.Match.ALL_REMAINING) String[] name,
            @org.springframework.lang.Nullable String version,
            @org.springframework.lang.Nullable String kind,
            @org.springframework.lang.Nullable String rate,
            @org.springframework.lang.Nullable String capacity,
            @org.springframework.lang.Nullable String burst,
            @org.springframework.lang.Nullable String limit,
            @org.springframework.lang.Nullable String period,
            @org.springframework.lang.Nullable String timeout,
            @org.springframework.lang.Nullable String enforce,
            @org.springframework.lang.Nullable String onFailure,
            @org.springframework.lang.Nullable String key,
            @org.springframework.lang.Nullable String keyHash,
            @org.springframework.lang.Nullable String access,
            @org.springframework.lang.Nullable String expiresIn,
            @org.springframework.lang.Nullable String who,
            @org.springframework.lang.Nullable String why) {
        return EndpointProblems.answered(() -> {
            LiveLimits limits = live();
            ChangeNote note = LiveRequest.note(Operator.name(security, who), why, expiresIn);
            long expected = LiveRequest.version("version", version);
            LimitKind ofLimit = LiveRequest.kind(kind);
            String changed = liveName(name);
            Set<String> known = names();
            LimitNames.check(changed, known, ofLimit);
            Map<String, @Nullable Object> settings = new LinkedHashMap<>();
            // A ban or an exemption that is prepared holds whatever the kind will be.
            settings.put("kind", access == null || known.contains(changed) ? ofLimit : null);
            settings.put("rate", LiveRequest.number("rate", rate));
            settings.put("capacity", LiveRequest.number("capacity", capacity));
            settings.put("burst", LiveRequest.duration("burst", burst));
            settings.put("limit", LiveRequest.whole("limit", limit));
            settings.put("period", LiveRequest.duration("period", period));
            settings.put("timeout", LiveRequest.duration("timeout", timeout));
            settings.put("enforce", LiveRequest.flag("enforce", enforce));
            settings.put("onFailure", onFailure);
            settings.put("access", LiveRequest.oneOf("access", LiveSettings.Access.class, access));
            LiveSettings changes = LiveRequest.checked(LiveSettings.of(settings));
            LiveKey ofKey = LiveRequest.key(key, keyHash);
            return LiveDefinition.of(
                    ofKey == null
                            ? limits.put(changed, changes, note, expected)
                            : limits.put(changed, ofKey, changes, note, expected));
        });
    }

    /**
     * Removes a live limit. Does nothing if a limit has none and none is expected.
     *
     * @param name the name, split at slashes
     * @param version of the live limit that the name or the key has; none is expected without
     * @param key whose live limit is removed; {@code null} for that of all keys
     * @param keyHash the hash of that key, as reports and the console show it
     * @param who makes the change, without a login
     * @return {@code null}, or a problem, with the status 404 if no limit here has the name
     */
    @DeleteOperation
    public @Nullable Object remove(
            SecurityContext security,
            @Selector(match = Selector.Match.ALL_REMAINING) String[] name,
            @org.springframework.lang.Nullable String version,
            @org.springframework.lang.Nullable String key,
            @org.springframework.lang.Nullable String keyHash,
            @org.springframework.lang.Nullable String who,
            @org.springframework.lang.Nullable String why) {
        return EndpointProblems.answered(() -> {
            LiveLimits limits = live();
            ChangeNote note = LiveRequest.note(Operator.name(security, who), why, null);
            long expected = LiveRequest.version("version", version);
            LiveKey ofKey = LiveRequest.key(key, keyHash);
            String changed = liveName(name);
            Set<String> known = names();
            if (!known.contains(changed)) {
                return EndpointProblems.notFound(LimitNames.problem(changed, known));
            }
            if (ofKey == null) {
                limits.remove(changed, note, expected);
            } else {
                limits.remove(changed, ofKey, note, expected);
            }
            return null;
        });
    }

    /**
     * Restores what a change replaced. The change says of which name and key.
     *
     * @param rollBack the version of the change
     * @param version of the live limit that the name or the key has now; 0 for none
     * @param expiresIn after which the restored live limit ends by itself
     * @param who makes the change, without a login
     * @return the change that restored it
     */
    @WriteOperation
    public @Nullable Object rollBack(
            SecurityContext security,
            @org.springframework.lang.Nullable String rollBack,
            @org.springframework.lang.Nullable String version,
            @org.springframework.lang.Nullable String expiresIn,
            @org.springframework.lang.Nullable String who,
            @org.springframework.lang.Nullable String why) {
        return EndpointProblems.answered(() -> {
            LiveLimits limits = live();
            ChangeNote note = LiveRequest.note(Operator.name(security, who), why, expiresIn);
            if (rollBack == null) {
                throw new IllegalArgumentException("rollBack must be set: the version of a change in the history");
            }
            long undone = LiveRequest.version("rollBack", rollBack);
            if (version == null) {
                throw new IllegalArgumentException("version must be set: that of the live limit which the change is of,"
                        + " as GET shows it, or 0 if it has none any more");
            }
            return LiveDefinition.of(limits.rollBack(undone, note, LiveRequest.version("version", version)));
        });
    }

    private LiveLimits live() {
        if (live == LiveLimits.NONE) {
            throw new IllegalArgumentException(live.toString());
        }
        return live;
    }

    private Set<String> names() {
        return LimitNames.known(factory, live());
    }

    /** The name of live limits, which has no prefix; that of the path if it is unknown here. */
    private String liveName(String[] name) {
        Map<String, String> byPath = new LinkedHashMap<>();
        live().list().forEach(each -> byPath.put(each.name(), each.name()));
        factory.statistics().totals().forEach(each -> byPath.put(each.name(), each.name()));
        List<String> names = List.copyOf(byPath.values());
        factory.statistics().totals().forEach(each -> byPath.putIfAbsent(each.prefix() + each.name(), each.name()));
        names.forEach(each -> byPath.putIfAbsent(LimitLookup.asInPath(each), each));
        String path = String.join("/", name);
        return byPath.getOrDefault(path, path);
    }
}
