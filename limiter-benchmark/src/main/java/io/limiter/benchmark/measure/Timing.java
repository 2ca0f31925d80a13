package io.limiter.benchmark.measure;

/**
 * How long and how often.
 *
 * @param rounds how many slices each subject has in each cell
 * @param seconds how long a slice is measured
 */
public record Timing(int rounds, double seconds) {

    /** Before the first round the compiler has most to do. */
    double warmUpSeconds(int round) {
        return round == 0 ? seconds : seconds / 3;
    }
}
