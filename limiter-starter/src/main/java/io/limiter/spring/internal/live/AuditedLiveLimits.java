package io.limiter.spring.internal.live;

import io.limiter.live.ChangeNote;
import io.limiter.live.ForwardingLiveLimits;
import io.limiter.live.LiveChange;
import io.limiter.live.LiveKey;
import io.limiter.live.LiveLimit;
import io.limiter.live.LiveLimits;
import io.limiter.live.LiveSettings;
import io.limiter.spring.internal.actuate.Audit;
import io.limiter.spring.internal.actuate.LiveDefinition;
import io.limiter.spring.live.LiveLimitChangedEvent;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.event.EventListener;

/** Publishes an audit event for each change that is made by these live limits, and for each live limit that expires here. */
public final class AuditedLiveLimits extends ForwardingLiveLimits {

    /** The type of the events. */
    public static final String TYPE = "LIVE_LIMIT_CHANGED";

    private final ApplicationEventPublisher publisher;

    public AuditedLiveLimits(LiveLimits limits, ApplicationEventPublisher publisher) {
        super(limits);
        this.publisher = publisher;
    }

    @Override
    public LiveLimit put(String name, LiveSettings settings, ChangeNote note, long expectedVersion) {
        LiveLimit stored = super.put(name, settings, note, expectedVersion);
        publish("put", stored.name(), stored.key(), Optional.of(stored), note, expectedVersion);
        return stored;
    }

    @Override
    public LiveLimit put(String name, LiveKey key, LiveSettings settings, ChangeNote note, long expectedVersion) {
        LiveLimit stored = super.put(name, key, settings, note, expectedVersion);
        publish("put", stored.name(), stored.key(), Optional.of(stored), note, expectedVersion);
        return stored;
    }

    @Override
    public Optional<LiveChange> remove(String name, ChangeNote note, long expectedVersion) {
        Optional<LiveChange> removed = super.remove(name, note, expectedVersion);
        removed.ifPresent(change -> publish("remove", change, note, expectedVersion));
        return removed;
    }

    @Override
    public Optional<LiveChange> remove(String name, LiveKey key, ChangeNote note, long expectedVersion) {
        Optional<LiveChange> removed = super.remove(name, key, note, expectedVersion);
        removed.ifPresent(change -> publish("remove", change, note, expectedVersion));
        return removed;
    }

    @Override
    public LiveChange rollBack(long version, ChangeNote note, long expectedVersion) {
        LiveChange change = super.rollBack(version, note, expectedVersion);
        publish("roll back of " + version, change, note, expectedVersion);
        return change;
    }

    /** Each instance ends it by itself, so each publishes an event. */
    @EventListener
    public void ended(LiveLimitChangedEvent event) {
        LiveChange change = event.change();
        // Only an expired one has ended at that time.
        change.before()
                .filter(limit -> change.after().isEmpty() && limit.expiresAt().equals(Optional.of(change.at())))
                .ifPresent(limit -> publish(
                        "expire",
                        limit.name(),
                        limit.key(),
                        Optional.empty(),
                        ChangeNote.of(limit.who(), limit.why()),
                        limit.version()));
    }

    private void publish(String action, LiveChange change, ChangeNote note, long replacedVersion) {
        publish(action, change.name(), change.key(), change.after(), note, replacedVersion);
    }

    /** @param key as it is stored, so the event hides what the store hides */
    private void publish(
            String action,
            String name,
            Optional<LiveKey> key,
            Optional<LiveLimit> after,
            ChangeNote note,
            long replacedVersion) {
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("limit", name);
        key.ifPresent(each -> data.put("key", each.toString()));
        data.put("action", action);
        data.put("replacedVersion", replacedVersion);
        after.ifPresent(limit -> {
            data.put("version", limit.version());
            data.put("settings", LiveDefinition.of(limit.settings()));
            limit.expiresAt().ifPresent(at -> data.put("expiresAt", at.toString()));
        });
        data.put("why", note.why());
        Audit.publish(publisher, note.who(), TYPE, data);
    }
}
