package io.limiter.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.limiter.spring.internal.metrics.LimiterMeters;
import io.limiter.spring.internal.settings.PropertyTree;
import io.limiter.spring.web.RuleLimits;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.core.ResolvableType;

/** What callers depend on changes only with a list that says so. */
class ContractTest {

    private static final Path LISTS = DocsTest.ROOT.resolve("docs/reference/contract");

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(location -> !location.contains("/test-classes/")
                    && !location.contains("-tests.jar")
                    && !location.contains("limiter-sample"))
            .importPackages("io.limiter");

    /** Where every public type is for callers. */
    private static final Set<String> PACKAGES = Set.of(
            "io.limiter",
            "io.limiter.algorithm",
            "io.limiter.step",
            "io.limiter.local",
            "io.limiter.redis",
            "io.limiter.spi",
            "io.limiter.live",
            "io.limiter.live.redis",
            "io.limiter.test",
            "io.limiter.test.redis",
            "io.limiter.test.spring",
            "io.limiter.spring.annotation");

    /** The others that are for callers. */
    private static final Set<String> TYPES = Stream.of(
                    "aop.LimitAdvisor",
                    "autoconfigure.RedisRateLimiterFactoryCustomizer",
                    "check.InternalLimitExceededException",
                    "key.ClientAddress",
                    "key.CurrentUser",
                    "key.InvalidLimitArgumentException",
                    "key.KeyRequest",
                    "key.MissingLimitKeyException",
                    "key.PlanRequest",
                    "key.PlanResolver",
                    "settings.InvalidSettingException",
                    "web.ReactiveRuleLimits",
                    "web.RuleLimits",
                    "web.RuleLimits$Left",
                    "web.RejectionResponseCustomizer",
                    "web.RejectionResponse",
                    "web.servlet.RateLimitExceptionResolver",
                    "live.LiveLimitChangedEvent",
                    "metrics.LimiterWaitContext",
                    "metrics.LimiterWaitConvention",
                    "client.ClientLimitCapability",
                    "client.ClientLimitFilter",
                    "client.ClientLimitInterceptor",
                    "client.ClientPausedEvent",
                    "cloud.LimitFilterFunctions",
                    "cloud.LimitGatewayFilterFactory",
                    "cloud.LimitGatewayFilterFactory$Config")
            .map(name -> "io.limiter.spring." + name)
            .collect(Collectors.toCollection(TreeSet::new));

    @Test
    void types_for_callers_and_their_members_are_listed() throws IOException {
        Set<String> missing = new TreeSet<>(TYPES);
        List<String> lines = new ArrayList<>();
        all().filter(ContractTest::isForCallers).forEach(type -> {
            missing.remove(type.getName());
            lines.add("");
            lines.add(type.getName() + supertypes(type));
            members(type).forEach(member -> lines.add("  " + member));
        });
        assertThat(missing).as("types that are named, and are not there").isEmpty();
        assertThat(lines).as("what callers see").noneMatch(line -> line.contains(".internal."));
        compare("types.txt", lines.subList(1, lines.size()));
    }

    /** They may move and go, but a new one is package-private, or in a package named internal. */
    @Test
    void other_public_types_outside_internal_packages_become_no_more() throws IOException {
        compare(
                "house.txt",
                all().filter(type -> !isForCallers(type)
                                && !type.getPackageName().contains(".internal")
                                && !type.getPackageName().contains(".benchmark"))
                        .map(JavaClass::getName)
                        .toList());
    }

    private static Stream<JavaClass> all() {
        return CLASSES.stream()
                .filter(ContractTest::isVisible)
                .sorted((a, b) -> a.getName().compareTo(b.getName()));
    }

    private static boolean isVisible(JavaClass type) {
        return type.getModifiers().contains(JavaModifier.PUBLIC)
                && !type.isAnonymousClass()
                && type.getEnclosingClass().map(ContractTest::isVisible).orElse(true);
    }

    private static boolean isForCallers(JavaClass type) {
        return PACKAGES.contains(type.getPackageName())
                || TYPES.contains(type.getName())
                || type.getEnclosingClass().map(ContractTest::isForCallers).orElse(false);
    }

    private static String supertypes(JavaClass type) {
        List<JavaType> supertypes = new ArrayList<>();
        type.getSuperclass()
                .filter(each -> !each.getName().equals("java.lang.Object"))
                .ifPresent(supertypes::add);
        supertypes.addAll(type.getInterfaces());
        String kind = type.isAnnotation()
                ? "@interface"
                : type.isInterface() ? "interface" : type.isEnum() ? "enum" : "class";
        boolean open = !type.isInterface() && !type.getModifiers().contains(JavaModifier.FINAL) && !type.isEnum();
        return (open ? " open " : " ")
                + kind
                + (supertypes.isEmpty()
                        ? ""
                        : supertypes.stream()
                                .map(JavaType::getName)
                                .sorted()
                                .collect(Collectors.joining(", ", " < ", "")));
    }

