package io.limiter.benchmark.subject;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import java.util.Collection;
import java.util.concurrent.atomic.LongAdder;
import org.redisson.client.protocol.CommandsData;

/** Counts the commands that Lettuce and Redisson hand to their channels. */
@Sharable
final class CommandCounter extends ChannelDuplexHandler {

    private final LongAdder commands = new LongAdder();

    long count() {
        return commands.sum();
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        commands.add(commandsIn(message));
        context.write(message, promise);
    }

    private static int commandsIn(Object message) {
        if (message instanceof Collection<?> several) {
            return several.size();
        }
        return message instanceof CommandsData several ? several.getCommands().size() : 1;
    }
}
