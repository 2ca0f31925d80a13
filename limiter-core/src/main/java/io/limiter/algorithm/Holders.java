package io.limiter.algorithm;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;

/**
 * The state of a {@link ConcurrencyLimit}.
 *
 * @param holders who holds permits, in the order in which they got them; some leases may be over
 */
public record Holders(@JsonProperty(required = true) List<Holder> holders) {

    public Holders {
        holders = List.copyOf(holders);
    }
}
