package io.limiter.live.redis;

import static io.limiter.redis.Rights.allow;
import static io.limiter.redis.Rights.documented;
import static io.limiter.redis.Rights.grant;
import static io.limiter.redis.Rights.rejected;
import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.FailurePolicy;
import io.limiter.live.ChangeNote;
import io.limiter.live.LiveOptions;
import io.limiter.live.LiveSettings;
import io.limiter.redis.RedisFixture;
import io.limiter.redis.RedisRateLimiterFactory;
import io.limiter.redis.Resources;
import io.limiter.testing.Eventually;
import io.limiter.testing.RedisProcess;
import java.time.Duration;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

/** A Redis user with the documented rights of limiters and of live limits. */
class LiveRightsTest {

    @RegisterExtension
    final Resources resources = Resources.ofTest();

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void the_documented_rights_suffice_for_live_limits(boolean byLettuce) throws Exception {
        RedisProcess redis = resources.redis();
        String node = "127.0.0.1:" + redis.port();
        grant(node);
        // Those of one namespace, in place of all.
        allow(
                node,
                "ACL SETUSER limiter "
                        + documented("~{limiter:live*")
                                .replace("~{limiter:live* &{limiter:live*", documented("~{limiter:live:shop}")));
        RedisStandaloneConfiguration where = Resources.as("limiter", Resources.at(redis.port()));
        RedisConnectionFactory connections = resources.connect(byLettuce, where);
        LiveOptions options = LiveOptions.DEFAULT.withPollInterval(Duration.ofMillis(100));
        // So that the names of instances are read, too.
        try (RedisRateLimiterFactory factory = RedisFixture.builder(connections)
                .namespace("shop")
                .failurePolicy(FailurePolicy.OWNER)
                .build()) {
            factory.build("owned", 1, 1, 60);
            RedisLiveLimits live = RedisLiveLimits.start(factory, options);
            ChangeNote note = ChangeNote.of("ann", "");
            live.put("a", LiveSettings.NONE.withEnforce(false), note, 0);
            live.rollBack(1, note, 1);
            Eventually.that(() -> assertThat(live.fleet().watch().instances()).isNotEmpty());
            assertThat(live.history()).hasSize(2);
            String channel = "{limiter:live:shop}";
            Eventually.that(() -> assertThat(Resources.commands(node, commands -> commands.pubsubNumsub(channel))
                            .get(channel))
                    .isEqualTo(1));
        }
        assertThat(rejected(node)).isEmpty();
    }
}
