package io.limiter.internal.redis.script;

import io.limiter.internal.redis.client.LuaScript;
import java.util.BitSet;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The scripts for sets of limits: one for each combination of kinds in use.
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

    /** The script for the kinds of limits of a set. */
    public LuaScript of(int... kinds) {
        BitSet different = new BitSet();
        for (int kind : kinds) {
            different.set(kind);
        }
        return byKinds.computeIfAbsent(different, this::build);
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
