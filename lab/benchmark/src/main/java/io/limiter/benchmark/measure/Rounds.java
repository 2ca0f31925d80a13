package io.limiter.benchmark.measure;

import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * The result of a measurement that was repeated.
 *
 * @param <R> the figures of a round
 */
public interface Rounds<R> {

    List<R> rounds();

    /** A figure of each round. */
    default Spread spread(ToDoubleFunction<R> figure) {
        return Spread.of(rounds().stream().mapToDouble(figure));
    }
}
