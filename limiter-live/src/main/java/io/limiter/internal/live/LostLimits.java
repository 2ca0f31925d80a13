package io.limiter.internal.live;

import io.limiter.internal.live.store.LiveStore;
import io.limiter.internal.live.store.StoredLimit;
import io.limiter.internal.log.AsyncLog;
import io.limiter.live.LiveKey;
import io.limiter.live.LiveLimit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Writes back what Redis has lost of a copy, or says that it is lost. */
final class LostLimits {

    private static final AsyncLog log = AsyncLog.of(LostLimits.class);

    private static final int MAX_LOGGED = 10;

    private final LiveStore store;

    LostLimits(LiveStore store) {
        this.store = store;
    }

    /**
     * Of each name, the newer change stays, that of Redis or of the copy.
     *
     * @param version of the newest change in the copy
     * @param secret that the copy has
     * @param copied by field
     * @param soonMicros limits that expire until then are not written back
     */
    void restore(long version, String secret, Map<String, StoredLimit> copied, long soonMicros) {
        List<String> limits = new ArrayList<>();
        copied.forEach((field, each) -> {
            if (each.problem().isEmpty() && !each.isExpired(soonMicros)) {
                LiveLimit limit = each.limit();
                limits.addAll(List.of(field, each.stored(), StoredLimit.note(limit.who(), limit.why())));
            }
        });
        List<String> restored = limits.isEmpty() ? List.of() : store.restore(version, secret, limits);
        if (!restored.isEmpty()) {
            log.warn(
                    "Redis had lost changes of live limits. This instance has written back {} of them, of {}.",
                    restored.size(),
                    // Without keys, which can be personal data.
                    restored.stream()
                            .map(field -> field.split("\t", 2)[0])
                            .distinct()
                            .limit(MAX_LOGGED)
                            .toList());
        }
    }

    /** Live limits of hashed keys are lost with the secret: which keys they were of is not known. */
    void warnOfHashes(Map<String, StoredLimit> copied, long nowMicros) {
        long hashed = copied.values().stream()
                .filter(each -> each.isInEffect(nowMicros))
                .filter(each -> each.limit().key().filter(LiveKey::hashed).isPresent())
                .count();
        if (hashed > 0) {
            log.warn(
                    "Redis has another secret for hashing keys, under which live limits were stored, so this instance drops {} of"
                            + " keys that were hashed with the one before: put them again.",
                    hashed);
        }
    }

    /**
     * Where nothing is written back.
     *
     * @param version of the copy
     * @param stamp of the copy
     * @param hasOthers whether Redis has others since
     */
    void warn(LiveStore.Read read, long version, String stamp, boolean hasOthers) {
        if (read.version() < version) {
            log.warn(
                    "Redis has lost live limits: it has version {} of them, and this instance had {}. It drops the live limits"
                            + " that Redis has lost. To have them written back, set LiveOptions.restore.",
                    read.version(),
                    version);
        } else if (read.version() == version && read.stamp().equals(stamp)) {
            log.warn(
                    "Redis has lost live limits of version {}, as it does when it evicts them. This instance drops them.",
                    version);
        } else if (hasOthers) {
            log.warn(
                    "Redis has lost live limits, and has got others since. This instance drops the live limits that Redis has lost.");
        }
    }
}
