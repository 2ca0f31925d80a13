package io.limiter.benchmark.measure;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;

/**
 * What this JVM has used, all threads together: those of the clients as well as those that make the load.
 *
 * @param cpuNanos processor time
 * @param allocatedByThread bytes allocated by each platform thread that lives; those of virtual threads are counted
 *     with their carriers
 */
record ClientStats(long cpuNanos, Map<Long, Long> allocatedByThread) {

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    static ClientStats now() {
        long[] ids = THREADS.getAllThreadIds();
        long[] bytes = THREADS.getThreadAllocatedBytes(ids);
        Map<Long, Long> allocated = new HashMap<>();
        for (int i = 0; i < ids.length; i++) {
            allocated.put(ids[i], Math.max(0, bytes[i]));
        }
        return new ClientStats(SYSTEM.getProcessCpuTime(), allocated);
    }

    long cpuNanosSince(ClientStats earlier) {
        return cpuNanos - earlier.cpuNanos;
    }

    long allocatedBytesSince(ClientStats earlier) {
        return allocatedByThread.entrySet().stream()
                .mapToLong(now -> now.getValue() - earlier.allocatedByThread.getOrDefault(now.getKey(), 0L))
                .filter(bytes -> bytes > 0)
                .sum();
    }
}
