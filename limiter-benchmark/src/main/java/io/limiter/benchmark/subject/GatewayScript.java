package io.limiter.benchmark.subject;

import static io.limiter.benchmark.subject.LettuceScript.argument;

import io.lettuce.core.ScriptOutputType;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** An equivalent of what Spring Cloud Gateway's {@code RedisRateLimiter} runs in Redis, over Lettuce. */
final class GatewayScript implements AsyncSubject {

    private final LettuceScript script;
    private final byte[][] arguments;
    private final String[] ids;

    private GatewayScript(LettuceScript script, byte[][] arguments, String[] ids) {
        this.script = script;
        this.arguments = arguments;
        this.ids = ids;
    }

    static Subject open(RedisClients clients, Allowance allowance, String[] ids) {
        // Its rate is in whole tokens a second; so a permit costs as many tokens as the period has seconds.
        long cost = allowance.period().toSeconds();
        byte[][] arguments = {argument(allowance.permits()), argument(allowance.permits() * cost), argument(cost)};
        return new GatewayScript(new LettuceScript(clients.lettuce(), "gateway.lua"), arguments, ids);
    }

    @Override
    public CompletableFuture<Boolean> tryAcquireAsync(int id) {
        String start = "request_rate_limiter.{" + ids[id];
        String[] keys = {start + "}.tokens", start + "}.timestamp"};
        return script.<List<Long>>run(ScriptOutputType.MULTI, keys, arguments).thenApply(reply -> reply.get(0) == 1);
    }

    @Override
    public boolean tryAcquire(int id) {
        return tryAcquireAsync(id).join();
    }
}
