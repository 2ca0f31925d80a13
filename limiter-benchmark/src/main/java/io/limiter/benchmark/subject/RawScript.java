package io.limiter.benchmark.subject;

import io.lettuce.core.ScriptOutputType;
import java.util.concurrent.CompletableFuture;

/** The floor: Lettuce, and a script that reads and writes one key and limits nothing. */
final class RawScript implements AsyncSubject {

    private final LettuceScript script;
    private final byte[] value = new byte[32];
    private final byte[] lifetimeMillis;
    private final String[] ids;

    private RawScript(LettuceScript script, byte[] lifetimeMillis, String[] ids) {
        this.script = script;
        this.lifetimeMillis = lifetimeMillis;
        this.ids = ids;
    }

    static Subject open(RedisClients clients, Allowance allowance, String[] ids) {
        LettuceScript script = new LettuceScript(clients.lettuce(), "raw.lua");
        return new RawScript(
                script, LettuceScript.argument(60_000 + allowance.period().toMillis()), ids);
    }

    @Override
    public CompletableFuture<Boolean> tryAcquireAsync(int id) {
        return script.<Long>run(ScriptOutputType.INTEGER, new String[] {ids[id]}, value, lifetimeMillis)
                .thenApply(reply -> reply == 1);
    }

    @Override
    public boolean tryAcquire(int id) {
        return tryAcquireAsync(id).join();
    }
}
