package io.limiter.internal.redis.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.limiter.internal.redis.client.LuaScript;
import io.limiter.spi.LimitScript;
import org.junit.jupiter.api.Test;

class LuaScriptTest {

    private static final String PLACES = "first\n--[one]\nmiddle\n  --[two]\nlast\n";

    @Test
    void parts_are_put_in_their_places() {
        String parts = "-- what this is\n\n--[two]\n2 $1 \\n\n--[one]\n1\n1\n";
        assertThat(LuaScript.fill(PLACES, parts)).isEqualTo("first\n1\n1\nmiddle\n2 $1 \\n\nlast\n");
    }

    @Test
    void a_place_without_a_part_is_an_error_and_so_is_a_part_without_a_place() {
        assertThatIllegalStateException()
                .isThrownBy(() -> LuaScript.fill(PLACES, "--[one]\n1\n"))
                .withMessageContaining("there is no part two");
        assertThatIllegalStateException()
                .isThrownBy(() -> LuaScript.fill(PLACES, "--[one]\n1\n--[two]\n2\n--[three]\n3\n"))
                .withMessageContaining("there are no places for [three]");
    }

    @Test
    void every_kind_of_limit_has_all_parts() {
        String batch = LuaScript.resource(LimitScripts.class, "batch.lua");
        for (LimitScript<?, ?> limit : LimitScripts.all()) {
            assertThat(LuaScript.fill(batch, limit.script())).doesNotContain("--[", "--include");
        }
    }
}
