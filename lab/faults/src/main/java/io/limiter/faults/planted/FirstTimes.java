package io.limiter.faults.planted;

import io.limiter.internal.redis.client.LuaScript;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Scripts that this JVM has loaded. Public for where it is planted. */
public final class FirstTimes {

    private static final Set<String> LOADED = ConcurrentHashMap.newKeySet();

    private FirstTimes() {}

    public static boolean isFirst(LuaScript script) {
        return LOADED.add(script.sha1());
    }
}
