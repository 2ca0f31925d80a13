package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Ticker;
import io.limiter.LimiterListener;
import io.limiter.algorithm.CalendarPeriod;
import io.limiter.algorithm.FixedWindow;
import io.limiter.internal.engine.Engine;
import io.limiter.spi.DistributedLock;
import io.limiter.spi.LimitScript;
import io.limiter.step.LimitStep;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Array;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Every public method and constructor of a module immediately rejects null where it is not {@code @Nullable}, and names
 * the parameter.
 */
public abstract class NullArgumentsContract {

    /** The limiter calls them, with values that are never null; of an application's own, only the constructors count. */
    private static final Set<Class<?>> CALLED_BY_THE_LIMITER =
            Set.of(LimitStep.class, Engine.class, LimitScript.class, DistributedLock.class, LimiterListener.class);

    /** Only the limiter makes them: states, asks and reports. */
    private static final Pattern MADE_BY_THE_LIMITER = Pattern.compile(
            ".*(State|Step|OtherWindows|HotKey|RejectedKey|Rate|Reports?|LiveChange|LiveHistory|Unreadable)"
                    + "|.*(Ask|LiveConflict|FailingLimiter).*");

    private final Map<Class<?>, Object> samples = new LinkedHashMap<>();
    private final Class<?> ofModule;
    private final Set<String> packages;

    /**
     * @param ofModule a class of the module
     * @param packages its public ones
     */
    protected NullArgumentsContract(Class<?> ofModule, String... packages) {
        this.ofModule = ofModule;
        this.packages = Set.of(packages);
    }

    /** An object of each type that a parameter has, or that has a method. */
    protected abstract List<Object> samples();

    @BeforeEach
    void takeSamples() {
        for (Object sample : List.of(
                "k",
                1,
                1000L,
                1.0,
                false,
                Duration.ofSeconds(1),
                Instant.EPOCH,
                ZoneOffset.UTC,
                LocalDate.EPOCH,
                CalendarPeriod.MONTH,
                Ticker.systemTicker(),
                TimeUnit.SECONDS,
                List.of(),
                Map.of(),
                Optional.empty(),
                FixedWindow.class,
                new byte[1],
                new double[0],
                (Runnable) () -> {},
                (Consumer<Object>) any -> {})) {
            samples.put(sample.getClass(), sample);
        }
        samples().forEach(sample -> samples.put(sample.getClass(), sample));
    }

    @Test
    void null_is_rejected_with_the_name_of_the_parameter() {
        List<String> wrong = new ArrayList<>();
        int checked = 0;
        List<Class<?>> types = publicTypes();
        assertThat(types).extracting(Class::getPackageName).containsAll(packages);
        for (Class<?> type : types) {
            for (Executable executable : executables(type)) {
                for (int i = 0; i < executable.getParameterCount(); i++) {
                    Parameter parameter = executable.getParameters()[i];
                    if (!parameter.getType().isPrimitive()
                            && !parameter.getAnnotatedType().isAnnotationPresent(Nullable.class)) {
                        checked++;
                        String problem = problem(executable, i);
                        if (!problem.isEmpty()) {
                            wrong.add(executable + ", " + parameter.getName() + ": " + problem);
                        }
                    }
                }
            }
        }
        assertThat(wrong).as("of %d parameters", checked).isEmpty();
    }

    /** Passes null for one parameter. */
    private String problem(Executable executable, int parameter) {
        Object[] arguments =
                Arrays.stream(executable.getParameterTypes()).map(this::sample).toArray();
        arguments[parameter] = null;
        try {
            if (executable instanceof java.lang.reflect.Constructor<?> constructor) {
                constructor.newInstance(arguments);
            } else {
                boolean isStatic = Modifier.isStatic(executable.getModifiers());
                ((Method) executable).invoke(isStatic ? null : sample(executable.getDeclaringClass()), arguments);
            }
            return "is accepted";
        } catch (InvocationTargetException e) {
            Throwable thrown = e.getCause();
            return isClear(thrown, executable.getParameters()[parameter].getName()) ? "" : thrown.toString();
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(executable.toString(), e);
        }
    }

    /** What the JVM says of a null that it came across begins with "Cannot". */
    private static boolean isClear(Throwable thrown, String parameter) {
        String name = parameter.replaceFirst("^(new|other)(?=[A-Z])", "").toLowerCase(Locale.ROOT);
        String message = String.valueOf(thrown.getMessage());
        return (thrown instanceof NullPointerException || thrown instanceof IllegalArgumentException)
                && !message.startsWith("Cannot ")
                && message.toLowerCase(Locale.ROOT).replaceAll("[- ]", "").contains(name);
    }

    private Object sample(Class<?> type) {
        Class<?> boxed = java.lang.invoke.MethodType.methodType(type).wrap().returnType();
        return samples.values().stream().filter(boxed::isInstance).findFirst().orElseGet(() -> {
            if (type.isEnum()) {
                return type.getEnumConstants()[0];
            }
            if (type.isArray()) {
                return Array.newInstance(type.getComponentType(), 0);
            }
            throw new AssertionError("no sample of " + type);
        });
    }

    private static List<Executable> executables(Class<?> type) {
        List<Executable> executables = new ArrayList<>(List.of(type.getConstructors()));
        Arrays.stream(type.getDeclaredMethods())
                .filter(method -> Modifier.isPublic(method.getModifiers()) && !method.isSynthetic())
                .filter(method -> Modifier.isStatic(method.getModifiers())
                        || CALLED_BY_THE_LIMITER.stream().noneMatch(called -> declares(called, method)))
                .filter(method -> !method.getName().equals("equals"))
                .forEach(executables::add);
        if (Modifier.isAbstract(type.getModifiers())) {
            executables.removeIf(java.lang.reflect.Constructor.class::isInstance);
        }
        return executables;
    }

    private static boolean declares(Class<?> called, Method method) {
        return called.isAssignableFrom(method.getDeclaringClass())
                && Arrays.stream(called.getMethods())
                        .anyMatch(other -> other.getName().equals(method.getName())
                                && other.getParameterCount() == method.getParameterCount());
    }

    private List<Class<?>> publicTypes() {
        try {
            Path classes = Path.of(
                    ofModule.getProtectionDomain().getCodeSource().getLocation().toURI());
            try (Stream<Path> files = Files.walk(classes)) {
                return files.map(file -> classes.relativize(file).toString().replace(java.io.File.separatorChar, '.'))
                        .filter(name -> name.endsWith(".class") && !name.endsWith("package-info.class"))
                        .map(name -> name.substring(0, name.length() - ".class".length()))
                        .filter(name -> packages.contains(name.substring(0, name.lastIndexOf('.'))))
                        .sorted()
                        .<Class<?>>map(NullArgumentsContract::load)
                        .filter(NullArgumentsContract::isPublic)
                        .filter(type ->
                                !MADE_BY_THE_LIMITER.matcher(type.getName()).matches())
                        .toList();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    private static boolean isPublic(Class<?> type) {
        return Modifier.isPublic(type.getModifiers())
                && (type.getEnclosingClass() == null || isPublic(type.getEnclosingClass()));
    }

    private static Class<?> load(String name) {
        try {
            return Class.forName(name);
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }
}
