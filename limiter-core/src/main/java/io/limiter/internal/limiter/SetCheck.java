package io.limiter.internal.limiter;

import io.limiter.internal.engine.Ask;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.named.EffectiveLimit;
import io.limiter.internal.resilience.Failover;
import io.limiter.internal.waiting.WaitingRequest;
import io.limiter.step.Request;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One check of a set. Parts whose key a live limit exempts or bans are decided here, and the engine decides the others. */
final class SetCheck {

    private final Part[] parts;
    private final boolean rejected;
    private final boolean merges;

    /** @param timeoutsMicros of each part */
    SetCheck(List<SetPart> parts, long permits, long... timeoutsMicros) {
        this.parts = new Part[parts.size()];
        boolean rejects = false;
        boolean mergesAny = false;
        for (int i = 0; i < this.parts.length; i++) {
            Part part = new Part(parts.get(i), permits, timeoutsMicros[i]);
            this.parts[i] = part;
            rejects |= part.known != null && !part.known.isGranted();
            mergesAny |= part.known != null || part.ban != null;
        }
        this.rejected = rejects;
        this.merges = mergesAny;
    }

    /** One part, under its limit at the time of the check. */
    static final class Part {

        private final SetPart part;
        final EffectiveLimit<?> used;
        final Request request;
        // Null if the engine decides.
        private final @Nullable Outcome known;
        // Null if there is no ban, or the part is known.
        private final LimiterBan.@Nullable Check ban;
        // Null if there is no ban, or only the rejection of another part, or of another set, is known.
        private @Nullable Outcome ofBan;

        private Part(SetPart part, long permitsOfSet, long timeoutMicros) {
            this.part = part;
            this.used = part.limiter().effective();
            this.request = part.take(used, permitsOfSet, timeoutMicros);
            this.known = used.exemptOrBanned(request);
            LimiterBan ofKey = known == null ? part.limiter().ban() : null;
            this.ban = ofKey == null ? null : ofKey.check(part.limiter().path);
        }

        private KeyRequests<?> toEngine() {
            return KeyRequests.of(part.storedKey(), used.step(), request);
        }

        /** Counts the decision of this part, and a rejection of it by its ban. */
        void count(Outcome decision) {
            EngineLimiter<?> limiter = part.limiter();
            limiter.bound
                    .counters()
                    .decided(
                            limiter.name(),
                            limiter.path.text(),
                            used.step(),
                            request.least(),
                            request.leave(),
                            decision);
            if (ban != null) {
                ban.decided(used.failover(), decision, ofBan);
            }
        }
    }

    Part part(int place) {
        return parts[place];
    }

    /** Whether the key of a part is exempt or banned. */
    boolean decidesAtOnce() {
        for (Part part : parts) {
            if (part.known != null) {
                return true;
            }
        }
        return false;
    }

    Outcome decide() {
        Part first = parts[0];
        if (parts.length == 1 && !merges) {
            return first.used.failover().decide(first.part.storedKey(), first.used.step(), first.request);
        }
        Ask ask = startParts();
        return ask == null ? known() : merged(ask.await());
    }

    WaitingRequest.Started start() {
        Ask ask = startParts();
        if (ask == null) {
            Ask decided = new Ask(
                    Arrays.stream(parts).<KeyRequests<?>>map(Part::toEngine).toList(), null);
            decided.answer(known());
            return new WaitingRequest.Started(decided, decided);
        }
        return new WaitingRequest.Started(ask, merges ? ask.thenApply(this::merged) : ask);
    }

    /**
     * Starts the decision of the parts that the engine decides, each followed by its ban; {@code null} if there is nothing left to
     * decide. A banned key rejects the set, and nothing is taken of the others.
     */
    private @Nullable Ask startParts() {
        List<KeyRequests<?>> requests = new ArrayList<>(parts.length);
        List<Failover> engines = new ArrayList<>(parts.length);
        for (Part part : parts) {
            if (part.known == null) {
                requests.add(part.toEngine());
                engines.add(part.used.failover());
                if (part.ban != null) {
                    requests.add(part.ban.request());
                    engines.add(part.used.failover());
                }
            }
        }
        return rejected || requests.isEmpty() ? null : Failover.start(requests, engines);
    }

    private Outcome known() {
        List<@Nullable Outcome> known = new ArrayList<>(parts.length);
        for (Part part : parts) {
            known.add(part.known);
        }
        return Outcome.of(known);
    }

    /** The decisions of all parts, in their order. */
    private Outcome merged(Outcome byEngine) {
        if (!merges) {
            return byEngine;
        }
        int next = 0;
        List<@Nullable Outcome> merged = new ArrayList<>(parts.length);
        for (Part each : parts) {
            Outcome own = each.known == null ? byEngine.part(next++) : each.known;
            each.ofBan = each.ban == null ? null : byEngine.part(next++);
            merged.add(each.part.combined(each.used.step(), each.request, own, each.ofBan));
        }
        return Outcome.of(merged);
    }
}
