package io.limiter.internal.redis.script;

import io.limiter.internal.redis.client.LuaScript;
import java.util.BitSet;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The scripts for sets of limits: one for each combination of kinds in use.
 */
public final class SetScripts {

    private static final String CONSTANTS = "--[constants]\n";
    private static final String KINDS = "--[kinds]\n";

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

    /** The script for sets of these kinds of limits. */
    public LuaScript of(BitSet kinds) {
        return byKinds.computeIfAbsent(kinds, this::build);
    }

    public LuaScript build(BitSet kinds) {
        if (kinds.cardinality() == 1) {
            String script = LimitScripts.all().get(kinds.nextSetBit(0)).script();
            return LuaScript.of(clock, LuaScript.fill(frame.replace(KINDS, ofKind), script));
        }
        // The constants of each kind in its block, because they have the same names.
        StringBuilder blocks = new StringBuilder();
        kinds.stream()
                .forEach(kind -> blocks.append("if kind == ")
                        .append(kind)
                        .append(" then\n")
                        .append(LuaScript.fill(
                                CONSTANTS + ofKind, LimitScripts.all().get(kind).script()))
                        .append("end\n"));
        return LuaScript.of(clock, frame.replace(CONSTANTS, "").replace(KINDS, blocks));
    }
}
