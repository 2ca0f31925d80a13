package io.limiter.spring.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.limiter.spring.check.InternalLimitExceededException;
import io.limiter.testing.TestRedis;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.FileSystemGeneratedFiles;
import org.springframework.beans.BeanUtils;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.javapoet.ClassName;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;

/** An application with clients, processed ahead of time as for a native image, and started from that. */
public class AheadOfTimeTest {

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    private static <C extends GenericApplicationContext> C configured(C context) {
        context.getEnvironment()
                .getPropertySources()
                .addFirst(new MapPropertySource(
                        "test",
                        Map.of(
                                "limiter.type", "local",
                                "limiter.clients.maps.hosts", "localhost",
                                "limiter.clients.maps.timeout", "0",
                                "limiter.clients.maps.limits.day.limit", "1",
                                "limiter.clients.maps.limits.day.per", "1d")));
        return context;
    }

    /** @return the name of what starts it */
    private static String process(Path folder) throws IOException {
        AnnotationConfigApplicationContext context = configured(new AnnotationConfigApplicationContext());
        context.register(Application.class);
        DefaultGenerationContext generation = new DefaultGenerationContext(
                new ClassNameGenerator(ClassName.get(AheadOfTimeTest.class)), new FileSystemGeneratedFiles(folder));
        ClassName start = new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
        generation.writeGeneratedContent();
        List<String> arguments = new ArrayList<>(List.of(
                "-nowarn",
                "-proc:none",
                "-d",
                folder.resolve("resources").toString(),
                "-cp",
                folder.resolve("classes") + File.pathSeparator + System.getProperty("java.class.path")));
        try (Stream<Path> sources = Files.walk(folder.resolve("sources"))) {
            sources.map(Path::toString).filter(path -> path.endsWith(".java")).forEach(arguments::add);
        }
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(new String[0])))
                .isZero();
        return start.canonicalName();
    }

    @Test
    void the_clients_of_an_application_processed_ahead_of_time_are_limited(@TempDir Path folder) throws Exception {
        String start = process(folder);
        List<URL> classPath = new ArrayList<>();
        String all = folder.resolve("resources")
                + File.pathSeparator
                + folder.resolve("classes")
                + File.pathSeparator
                + System.getProperty("java.class.path");
        for (String entry : all.split(File.pathSeparator)) {
            classPath.add(Path.of(entry).toUri().toURL());
        }
        // One loader has all, because what is generated calls methods of its package.
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try (URLClassLoader loader =
                new URLClassLoader(classPath.toArray(new URL[0]), ClassLoader.getPlatformClassLoader())) {
            thread.setContextClassLoader(loader);
            loader.loadClass(AheadOfTimeTest.class.getName())
                    .getMethod("assertThatItLimits", String.class)
                    .invoke(null, start);
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    @SuppressWarnings("unchecked")
    public static void assertThatItLimits(String start) throws ReflectiveOperationException {
        try (GenericApplicationContext context = configured(new GenericApplicationContext())) {
            ((ApplicationContextInitializer<GenericApplicationContext>)
                            BeanUtils.instantiateClass(Class.forName(start)))
                    .initialize(context);
            context.refresh();
            URI closed = URI.create("http://localhost:" + TestRedis.closedPort() + "/");
            context.getBean(ClientRules.class).find(closed).acquire();
            RestClient restClient = context.getBean(RestClient.Builder.class).build();
            assertThatExceptionOfType(InternalLimitExceededException.class)
                    .isThrownBy(() -> restClient.get().uri(closed).retrieve().toBodilessEntity());
            WebClient webClient = context.getBean(WebClient.Builder.class).build();
            assertThatExceptionOfType(InternalLimitExceededException.class)
                    .isThrownBy(() -> webClient
                            .get()
                            .uri(closed)
                            .retrieve()
                            .toBodilessEntity()
                            .block());
        }
    }
}
