package io.limiter.internal.named;

import io.limiter.algorithm.AnyLimit;
import io.limiter.internal.engine.ImmediateEngine.Known;
import io.limiter.internal.log.AsyncLog;
import io.limiter.internal.resilience.Failover;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** What changes the limits of one key. */
final class KeyOverride {

    private static final AsyncLog log = AsyncLog.of(KeyOverride.class);

    private final String name;
    private final LimitChange change;
    private final LongSupplier untilEndMicros;
    // For the limiter that the key was used with last: others of the name may have other limits, and rarely the same
    // keys.
    private volatile @Nullable Changed<?> last;
    private boolean warned;

    /** @param untilEndMicros how long it lasts */
    KeyOverride(String name, LimitChange change, LongSupplier untilEndMicros) {
        this.name = name;
        this.change = change;
        this.untilEndMicros = untilEndMicros;
    }

    private record Changed<L extends AnyLimit>(EffectiveLimit<L> own, EffectiveLimit<L> ofKey) {}

    /**
     * What decides about the key.
     *
     * @param own what decides about other keys; also about this one if the change does not fit
     */
    @SuppressWarnings("unchecked") // The same object has the same type.
    <L extends AnyLimit> EffectiveLimit<L> over(EffectiveLimit<L> own) {
        Changed<?> known = last;
        if (known == null || known.own != own) {
            known = new Changed<>(own, applied(own));
            last = known;
        }
        return (EffectiveLimit<L>) known.ofKey;
    }

    /** Whether it limits a caller whose plan does not. */
    boolean limits() {
        return change.access() != null || change.hasParameters();
    }

    private <L extends AnyLimit> EffectiveLimit<L> applied(EffectiveLimit<L> own) {
        Known access = change.access();
        if (access != null) {
            return own.with(own.limit(), Failover.none(new AccessEngine(access, untilEndMicros)));
        }
        if (!change.concerns(own.limit())) {
            return own;
        }
        try {
            return change.over(own);
        } catch (IllegalArgumentException e) {
            if (!warned) {
                warned = true;
                log.warn(
                        "Limiter '{}' does not apply the live limit of a key, because it does not fit: {}",
                        name,
                        e.getMessage());
            }
            return own;
        }
    }
}
