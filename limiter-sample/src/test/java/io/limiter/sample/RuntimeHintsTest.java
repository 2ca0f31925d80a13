package io.limiter.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.RedisPermits;
import io.limiter.console.internal.wire.Wire;
import io.limiter.internal.parameters.Per;
import io.limiter.spring.internal.actuate.KeyDescription;
import io.limiter.spring.internal.actuate.LimitDescription;
import io.limiter.spring.internal.actuate.LimitersDescription;
import io.limiter.spring.internal.live.LiveDescription;
import io.limiter.spring.internal.settings.BanSettings;
import io.limiter.spring.internal.settings.LimitSettings;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.core.ResolvableType;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.type.ClassMetadata;
import org.springframework.core.type.classreading.SimpleMetadataReaderFactory;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.oauth2.core.DefaultOAuth2AuthenticatedPrincipal;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.server.resource.authentication.BearerTokenAuthentication;
import org.springframework.security.oauth2.server.resource.authentication.JwtAuthenticationToken;
import org.springframework.security.oauth2.server.resource.introspection.OAuth2IntrospectionAuthenticatedPrincipal;

/** What a native image keeps of all modules. */
class RuntimeHintsTest {

    private static final RuntimeHints HINTS = hints();

    /** What is written or read as JSON, or component by component, and does not say so by an annotation. */
    private static final Set<Class<?>> WRITTEN =
            Set.of(LimitersDescription.class, LimitDescription.class, KeyDescription.class, LiveDescription.class);

    private static RuntimeHints hints() {
        RuntimeHints hints = new RuntimeHints();
        List<RuntimeHintsRegistrar> registrars =
                SpringFactoriesLoader.forResourceLocation("META-INF/spring/aot.factories")
                        .load(RuntimeHintsRegistrar.class)
                        .stream()
                        .filter(each -> each.getClass().getName().startsWith("io.limiter."))
                        .toList();
        assertThat(registrars).hasSize(7);
        registrars.forEach(each -> each.registerHints(hints, RuntimeHintsTest.class.getClassLoader()));
        return hints;
    }

    /** All that there are, so that a new one in another folder is noticed. */
    @Test
    void scripts_messages_and_the_page_are_kept() throws IOException {
        assertKept("classpath*:io/limiter/**/*.lua", 20);
        assertKept("classpath*:io/limiter/spring/**/*.properties", 2);
        assertKept("classpath*:io/limiter/console/page/**/*.*", 20);
        assertKept("classpath*:META-INF/spring/io.limiter.spring.*.imports", 1);
    }

    private static void assertKept(String pattern, int atLeast) throws IOException {
        List<String> names = Stream.of(new PathMatchingResourcePatternResolver().getResources(pattern))
                .map(RuntimeHintsTest::url)
                .filter(url -> !url.contains("-tests.jar") && !url.contains("/test-classes/"))
                .map(url -> url.substring(Math.max(url.lastIndexOf("/io/limiter/"), url.lastIndexOf("/META-INF/")) + 1))
                .toList();
        assertThat(names).hasSizeGreaterThanOrEqualTo(atLeast);
        assertThat(names)
                .allMatch(name ->
                        RuntimeHintsPredicates.resource().forResource(name).test(HINTS));
    }

    private static String url(Resource resource) {
        try {
            return resource.getURL().toString();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Records with annotations of Jackson, the answers of endpoints, what clients of the console send, and all that these contain. */
    @Test
    @SuppressWarnings("removal") // Spring 6.2 has nothing else.
    void records_that_become_json_keep_their_accessors() throws IOException, ClassNotFoundException {
        Set<Class<?>> records = new LinkedHashSet<>();
        // Read first, because classes for libraries that are not here cannot be loaded.
        SimpleMetadataReaderFactory files = new SimpleMetadataReaderFactory();
        for (Resource file :
                new PathMatchingResourcePatternResolver().getResources("classpath*:io/limiter/**/*.class")) {
            String url = url(file);
            ClassMetadata type = files.getMetadataReader(file).getClassMetadata();
            if (!url.contains("-tests.jar")
                    && !url.contains("/test-classes/")
                    // Records of libraries that are not here; none is written as JSON.
                    && !url.contains("/io/limiter/spring/cloud/")
                    && "java.lang.Record".equals(type.getSuperClassName())) {
                addIfWritten(
                        Class.forName(type.getClassName(), false, RuntimeHintsTest.class.getClassLoader()), records);
            }
        }
        assertThat(records.stream().map(Class::getName))
                .contains(
                        "io.limiter.spring.internal.web.RejectionResponses$Problem",
                        "io.limiter.console.internal.wire.Wire$RejectedKey",
                        LimitDescription.class.getName());
        for (Class<?> each : records) {
            for (RecordComponent component : each.getRecordComponents()) {
                assertThat(RuntimeHintsPredicates.reflection()
                                .onMethod(component.getAccessor())
                                .invoke())
                        .as(component.getAccessor().toString())
                        .accepts(HINTS);
            }
        }
    }

    private static void addIfWritten(Class<?> type, Set<Class<?>> records) {
        boolean annotated = Stream.concat(
                        Stream.of(type.getAnnotations()),
                        Stream.of(type.getRecordComponents())
                                .flatMap(each -> Stream.of(each.getAccessor().getAnnotations())))
                .anyMatch(each -> each.annotationType().getName().startsWith("com.fasterxml.jackson."));
        if (annotated || type.getEnclosingClass() == Wire.class || WRITTEN.contains(type)) {
            add(type, records);
        }
    }

    /** With the records that it contains. */
    private static void add(Class<?> type, Set<Class<?>> records) {
        if (records.add(type)) {
            for (RecordComponent component : type.getRecordComponents()) {
                contained(ResolvableType.forType(component.getGenericType()))
                        .filter(each -> each.isRecord() && each.getName().startsWith("io.limiter."))
                        .forEach(each -> add(each, records));
            }
        }
    }

    private static Stream<Class<?>> contained(ResolvableType type) {
        return Stream.concat(
                Stream.of(type.resolve(Object.class)),
                Stream.of(type.getGenerics()).flatMap(RuntimeHintsTest::contained));
    }

    @Test
    void claims_of_users_are_kept() {
        for (Class<?> type : List.of(
                Jwt.class,
                JwtAuthenticationToken.class,
                BearerTokenAuthentication.class,
                OAuth2IntrospectionAuthenticatedPrincipal.class,
                DefaultOAuth2AuthenticatedPrincipal.class,
                UsernamePasswordAuthenticationToken.class)) {
            assertThat(RuntimeHintsPredicates.reflection()
                            .onType(type)
                            .withMemberCategory(MemberCategory.INVOKE_PUBLIC_METHODS))
                    .as(type.getName())
                    .accepts(HINTS);
        }
    }

    @Test
    void types_that_are_read_by_reflection_are_kept() {
        for (Class<?> type : List.of(
                RedisPermits.class,
                FixedWindow.State.class,
                Wire.PutRequest.class,
                Wire.Session.class,
                LimitDescription.class,
                LiveDescription.class,
                LimitSettings.class,
                Per.class,
                BanSettings.class)) {
            assertThat(RuntimeHintsPredicates.reflection().onType(type))
                    .as(type.getName())
                    .accepts(HINTS);
        }
    }
}
