package io.limiter.benchmark.subject;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.io.Resources;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.metrics.CommandLatencyRecorder;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.client.NettyHook;
import org.redisson.client.protocol.CommandsData;
import org.redisson.config.Config;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The connections of one subject, each client with its own defaults, and how many commands have left by them. Redis's
 * statistics cannot tell that: they count what a script calls like what a client sends.
 *
 * <p>Opened by one thread before the load begins.
 */
public final class RedisClients implements AutoCloseable {

    private final String host;
    private final int port;
    private final String primary;
    private final CommandCounter sent = new CommandCounter();
    private final Deque<Runnable> closers = new ArrayDeque<>();
    private @Nullable ClientResources resources;
    private @Nullable StatefulRedisConnection<String, byte[]> lettuce;
    private @Nullable RedissonClient redisson;

    /** Of one Redis. */
    public RedisClients(String host, int port) {
        this(host, port, "");
    }

    private RedisClients(String host, int port, String primary) {
        this.host = host;
        this.port = port;
        this.primary = primary;
    }

    /**
     * Of a Redis that a Sentinel watches, in the way in which each client documents it.
     *
     * @param port of the Sentinel
     * @param primary the name that the Sentinel knows
     */
    public static RedisClients ofSentinel(String host, int port, String primary) {
        return new RedisClients(host, port, primary);
    }

    private boolean hasSentinel() {
        return !primary.isEmpty();
    }

    /** Commands sent so far, by all clients together. */
    public long commandsSent() {
        return sent.commands.sum();
    }

    /** A connection of Lettuce's own, the same for all callers. */
    public StatefulRedisConnection<String, byte[]> lettuce() {
        if (lettuce == null) {
            RedisURI uri = hasSentinel()
                    ? RedisURI.Builder.sentinel(host, port, primary).build()
                    : RedisURI.create(host, port);
            RedisClient client = RedisClient.create(lettuceResources(), uri);
            closers.push(() -> client.shutdown(0, 1, TimeUnit.SECONDS));
            lettuce = client.connect(RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE));
        }
        return lettuce;
    }

    /** Lettuce as Spring Data Redis sets it up. */
    public LettuceConnectionFactory springDataRedis() {
        RedisConfiguration redis = hasSentinel()
                ? new RedisSentinelConfiguration().master(primary).sentinel(host, port)
                : new RedisStandaloneConfiguration(host, port);
        LettuceConnectionFactory factory = new LettuceConnectionFactory(
                redis,
                LettuceClientConfiguration.builder()
                        .clientResources(lettuceResources())
                        .build());
        factory.afterPropertiesSet();
        factory.start();
        closers.push(factory::destroy);
        return factory;
    }

    /** The same for all callers. */
    RedissonClient redisson() {
        if (redisson == null) {
            redisson = newRedisson();
        }
        return redisson;
    }

    private RedissonClient newRedisson() {
        Config config = new Config();
        config.setNettyHook(new NettyHook() {
            @Override
            public void afterBoostrapInitialization(Bootstrap bootstrap) {}

            @Override
            public void afterChannelInitialization(Channel channel) {
                channel.pipeline().addLast(sent);
            }
        });
        String address = "redis://" + host + ":" + port;
        if (hasSentinel()) {
            // It would reject a single Sentinel.
            config.useSentinelServers()
                    .setMasterName(primary)
                    .addSentinelAddress(address)
                    .setCheckSentinelsList(false);
        } else {
            config.useSingleServer().setAddress(address);
        }
        RedissonClient client = Redisson.create(config);
        closers.push(() -> client.shutdown(0, 1, TimeUnit.SECONDS));
        return client;
    }

    /** A script next to this class, loaded once and run by its digest, over a connection of Lettuce's own. */
    Script script(String fileName) {
        StatefulRedisConnection<String, byte[]> connection = lettuce();
        try {
            String source = Resources.toString(Resources.getResource(RedisClients.class, fileName), UTF_8);
            return new Script(connection.async(), connection.sync().scriptLoad(source));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + fileName, e);
        }
    }

    static byte[] argument(long number) {
        return Long.toString(number).getBytes(US_ASCII);
    }

    /** A loaded script; each run is one {@code EVALSHA}. */
    record Script(RedisAsyncCommands<String, byte[]> redis, String sha1) {

        /** What the script returned, a list or one number. */
        <T> CompletableFuture<T> run(ScriptOutputType type, String[] keys, byte[]... arguments) {
            return redis.<T>evalsha(sha1, type, keys, arguments).toCompletableFuture();
        }
    }

    /** All connections of Lettuce have the same threads. */
    private ClientResources lettuceResources() {
        ClientResources known = resources;
        if (known != null) {
            return known;
        }
        ClientResources opened = ClientResources.builder()
                .commandLatencyRecorder(CommandLatencyRecorder.disabled())
                .nettyCustomizer(new NettyCustomizer() {
                    @Override
                    public void afterChannelInitialized(Channel channel) {
                        channel.pipeline().addLast(sent);
                    }
                })
                .build();
        closers.push(() -> opened.shutdown(0, 1, TimeUnit.SECONDS).awaitUninterruptibly());
        resources = opened;
        return opened;
    }

    @Override
    public void close() {
        while (!closers.isEmpty()) {
            closers.pop().run();
        }
    }

    /** Counts the commands that Lettuce and Redisson hand to their channels. */
    @Sharable
    private static final class CommandCounter extends ChannelDuplexHandler {

        private final LongAdder commands = new LongAdder();

        @Override
        public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
            commands.add(commandsIn(message));
            context.write(message, promise);
        }

        private static int commandsIn(Object message) {
            if (message instanceof Collection<?> several) {
                return several.size();
            }
            return message instanceof CommandsData several
                    ? several.getCommands().size()
                    : 1;
        }
    }
}
