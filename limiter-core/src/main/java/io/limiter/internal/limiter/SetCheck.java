package io.limiter.internal.limiter;

import io.limiter.internal.engine.Ask;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.named.EffectiveLimit;
import io.limiter.internal.resilience.Failover;
import io.limiter.internal.waiting.WaitingRequest;
import io.limiter.step.Request;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** One check of a set: parts whose key a live limit exempts or bans are decided at once, the others by the engine. */
final class SetCheck {

    private final List<SetPart> parts = new ArrayList<>();
    // By part.
    private final List<EffectiveLimit<?>> used = new ArrayList<>();
    private final List<KeyRequests<?>> all = new ArrayList<>();
    // Null for those that the engine decides.
    private final List<@Nullable Outcome> decidedHere = new ArrayList<>();
    // Null for those without one, or that are decided at once.
    private final List<LimiterBan.@Nullable Check> bans = new ArrayList<>();

    // Of those that the engine decides, each followed by its ban.
    private final List<KeyRequests<?>> requests = new ArrayList<>();
    private final List<Failover> engines = new ArrayList<>();
    // Decisions of the bans, by part, once all are decided.
    private @Nullable Outcome[] ofBans = {};
    private boolean rejected;
    private boolean merges;

    /** Adds the next part, under its current limit. */
    void add(SetPart part, long permitsOfSet, long timeoutMicros) {
        EffectiveLimit<?> byPart = part.limiter().effective();
        long waitMicros = byPart.step().reservesAhead() ? timeoutMicros : 0;
        Request request = Request.take(part.permitsFor(permitsOfSet), waitMicros);
        KeyRequests<?> ofPart = KeyRequests.of(part.storedKey(), byPart.step(), request);
        Outcome decision = byPart.exemptOrBanned(request);
        parts.add(part);
        used.add(byPart);
        all.add(ofPart);
        decidedHere.add(decision);
        LimiterBan ban = decision == null ? part.limiter().ban() : null;
        LimiterBan.Check check = ban == null ? null : ban.check(part.limiter().path);
        bans.add(check);
        merges |= check != null || decision != null;
        if (decision != null) {
            rejected |= !decision.isGranted();
            return;
        }
        decideByEngine(ofPart, byPart.failover());
        if (check != null) {
            decideByEngine(check.request(), byPart.failover());
        }
    }

    private void decideByEngine(KeyRequests<?> request, Failover engine) {
        requests.add(request);
        engines.add(engine);
    }

    /** What decides about a part. */
    EffectiveLimit<?> used(int part) {
        return used.get(part);
    }

    /** What is requested of a part. */
    Request request(int part) {
        return all.get(part).request();
    }

    /** The check of the ban of a part, unless it is decided at once; {@code null} for nothing. */
    LimiterBan.@Nullable Check ban(int part) {
        return bans.get(part);
    }

    /** The decision of the ban of a part; {@code null} if it has none, or only the rejection of another part, or of another set, is known. */
    @Nullable
    Outcome ofBan(int part) {
        return part < ofBans.length ? ofBans[part] : null;
    }

    /** Whether the key of a part is exempt or banned. */
    boolean decidesAtOnce() {
        return requests.isEmpty() || decidedHere.stream().anyMatch(Objects::nonNull);
    }

    /** Whether no part is left for the engine: a banned one rejects the set, and nothing is taken of the others. */
    private boolean isDecided() {
        return rejected || requests.isEmpty();
    }

    Outcome decide() {
        return isDecided()
                ? Outcome.of(decidedHere)
                : merged(Failover.start(requests, engines).await());
    }

    WaitingRequest.Started start() {
        if (isDecided()) {
            Ask decided = new Ask(all, null);
            decided.answer(Outcome.of(decidedHere));
            return new WaitingRequest.Started(decided, decided);
        }
        Ask ask = Failover.start(requests, engines);
        return new WaitingRequest.Started(ask, merges ? ask.thenApply(this::merged) : ask);
    }

    /** The decisions of all parts, in their order. */
    private Outcome merged(Outcome byEngine) {
        if (!merges) {
            return byEngine;
        }
        Iterator<Integer> next = IntStream.range(0, requests.size()).iterator();
        List<@Nullable Outcome> merged = new ArrayList<>(all.size());
        ofBans = new Outcome[all.size()];
        for (int i = 0; i < all.size(); i++) {
            Outcome known = decidedHere.get(i);
            Outcome own = known == null ? byEngine.part(next.next()) : known;
            ofBans[i] = bans.get(i) == null ? null : byEngine.part(next.next());
            merged.add(parts.get(i).combined(used.get(i).step(), own, ofBans[i]));
        }
        return Outcome.of(merged);
    }
}
