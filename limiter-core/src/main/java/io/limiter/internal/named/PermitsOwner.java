package io.limiter.internal.named;

import io.limiter.step.LimitStep;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Whose permits a prefix and name stand for, and of which kind they are. Guarded by the monitor of its {@link NamedLimit}. */
final class PermitsOwner {

    /** Callers may choose namespaces. */
    private static final int MOST_STATE_TYPES = 1_000;

    private @Nullable Owner owner;
    private final Map<KeyOf, Class<?>> stateTypes = new HashMap<>(2);

    /**
     * @param limiter whose permits they are
     * @param hasPlans whether one of the limiters is a plan, so that all must be of one kind
     */
    private record Owner(String limiter, Class<?> stateType, String keySuffix, boolean hasPlans) {

        boolean isOfKindOf(Owner other) {
            return stateType == other.stateType && keySuffix.equals(other.keySuffix);
        }
    }

    private record KeyOf(String namespace, String suffix) {}

    /**
     * A limit and its plans take the same permits, and no other limiter is known as one of them.
     *
     * @param name of these permits, or that under which a plan is known
     */
    void check(String name, LimiterId id) {
        LimitStep<?> limit = id.limit().asStep();
        Owner other = new Owner(
                id.name(), limit.stateType(), limit.keySuffix(), id.options().plan() != null);
        Owner known = owner;
        if (known == null) {
            owner = other;
            return;
        }
        if (!known.limiter.equals(other.limiter)) {
            throw new IllegalArgumentException(
                    "limiter '" + id.reportedName() + "' cannot take the permits of '" + id.name()
                            + "', because statistics and live limits know those of '" + known.limiter + "' as '" + name
                            + "': give the limiter or its plan another name");
        }
        if ((known.hasPlans || other.hasPlans) && !known.isOfKindOf(other)) {
            throw new IllegalArgumentException("limiter '" + id.reportedName() + "' cannot be a "
                    + id.limit().getClass().getSimpleName() + ": it takes the permits of '" + id.name()
                    + "', which is of another kind, with the state " + known.stateType.getSimpleName()
                    + "; give a plan the kind of its limit, or another name or prefix");
        }
        if (other.hasPlans && !known.hasPlans) {
            owner = other;
        }
    }

    /** Two kinds of limit that read each other's states would fail at each call. */
    void checkStateType(LimiterId id) {
        LimitStep<?> limit = id.limit().asStep();
        if (stateTypes.size() >= MOST_STATE_TYPES) {
            stateTypes.clear();
        }
        Class<?> other =
                stateTypes.putIfAbsent(new KeyOf(id.options().namespace(), limit.keySuffix()), limit.stateType());
        if (other != null && other != limit.stateType()) {
            throw new IllegalArgumentException("limiter '" + id.name() + "' cannot be a "
                    + limit.getClass().getSimpleName()
                    + ": another kind of limit, whose state is a " + other.getSimpleName() + ", has its key "
                    + id.prefix() + "{" + id.name() + "}" + limit.keySuffix()
                    + "; give it another name or prefix, or its kind a keySuffix of its own");
        }
    }
}
