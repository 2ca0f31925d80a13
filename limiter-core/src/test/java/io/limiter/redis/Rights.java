package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The rights of the user {@code limiter}: what the pages document, and what Redis has rejected. */
public final class Rights {

    private Rights() {}

    /** What docs/operations says, from there to the end of the line or of the code. */
    public static String documented(String start) throws IOException {
        Matcher line = Pattern.compile("(?m)(?:^|`)(" + Pattern.quote(start) + "[^`\\n]*)")
                .matcher(Files.readString(Path.of("../docs/operations/README.md")));
        assertThat(line.find()).as(start).isTrue();
        return line.group(1);
    }

    /** The documented rights, with those that some need in addition. */
    public static void grant(String node, String... more) throws IOException {
        allow(node, documented("ACL SETUSER"));
        for (String start : more) {
            allow(node, "ACL SETUSER limiter " + documented(start));
        }
        // 7.0 knows subcommands, and not yet this one.
        if (!info(node, "server").contains("redis_version:7.0.")) {
            allow(node, "ACL SETUSER limiter " + documented("+client|setinfo"));
        }
    }

    public static void allow(String node, String command) {
        CommandArgs<String, String> arguments = new CommandArgs<>(StringCodec.UTF8);
        List.of(command.substring("ACL ".length()).split(" ")).forEach(arguments::add);
        assertThat(Resources.<String>commands(
                        node,
                        commands ->
                                commands.dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), arguments)))
                .isEqualTo("OK");
    }

    static String info(String node, String section) {
        return Resources.commands(node, commands -> commands.info(section));
    }

    /** What Redis has rejected. */
    public static List<String> rejected(String node) {
        return Resources.commands(node, RedisCommands::aclLog).stream()
                .map(entry -> entry.get("reason") + " " + entry.get("object"))
                .distinct()
                .toList();
    }
}
