package io.limiter.internal.redis.script;

import io.limiter.spi.LimitScript;
import io.limiter.step.LimitStep;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/** The scripts of all kinds of limits: the built-in ones, and those that {@link ServiceLoader} finds. */
public final class LimitScripts {

    /** The argument of {@code set.lua} has one byte for the kind of a limit. */
    private static final int MAX_KINDS = 256;

    private static final List<LimitScript<?, ?>> ALL = load();

    private static final int NO_KIND = -1;

    private static final ClassValue<Integer> KINDS = new ClassValue<>() {
        @Override
        protected Integer computeValue(Class<?> limit) {
            for (int kind = 0; kind < ALL.size(); kind++) {
                if (ALL.get(kind).type().isAssignableFrom(limit)) {
                    return kind;
                }
            }
            return NO_KIND;
        }
    };

    private LimitScripts() {}

    public static List<LimitScript<?, ?>> all() {
        return ALL;
    }

    /**
     * The kind of a limit: the index of its script in {@link #all()}.
     *
     * @throws IllegalArgumentException if it has no script
     */
    public static int kindOf(LimitStep<?> limit) {
        int kind = KINDS.get(limit.getClass());
        if (kind == NO_KIND) {
            throw new IllegalArgumentException("there is no script for "
                    + limit.getClass().getName() + ": the script engine decides "
                    + ALL.stream().map(known -> known.type().getSimpleName()).toList()
                    + " and what META-INF/services/" + LimitScript.class.getName()
                    + " names, the lock engine and the local one any limit");
        }
        return kind;
    }

    /**
     * The script for this kind of limit, to be called with {@link #erased(LimitStep)}.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static LimitScript<LimitStep<Object>, Object> of(LimitStep<?> limit) {
        return ofKind(kindOf(limit));
    }

    /** The script of a kind of limit, to be called with {@link #erased(LimitStep)}. */
    @SuppressWarnings("unchecked")
    static LimitScript<LimitStep<Object>, Object> ofKind(int kind) {
        return (LimitScript<LimitStep<Object>, Object>) ALL.get(kind);
    }

    /** The script for this kind of limit; {@code null} if there is none. */
    static @Nullable LimitScript<LimitStep<Object>, Object> find(LimitStep<?> limit) {
        int kind = KINDS.get(limit.getClass());
        return kind == NO_KIND ? null : ofKind(kind);
    }

    /** The limit, typed for the script that was found for it. */
    @SuppressWarnings("unchecked")
    static LimitStep<Object> erased(LimitStep<?> limit) {
        return (LimitStep<Object>) limit;
    }

    /**
     * @throws ServiceConfigurationError if there are too many, or an earlier script covers the kind of limit of a later
     *     one
     */
    public static List<LimitScript<?, ?>> checked(List<LimitScript<?, ?>> all) {
        if (all.size() > MAX_KINDS) {
            throw new ServiceConfigurationError("at most " + MAX_KINDS + " kinds of limits can have a script, were "
                    + all.size() + ": take some out of META-INF/services/" + LimitScript.class.getName());
        }
        for (int i = 1; i < all.size(); i++) {
            LimitScript<?, ?> late = all.get(i);
            for (LimitScript<?, ?> early : all.subList(0, i)) {
                if (early.type().isAssignableFrom(late.type())) {
                    throw new ServiceConfigurationError(late.getClass().getName() + " would never be used, because "
                            + early.getClass().getName() + " is for "
                            + early.type().getName()
                            + " already: take one of them out of META-INF/services/"
                            + LimitScript.class.getName());
                }
            }
        }
        return List.copyOf(all);
    }

    private static List<LimitScript<?, ?>> load() {
        List<LimitScript<?, ?>> all = new ArrayList<>(List.of(
                new TokenBucketScript(),
                new FixedWindowScript(),
                new SlidingLogScript(),
                new SlidingCounterScript(),
                new ConcurrencyScript(),
                new BanScript()));
        ServiceLoader.load(LimitScript.class, LimitScript.class.getClassLoader())
                .forEach(all::add);
        return checked(all);
    }
}
