package io.limiter.internal.redis.script;

import io.limiter.internal.backend.Answer;
import io.limiter.internal.backend.Call;
import io.limiter.internal.engine.KeyRequests;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** The calls that a call is split into; answers it when all of them are answered. */
final class Parts {

    private final Call whole;
    private final AtomicInteger missing;
    private final List<Answer> answers;

    Parts(Call whole, int calls) {
        this(whole, calls, Arrays.asList(new Answer[whole.keys().size()]));
    }

    /**
     * @param answers those that are known, by key
     */
    Parts(Call whole, int calls, List<Answer> answers) {
        this.whole = whole;
        this.missing = new AtomicInteger(calls);
        this.answers = answers;
    }

    /** The call for the keys at these places. */
    Call at(List<Integer> places) {
        List<KeyRequests<?>> keys = new ArrayList<>(places.size());
        places.forEach(place -> keys.add(whole.keys().get(place)));
        return new Call(keys, false, whole.send(), some -> {
            for (int i = 0; i < places.size(); i++) {
                answers.set(places.get(i), some.get(i));
            }
            if (missing.decrementAndGet() == 0) {
                whole.answered().accept(answers);
            }
        });
    }
}
