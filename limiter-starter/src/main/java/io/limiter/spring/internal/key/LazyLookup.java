package io.limiter.spring.internal.key;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Looks something up when it is first needed, and again until it is found.
 *
 * <p>Thread-safe without a lock: a thread that looks a bean up under one could wait for a thread that creates beans and needs
 * the lock. So threads that need it at the same time may each look it up. Spring's SingletonSupplier would remember, from
 * Spring 7 on, that nothing was found.
 */
public final class LazyLookup<T extends @Nullable Object> implements Supplier<T> {

    private final Supplier<? extends T> lookUp;
    private volatile @Nullable T found;

    public LazyLookup(Supplier<? extends T> lookUp) {
        this.lookUp = lookUp;
    }

    @Override
    public T get() {
        T known = found;
        if (known == null) {
            known = lookUp.get();
            found = known;
        }
        return known;
    }
}
