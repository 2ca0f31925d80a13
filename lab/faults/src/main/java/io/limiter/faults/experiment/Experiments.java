package io.limiter.faults.experiment;

import java.util.List;
import java.util.stream.Stream;

/** All there are, family by family. */
public final class Experiments {

    private Experiments() {}

    public static List<Experiment> all() {
        return Stream.of(
                        Outages.all(),
                        Policies.all(),
                        BusyRedis.all(),
                        ErrorReplies.all(),
                        BadNetworks.all(),
                        LostState.all(),
                        Failovers.all(),
                        Clusters.all(),
                        Rights.all(),
                        Instances.all(),
                        Fleets.all(),
                        Clocks.all())
                .flatMap(List::stream)
                .toList();
    }
}
