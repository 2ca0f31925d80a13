package io.limiter.scale;

import io.limiter.scale.DemandFleet.Result;
import io.limiter.scale.DemandFleet.Spread;
import java.time.Duration;
import java.util.Locale;

/** The table of prefetch by demand, for a limit of 50,000 permits a second whose bucket holds those of one. */
final class DemandTable {

    private static final long SEED = 42;
    private static final double LIMIT = 50_000;
    private static final double[] DEMANDS = {0.5, 1, 1.5, 10};
    private static final long WARM_UP_NANOS = 4_000_000_000L;
    private static final long MEASURED_NANOS = 2_000_000_000;

    private DemandTable() {}

    static String rows() {
        StringBuilder table = new StringBuilder("| instances | granted, of what one bucket would, at a demand of 50 %"
                + " | 100 % | 150 % | 1,000 % | most calls/s | most above the refill | bound |\n"
                + "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
        for (int size : new int[] {10, 100, 1_000}) {
            for (Spread spread : Spread.values()) {
                table.append(row(size, spread, 0));
            }
        }
        return table.append(row(1_000, Spread.EQUAL, 10)).toString();
    }

    private static String row(int size, Spread spread, double crashesPerSecond) {
        String crashing = crashesPerSecond > 0 ? String.format(Locale.ROOT, ", %.0f crashes/s", crashesPerSecond) : "";
        StringBuilder row = new StringBuilder(
                String.format(Locale.ROOT, "| %,d, %s%s", size, spread.name().toLowerCase(Locale.ROOT), crashing));
        double calls = 0;
        double excess = 0;
        double bound = 0;
        for (double demand : DEMANDS) {
            DemandFleet fleet = new DemandFleet(size, LIMIT, Duration.ofSeconds(1), demand, spread, SEED);
            if (crashesPerSecond > 0) {
                fleet.crashing(crashesPerSecond);
            }
            Result result = fleet.run(WARM_UP_NANOS, MEASURED_NANOS);
            row.append(String.format(Locale.ROOT, " | %.1f %%", 100 * result.grantedOfPossible()));
            calls = Math.max(calls, result.callsPerSecond());
            excess = Math.max(excess, result.worstExcess());
            bound = result.mostExcess();
        }
        return row.append(String.format(Locale.ROOT, " | %,.0f | %,.0f | %,.0f |\n", calls, excess, bound))
                .toString();
    }
}
