package io.limiter.spring.cloud;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.core.io.support.SpringFactoriesLoader;

/** What a native image keeps of this module. */
class GatewayHintsTest {

    private static RuntimeHints hints() {
        RuntimeHints hints = new RuntimeHints();
        SpringFactoriesLoader.forResourceLocation("META-INF/spring/aot.factories")
                .load(RuntimeHintsRegistrar.class)
                .stream()
                .filter(GatewayHints.class::isInstance)
                .forEach(each -> each.registerHints(hints, GatewayHintsTest.class.getClassLoader()));
        return hints;
    }

    /** By their names, as {@code PropertyNames.imports} has them. */
    @Test
    void its_properties_are_kept() {
        assertThat(RuntimeHintsPredicates.reflection().onType(GatewayProperties.class))
                .accepts(hints());
    }

    @Test
    void what_the_gateways_bind_and_call_is_kept() throws Exception {
        RuntimeHints hints = hints();
        assertThat(RuntimeHintsPredicates.reflection()
                        .onConstructor(LimitGatewayFilterFactory.Config.class.getConstructor())
                        .invoke())
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection()
                        .onType(LimitGatewayFilterFactory.Config.class)
                        .withMemberCategory(MemberCategory.INVOKE_PUBLIC_METHODS))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection()
                        .onMethod(LimitFilterFunctions.class.getMethod("limit", String.class))
                        .invoke())
                .accepts(hints);
    }
}
