package io.limiter.internal.redis.script;

import io.limiter.internal.redis.client.LuaScript;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The scripts that read one clock. All factories of a JVM share them, so that each script is put together and hashed only once.
 * Immutable but for the scripts of sets, which are built when they are first needed.
 *
 * @param batches by kind of limit
 */
record ClockScripts(List<LuaScript> batches, SetScripts sets) {

    // Few: applications have one clock, and tests some of their own.
    private static final Map<String, ClockScripts> BY_CLOCK = new ConcurrentHashMap<>();

    /** @param clock the part of the scripts that reads the clock */
    static ClockScripts of(String clock) {
        return BY_CLOCK.computeIfAbsent(clock, ClockScripts::build);
    }

    private static ClockScripts build(String clock) {
        String batch = LuaScript.resource(ClockScripts.class, "batch.lua");
        List<LuaScript> batches = LimitScripts.all().stream()
                .map(limit -> LuaScript.of(clock, LuaScript.fill(batch, limit.script())))
                .toList();
        return new ClockScripts(batches, new SetScripts(clock));
    }
}
