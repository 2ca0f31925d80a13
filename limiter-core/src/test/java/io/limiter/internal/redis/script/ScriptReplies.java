package io.limiter.internal.redis.script;

import io.limiter.internal.backend.Call;
import io.limiter.internal.cache.KnownRejections;
import java.util.List;

/** Replies of scripts that a test makes up. */
public final class ScriptReplies {

    private ScriptReplies() {}

    /** Answers a call of one kind of limit, or for a set, as if Redis had replied this. */
    public static void answer(Call call, List<Object> reply, KnownRejections rejections) {
        ScriptCall sent = call.allOrNothing()
                ? new SetCall(List.of(call), 0, 0)
                : new BatchCall(call, LimitScripts.kindOf(call.keys().get(0).limit()), 0, 0);
        sent.argument();
        sent.answered(reply, rejections, false);
    }
}
