package io.limiter.redis;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** For clients that refuse to work on a thread whose interrupt flag is set. */
final class Interrupts {

    private Interrupts() {}

    /** Calls with the flag cleared, and sets it again afterwards. */
    static <T extends @Nullable Object> T holdOff(Supplier<T> call) {
        boolean interrupted = Thread.interrupted();
        try {
            return call.get();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
