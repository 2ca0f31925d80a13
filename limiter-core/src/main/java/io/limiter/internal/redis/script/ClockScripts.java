package io.limiter.internal.redis.script;

import io.limiter.internal.redis.client.LuaScript;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The scripts that read one clock. All factories of a JVM share them, because putting them together takes most of the time that
 * it takes to build a factory.
 *
 * @param batches by kind of limit
 */
record ClockScripts(List<LuaScript> batches, SetScripts sets) {

    // Few: there is one clock, and tests have some of their own.
    private static final Map<String, ClockScripts> BY_CLOCK = new ConcurrentHashMap<>();

    /**
     * @param clock the part of the scripts that reads the clock
     */
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
