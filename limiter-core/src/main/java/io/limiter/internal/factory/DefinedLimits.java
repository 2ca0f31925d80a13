package io.limiter.internal.factory;

import io.limiter.LimiterOptions;
import io.limiter.algorithm.AnyLimit;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.text.NearestName;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The limits that a factory knows by their names: those that configuration defines, and those that code defines, which configuration
 * replaces. Safe for use by many threads.
 */
public final class DefinedLimits {

    private static final int SHOWN = 3;

    private final Map<Key, DefinedLimit> ofCode = new ConcurrentHashMap<>();
    private volatile @Nullable Supplier<? extends Configured> configuration;

    /** @param limit with these options, which go over those of the factory */
    public record DefinedLimit(AnyLimit limit, LimiterOptions options) {}

    /** The limits that configuration defines. */
    public interface Configured {

        /**
         * The limit of a name.
         *
         * @param plan {@code null} for the limit itself
         * @param held whether it is a concurrency limit unless it says of which kind it is
         * @return {@code null} if there is none of this name
         * @throws IllegalArgumentException if its settings make no limit, or it has no such plan
         */
        @Nullable
        DefinedLimit find(String name, @Nullable String plan, boolean held);

        Set<String> names();

        /** Where a limit of this name would be configured. */
        String setting(String name);
    }

    /** @throws IllegalArgumentException if the name is blank, or its limit or plan is defined already */
    public void define(String name, AnyLimit limit, LimiterOptions options) {
        if (Objects.requireNonNull(name, "name").isBlank()) {
            throw new IllegalArgumentException("name must not be blank, was '" + name + "'");
        }
        DefinedLimit defined = new DefinedLimit(Objects.requireNonNull(limit, "limit"), options);
        Key key =
                new Key(name, Objects.requireNonNull(options, "options").plan().orElse(null));
        DefinedLimit before = ofCode.putIfAbsent(key, defined);
        if (before != null) {
            throw new IllegalArgumentException(
                    "limit " + key + " is defined already, as " + before.limit() + ": define each name once");
        }
    }

    /** Takes over what another one has from code. */
    public void defineAll(DefinedLimits others) {
        ofCode.putAll(others.ofCode);
    }

    /** @param newConfiguration read when a limit is first asked for by its name */
    public void configuredBy(Supplier<? extends Configured> newConfiguration) {
        configuration = newConfiguration;
    }

    /**
     * The limit of a name.
     *
     * @param plan {@code null} for the limit itself
     * @param held whether its permits are to be held
     * @throws IllegalArgumentException if there is none, or its configuration is invalid
     */
    DefinedLimit find(String name, @Nullable String plan, boolean held) {
        Supplier<? extends Configured> read = configuration;
        Configured configured = read == null ? null : read.get();
        DefinedLimit found = configured == null ? null : configured.find(name, plan, held);
        found = found == null ? ofCode.get(new Key(name, plan)) : found;
        if (found == null) {
            throw unknown(name, plan, configured);
        }
        return found;
    }

    private IllegalArgumentException unknown(String name, @Nullable String plan, @Nullable Configured configured) {
        Set<String> names = new TreeSet<>();
        Set<String> plans = new TreeSet<>();
        ofCode.keySet().forEach(key -> {
            names.add(key.name());
            if (key.name().equals(name) && key.plan() != null) {
                plans.add(key.plan());
            }
        });
        if (names.contains(name)) {
            return new IllegalArgumentException(
                    plan == null
                            ? "limit '" + name + "' is defined for its plans " + plans
                                    + " only: define the limit itself, too"
                            : "limit '" + name + "' has no plan '" + plan + "', its plans are " + plans
                                    + ": define that plan, or use one of these");
        }
        if (configured != null) {
            names.addAll(configured.names());
        }
        List<String> nearest = NearestName.nearest(name, names, SHOWN);
        return new IllegalArgumentException("there is no limit '" + name + "', "
                + (nearest.isEmpty() ? "and none of another name" : "the nearest names are " + nearest) + ": "
                + (configured == null ? "" : "set " + configured.setting(name) + ".*, or ")
                + "define it with the builder of the factory");
    }

    /** The failure of who asks for a limit of another kind by its name. */
    static IllegalArgumentException ofOtherKind(String name, AnyLimit limit) {
        String method = limit instanceof TokenBucket
                ? "rateLimiter"
                : limit instanceof ConcurrencyLimit ? "concurrencyLimiter" : "limiter";
        return new IllegalArgumentException("limit '" + name + "' is a "
                + limit.getClass().getSimpleName() + ": call " + method + "(\"" + name + "\")");
    }

    private record Key(String name, @Nullable String plan) {

        @Override
        public String toString() {
            return "'" + name + "'" + (plan == null ? "" : " with the plan '" + plan + "'");
        }
    }
}
