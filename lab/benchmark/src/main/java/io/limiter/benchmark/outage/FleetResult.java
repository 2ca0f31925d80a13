package io.limiter.benchmark.outage;

import org.jspecify.annotations.Nullable;

/**
 * What a fault was like for the callers of one limit of a fleet, from its begin until Redis decided again for every instance, or else
 * until the run ended.
 *
 * @param library its title, as that of the fault
 * @param limit its title
 * @param seconds how long the fault lasted
 * @param calls that were under way in that time
 * @param granted of these
 * @param failed of these: exceptions
 * @param unanswered of these: callers that still waited when the run ended
 * @param above grants above the limit, in the worst interval since the first call
 * @param documented how many of these the pages of this library allow for such a fault; {@code null} for other libraries
 * @param beyond grants above what the pages of this library allow; 0 for other libraries
 * @param p50Millis the time until calls returned, where a caller that waits stands for the calls that it could not make meanwhile
 * @param longestMillis the longest call, or the longest that had no answer yet
 * @param recoveryMillis from the end of the fault until Redis decided again for the last instance; {@code null} if it never did
 */
public record FleetResult(
        String library,
        int instances,
        String limit,
        String fault,
        double seconds,
        long calls,
        long granted,
        long failed,
        long unanswered,
        long above,
        @Nullable Long documented,
        long beyond,
        double p50Millis,
        double p99Millis,
        double longestMillis,
        @Nullable Double recoveryMillis) {}
