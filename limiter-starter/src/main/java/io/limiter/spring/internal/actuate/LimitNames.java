package io.limiter.spring.internal.actuate;

import io.limiter.LimiterFactory;
import io.limiter.internal.text.NearestName;
import io.limiter.live.LiveLimit;
import io.limiter.live.LiveLimits;
import io.limiter.live.Unreadable;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The names that limits have, and what operators are told of one that none has. */
public final class LimitNames {

    private LimitNames() {}

    /**
     * The names of the limits and plans that this instance has built, and of those with live limits.
     *
     * @param factory {@code null} if this instance has no limits
     */
    public static Set<String> known(@Nullable LimiterFactory factory, LiveLimits live) {
        Stream<String> built = factory == null
                ? Stream.empty()
                : factory.statistics().totals().stream().flatMap(each -> Stream.of(each.name(), each.limiter()));
        return Stream.of(
                        built,
                        live.list().stream().map(LiveLimit::name),
                        live.keys().stream().map(LiveLimit::name),
                        live.unreadable().stream().map(Unreadable::name))
                .flatMap(names -> names)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /**
     * What is wrong with a name that no limit has. It names the parts of the rule or the client that has it, or else the name that
     * it may be misspelt for.
     */
    public static String problem(String name, Collection<String> known) {
        String start = "no limit here has the name '" + name + "'";
        List<String> parts = known.stream()
                .filter(each -> each.startsWith(name + "/"))
                .sorted()
                .toList();
        if (!parts.isEmpty()) {
            return start + " alone: name one of " + String.join(", ", parts) + ".";
        }
        return start
                + NearestName.of(name, known)
                        .map(nearest -> ", did you mean '" + nearest + "'?")
                        .orElse(".");
    }

    /**
     * Checks that a live limit is for a limit.
     *
     * @param kind of a limit that is built later, which the live limit is prepared for; {@code null} if the change does not name one
     * @throws IllegalArgumentException if no limit has the name, and there is no kind
     */
    public static void check(String name, Collection<String> known, @Nullable Object kind) {
        if (kind == null && !known.contains(name)) {
            throw new IllegalArgumentException(problem(name, known)
                    + " To prepare a live limit of a limit that is built later or by another instance, set the kind that it"
                    + " will have.");
        }
    }
}