    private static List<String> members(JavaClass type) {
        Set<String> members = new TreeSet<>();
        for (JavaMember member : type.getMembers()) {
            Set<JavaModifier> modifiers = member.getModifiers();
            boolean visible = modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED);
            if (visible && !modifiers.contains(JavaModifier.SYNTHETIC) && !modifiers.contains(JavaModifier.BRIDGE)) {
                members.add(line(member));
            }
        }
        return List.copyOf(members);
    }

    private static String modifiers(JavaMember member) {
        Set<JavaModifier> modifiers = member.getModifiers();
        if (modifiers.contains(JavaModifier.STATIC)) {
            return modifiers.contains(JavaModifier.PROTECTED) ? "protected static " : "static ";
        }
        if (member.getOwner().isInterface()) {
            return modifiers.contains(JavaModifier.ABSTRACT) ? "" : "default ";
        }
        return modifiers.contains(JavaModifier.PROTECTED) ? "protected " : "";
    }

    private static String line(JavaMember member) {
        String modifiers = modifiers(member);
        if (member instanceof JavaField field) {
            return modifiers + field.getName() + ": " + field.getType().getName();
        }
        JavaCodeUnit code = (JavaCodeUnit) member;
        String parameters =
                code.getParameterTypes().stream().map(JavaType::getName).collect(Collectors.joining(", "));
        if (!(code instanceof JavaMethod method)) {
            return modifiers + "new(" + parameters + ")";
        }
        String value = method.getDefaultValue().map(each -> " = " + text(each)).orElse("");
        return modifiers + method.getName() + "(" + parameters + "): "
                + method.getReturnType().getName() + value;
    }

    private static String text(Object value) {
        return value instanceof Object[] values ? List.of(values).toString() : value.toString();
    }

    @Test
    void properties_are_listed() throws Exception {
        Set<String> lines = new TreeSet<>();
        for (URL url : Collections.list(
                getClass().getClassLoader().getResources("META-INF/spring-configuration-metadata.json"))) {
            for (JsonNode property : new ObjectMapper().readTree(url).get("properties")) {
                String name = property.get("name").asText();
                if (name.matches("limiter\\..*|management\\..*limit.*")) {
                    lines.add(name + " = " + property.path("defaultValue").asText("")
                            + (property.has("deprecation") ? " (deprecated)" : ""));
                }
            }
        }
        lines.removeIf(line -> line.matches("limiter\\.(http|limits|clients) = "));
        lines.addAll(settings("limiter.http.<rule>", "io.limiter.spring.autoconfigure.HttpRuleSettings"));
        lines.addAll(settings("limiter.limits.<limit>", "io.limiter.spring.internal.settings.LimitSettings"));
        lines.addAll(settings("limiter.clients.<client>", "io.limiter.spring.client.ClientSettings"));
        compare("properties.txt", List.copyOf(lines));
    }

    private static List<String> settings(String parent, String record) throws ClassNotFoundException {
        List<String> names = new ArrayList<>();
        for (Map.Entry<String, ResolvableType> setting : PropertyTree.settings(
                        ResolvableType.forClass(Class.forName(record)))
                .entrySet()) {
            String name = parent + "." + setting.getKey();
            Class<?> type = setting.getValue().toClass();
            if (type.isRecord()) {
                names.addAll(settings(name, type.getName()));
            } else if (Map.class.isAssignableFrom(type)) {
                // Those inside are the settings of a limit, too.
                names.add(name + ".<name>.*");
            } else {
                names.add(name);
            }
        }
        return names;
    }

    @Test
    void meters_and_their_tags_are_listed() throws Exception {
        List<String> lines = new ArrayList<>();
        for (Field constant : LimiterMeters.class.getFields()) {
            if (Modifier.isStatic(constant.getModifiers())) {
                lines.add(constant.getName() + " " + constant.get(null));
            }
        }
        compare("meters.txt", lines.stream().sorted().toList());
    }

    /** What the endpoints answer with, the body of a rejection, and what applications answer with. */
    @Test
    void members_of_json_are_listed() throws Exception {
        List<String> lines = new ArrayList<>();
        for (String type : List.of(
                "io.limiter.spring.internal.actuate.BackendHealth",
                "io.limiter.spring.internal.actuate.KeyDescription",
                "io.limiter.spring.internal.actuate.LimitDescription",
                "io.limiter.spring.internal.actuate.LimitersDescription",
                "io.limiter.spring.internal.live.LiveDescription",
                "io.limiter.spring.internal.web.RejectionResponses$Problem")) {
            addMembers(type.substring(type.lastIndexOf('.') + 1), Class.forName(type), lines);
        }
        for (Field member : RuleLimits.Left.class.getDeclaredFields()) {
            if (!Modifier.isStatic(member.getModifiers())) {
                lines.add("RuleLimits.Left." + member.getName());
            }
        }
        compare("json.txt", lines);
    }

    private static void addMembers(String parent, Class<?> type, List<String> lines) {
        for (RecordComponent component : type.getRecordComponents()) {
            String name = parent + "." + component.getName();
            ResolvableType member = ResolvableType.forType(component.getGenericType());
            Class<?> inside = Collection.class.isAssignableFrom(member.toClass())
                    ? member.getGeneric(0).toClass()
                    : member.toClass();
            if (inside.isRecord()) {
                addMembers(name, inside, lines);
            } else {
                lines.add(name);
            }
        }
    }

    private static void compare(String name, List<String> now) throws IOException {
        Path list = LISTS.resolve(name);
        if (Boolean.getBoolean("contract.write")) {
            Files.createDirectories(LISTS);
            Files.write(list, now);
        }
        List<String> before = Files.readAllLines(list);
        List<String> changes = new ArrayList<>();
        before.stream().filter(line -> !now.contains(line)).forEach(line -> changes.add("- " + line));
        now.stream().filter(line -> !before.contains(line)).forEach(line -> changes.add("+ " + line));
        assertThat(now.equals(before))
                .as(
                        "docs/reference/contract/%s is what callers depend on, and differs:%n%s%nIf that is meant, say it in CHANGELOG.md,"
                                + " what is removed or renamed with its migration, and write the list:%n"
                                + "mvn -q test -pl limiter-sample -am -Dtest=ContractTest -Dsurefire.failIfNoSpecifiedTests=false -Dcontract.write=true%n",
                        name, String.join("\n", changes))
                .isTrue();
    }
}
