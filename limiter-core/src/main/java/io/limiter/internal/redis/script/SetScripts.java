package io.limiter.internal.redis.script;

import io.limiter.algorithm.Limit;
import io.limiter.internal.engine.SetPart;
import io.limiter.internal.redis.client.LuaScript;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The scripts for sets of limits: one for each combination of kinds in use. The number of a kind is its index in {@link
 * LimitScripts#all()}.
 */
public final class SetScripts {

    private final String clock;
    private final String frame = LuaScript.resource(SetScripts.class, "set.lua");
    private final String ofKind = LuaScript.resource(SetScripts.class, "set_kind.lua");
    private final Map<BitSet, LuaScript> byKinds = new ConcurrentHashMap<>();

    /**
     * @param clock the part of the scripts that reads the clock
     */
    public SetScripts(String clock) {
        this.clock = clock;
    }

    /** The script for the kinds of limits of these parts. */
    public LuaScript of(List<SetPart<?>> parts) {
        BitSet kinds = new BitSet();
        for (SetPart<?> part : parts) {
            kinds.set(kindOf(part.limit()));
        }
        return byKinds.computeIfAbsent(kinds, this::build);
    }

    /** The number of this kind of limit in the scripts. */
    static int kindOf(Limit<?> limit) {
        return LimitScripts.all().indexOf(LimitScripts.of(limit));
    }

    public LuaScript build(BitSet kinds) {
        StringBuilder blocks = new StringBuilder("--[kinds]\n");
        kinds.stream()
                .forEach(kind -> blocks.append("if kind == ")
                        .append(kind)
                        .append(" then\n")
                        .append(LuaScript.fill(
                                ofKind, LimitScripts.all().get(kind).script()))
                        .append("end\n"));
        return LuaScript.of(clock, LuaScript.fill(frame, blocks.toString()));
    }
}
