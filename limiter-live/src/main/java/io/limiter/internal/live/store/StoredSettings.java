package io.limiter.internal.live.store;

import io.limiter.FailurePolicy;
import io.limiter.live.LiveKind;
import io.limiter.live.LiveSettings;
import io.limiter.live.LiveSettings.Access;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** {@link LiveSettings} as JSON, by the same names; {@code null} for what they leave as it is. */
record StoredSettings(
        @Nullable LiveKind kind,
        @Nullable Double rate,
        @Nullable Double capacity,
        @Nullable Duration burst,
        @Nullable Long limit,
        @Nullable Duration period,
        @Nullable Duration timeout,
        @Nullable Boolean enforce,
        @Nullable String onFailure,
        @Nullable Access access) {

    static StoredSettings of(LiveSettings settings) {
        return new StoredSettings(
                settings.kind(),
                settings.rate(),
                settings.capacity(),
                settings.burst(),
                settings.limit(),
                settings.period(),
                settings.timeout(),
                settings.enforce(),
                settings.failurePolicy() == null
                        ? null
                        : settings.failurePolicy().toString(),
                settings.access());
    }

    LiveSettings toLive() {
        return LiveSettings.of(
                kind,
                rate,
                capacity,
                burst,
                limit,
                period,
                timeout,
                enforce,
                onFailure == null ? null : FailurePolicy.parse("onFailure", onFailure),
                access);
    }
}
