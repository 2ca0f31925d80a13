package io.limiter.spring.actuate;

import io.limiter.HashTag;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterFactory;
import io.limiter.LimiterStatistics;
import io.limiter.LimiterTotals;
import io.limiter.algorithm.Limit;
import io.limiter.internal.key.KeyHash;
import io.limiter.local.LocalLimiterFactory;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.util.StringUtils;

/**
 * Shows the limiters to operators. A limit is selected by its name, or by prefix and name if several prefixes have the name.
 * Names may have slashes, so they are the rest of the path, and keys are parameters.
 */
@Endpoint(id = "limiters")
public class LimitersEndpoint {

    private final LimiterFactory factory;
    private final CallTimes calls;
    private final Supplier<Stream<KnownHashTags>> hashTags;
    private final UnaryOperator<String> shown;

    /**
     * @param hashTags called for each request
     * @param showKeys whether keys are shown rather than hashed
     */
    public LimitersEndpoint(
            LimiterFactory factory, CallTimes calls, Supplier<Stream<KnownHashTags>> hashTags, boolean showKeys) {
        this.factory = factory;
        this.calls = calls;
        this.hashTags = hashTags;
        this.shown = showKeys ? UnaryOperator.identity() : KeyHash.OF_THIS_PROCESS::of;
    }

    /** All limits. */
    @ReadOperation
    public LimitersDescription limiters() {
        return new LimitersDescription(
                totals().stream()
                        .map(each -> LimitDescription.of(each, isLocal()))
                        .toList(),
                calls.summary(),
                factory.statistics() == LimiterStatistics.NONE
                        ? null
                        : LimitersDescription.Sizes.of(factory.statistics()));
    }

    /**
     * A {@link LimitDescription} with the hottest keys, or the {@link KeyDescription} of a key. It takes no permits.
     *
     * @param limit the name, split at slashes
     * @param key of the permits
     * @param hashTag of the permits, if the key alone does not decide it
     * @return {@code null} if there is no such limit
     */
    @ReadOperation
    public @Nullable Object limit(
            @Selector(match = Selector.Match.ALL_REMAINING) String[] limit,
            // The one that both lines of Spring Boot know.
            @org.springframework.lang.Nullable String key,
            @org.springframework.lang.Nullable String hashTag) {
        return answered(() -> {
            LimiterTotals totals = find(limit);
            if (totals == null) {
                return null;
            }
            return key == null && hashTag == null
                    ? LimitDescription.withKeys(totals, isLocal(), shown, own(totals))
                    : describe(permits(totals, key, hashTag));
        });
    }

    /** Adds a status and a problem to failures; Spring Boot's own response does not show the message by default. */
    static @Nullable Object answered(Supplier<@Nullable Object> answer) {
        try {
            return answer.get();
        } catch (InvalidEndpointRequestException e) {
            return problem(Objects.requireNonNull(e.getMessage()), WebEndpointResponse.STATUS_BAD_REQUEST);
        } catch (LimiterBackendException e) {
            return problem(e.problem(), WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
        }
    }

    private static WebEndpointResponse<Map<String, String>> problem(String problem, int status) {
        return new WebEndpointResponse<>(Map.of("problem", problem), status);
    }

    private KeyDescription describe(NamedPermits permits) {
        return KeyDescription.of(permits.peek(), LimitDefinition.of(permits.limit(), permits.prefetch()), isLocal());
    }

    /** {@code null} if Redis is unavailable, because the rest can be shown without it. */
    private @Nullable KeyDescription own(LimiterTotals totals) {
        try {
            return describe(permits(totals, null, null));
        } catch (InvalidEndpointRequestException | LimiterBackendException e) {
            return null;
        }
    }

    /**
     * @throws InvalidEndpointRequestException if the parameters do not identify permits
     */
    NamedPermits permits(LimiterTotals totals, @Nullable String key, @Nullable String hashTag) {
        if (key != null && key.isBlank() || hashTag != null && hashTag.isBlank()) {
            throw new InvalidEndpointRequestException(
                    "key and hashTag must not be blank: leave the key out for the limit's own permits", "Blank");
        }
        Limit<?> limit = totals.limit()
                .orElseThrow(() -> new InvalidEndpointRequestException(
                        "'" + totals.name() + "' stands for many limits", "Many limits"));
        return NamedPermits.of(factory, totals, limit, key, hashTag == null ? hashTag(totals, key) : hashTag);
    }

    private @Nullable String hashTag(LimiterTotals totals, @Nullable String key) {
        String hashTag = hashTags.get()
                .map(each -> each.hashTag(totals.prefix(), totals.name(), key))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
        if (hashTag == null && totals.hashTag() == HashTag.FIRST_KEY) {
            throw new InvalidEndpointRequestException(
                    "the permits of '" + totals.name() + "' have a hash tag: name it, ?hashTag=...", "No hash tag");
        }
        return hashTag;
    }

    /**
     * {@code null} if there is none of this name.
     *
     * @throws InvalidEndpointRequestException if there are several
     */
    @Nullable
    LimiterTotals find(String[] limit) {
        String path = String.join("/", limit);
        List<LimiterTotals> found = named(path, UnaryOperator.identity());
        if (found.isEmpty()) {
            found = named(path, LimitersEndpoint::asInPath);
        }
        if (found.size() > 1) {
            throw new InvalidEndpointRequestException(
                    "several limits have this name, so name one of "
                            + found.stream()
                                    .map(each -> each.prefix() + each.name())
                                    .toList(),
                    "Several limits");
        }
        return found.isEmpty() ? null : found.get(0);
    }

    private List<LimiterTotals> named(String path, UnaryOperator<String> spelling) {
        return totals().stream()
                .filter(each -> spelling.apply(each.name()).equals(path)
                        || spelling.apply(each.prefix() + each.name()).equals(path))
                .toList();
    }

    /** Paths have no slash at the start or the end, and no double slashes. */
    private static String asInPath(String name) {
        return String.join("/", StringUtils.tokenizeToStringArray(name, "/", false, true));
    }

    private boolean isLocal() {
        return factory instanceof LocalLimiterFactory;
    }

    private List<LimiterTotals> totals() {
        return factory.statistics().totals();
    }
}
