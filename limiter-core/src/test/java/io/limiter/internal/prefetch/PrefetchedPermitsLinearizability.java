package io.limiter.internal.prefetch;

import static io.limiter.testing.Expected.verdict;

import io.limiter.internal.time.ExpiryClock;
import io.limiter.testing.NoTimers;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;

/** No permit of a block is granted twice or lost, half of which it drops before the first is taken. */
public class PrefetchedPermitsLinearizability {

    private static final int SIZE = 6;
    private static final ExpiryClock CLOCK = new ExpiryClock(new NoTimers(), new NoTimers());

    private final PrefetchedPermits block =
            new PrefetchedPermits(verdict(true, SIZE, 100, 0, 0, 0), 100, CLOCK.in(1), 2, 0);

    @Operation
    public boolean take(@Param(gen = IntGen.class, conf = "1:3") int permits) {
        return block.take(permits) >= 0;
    }

    @Operation
    public int left() {
        return block.left();
    }

    @Operation
    public int newlyUsed() {
        return block.newlyUsed();
    }

    @Operation
    public int takeRest() {
        return block.takeRest();
    }

    /** The same, one after the other. */
    public static final class Sequential {

        private int left = SIZE;
        private int dropped;
        private int used;

        public boolean take(int permits) {
            if (left > SIZE / 2) {
                dropped = left - SIZE / 2;
                left = SIZE / 2;
            }
            boolean enough = left >= permits;
            left -= enough ? permits : 0;
            used += enough ? permits : 0;
            return enough;
        }

        public int newlyUsed() {
            return used;
        }

        public int left() {
            return left;
        }

        public int takeRest() {
            int rest = left + dropped;
            left = 0;
            dropped = 0;
            return rest;
        }
    }
}
