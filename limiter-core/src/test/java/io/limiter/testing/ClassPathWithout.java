package io.limiter.testing;

import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * This JVM's class path with some libraries missing. Classes are loaded anew from what is left, so what would miss a library in
 * an application misses it here, which a filter in front of classes that are already linked cannot show.
 */
public final class ClassPathWithout {

    /**
     * Netty's native transports are always missing: when a class loader that has loaded one is collected, the library takes the
     * native methods from the classes of this JVM's own loader, whose event loops then end.
     */
    private static final String NATIVE = "netty-transport-native-(epoll|kqueue|io_uring)";

    // Never closed: BlockHound, in another test of this JVM, changes all classes, and reads their jars for that.
    private final URLClassLoader loader;

    /** @param libraries how the names of the jars that are missing start */
    public ClassPathWithout(String... libraries) {
        this(List.of(), libraries);
    }

    /** @param first what is in front of it */
    public ClassPathWithout(List<Path> first, String... libraries) {
        Pattern missing = Pattern.compile("(" + NATIVE + "|" + String.join("|", libraries) + ")-?\\d.*\\.jar");
        Stream<Path> left = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(Path::of)
                .filter(path -> !missing.matcher(path.getFileName().toString()).matches());
        URL[] urls =
                Stream.concat(first.stream(), left).map(ClassPathWithout::url).toArray(URL[]::new);
        loader = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader());
    }

    public boolean has(String type) {
        return loader.getResource(type.replace('.', '/') + ".class") != null;
    }

    /** Calls a static method, which takes texts and returns one. */
    public String call(Class<?> type, String method, String... arguments) throws Exception {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        try {
            return (String) Class.forName(type.getName(), true, loader)
                    .getMethod(method, String[].class)
                    .invoke(null, (Object) arguments);
        } catch (InvocationTargetException e) {
            // What it has thrown may be of a type that is unknown here.
            throw new AssertionError("failed on this class path", e.getCause());
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private static URL url(Path path) {
        try {
            return path.toUri().toURL();
        } catch (MalformedURLException e) {
            throw new IllegalArgumentException("class path: " + path, e);
        }
    }
}
