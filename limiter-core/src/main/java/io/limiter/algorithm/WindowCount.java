package io.limiter.algorithm;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * The state of a {@link FixedWindow}.
 *
 * @param count permits taken in the window, at least 0
 * @param windowEndMillis when the window ends, in milliseconds since the epoch, to the microsecond
 */
public record WindowCount(
        @JsonProperty(required = true) double count,
        @JsonProperty(required = true) double windowEndMillis) {

    public WindowCount {
        if (!(count >= 0
                && count < Double.POSITIVE_INFINITY
                && windowEndMillis >= 0
                && windowEndMillis < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException(
                    "not a window's state: count " + count + ", windowEndMillis " + windowEndMillis);
        }
    }

    double windowEndMicros() {
        return Math.floor(windowEndMillis * 1000.0 + 0.5);
    }
}
