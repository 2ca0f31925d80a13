package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.FailurePolicy;
import io.limiter.RateLimiter;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * How many methods one decision over Redis passes, on the thread of its caller and on the client's, so that its way stays short
 * enough to be read. Runs a copy of the limiter whose methods report when they are entered. A method that calls no other one of
 * the limiter, such as an accessor, is not counted, nor is the arithmetic of a step.
 */
class MethodsOfADecisionTest {

    /** A few depend on which of two threads is faster. */
    private static final int MOST_METHODS = 85;

    private static final int FUTURES_OF_A_CALL = 1;

    private static final Pattern ARITHMETIC = Pattern.compile("(algorithm|internal/step|internal/arithmetic)/");

    @RegisterExtension
    final Resources resources = Resources.ofTest();

    @Test
    void a_decision_over_redis_passes_few_methods_and_few_futures() throws Exception {
        LettuceConnectionFactory connections = resources.lettuce(Resources.atShared());
        Class<?> copied = new Recording().loadClass(Decision.class.getName());
        @SuppressWarnings("unchecked")
        Consumer<RedisConnectionFactory> decision = (Consumer<RedisConnectionFactory>)
                copied.getDeclaredConstructor().newInstance();
        decision.accept(connections);
        Set<String> methods = Recorder.ENTERED.stream()
                .filter(Recorder.CALLING::contains)
                .filter(method -> !ARITHMETIC.matcher(method).lookingAt())
                .collect(Collectors.toSet());
        assertThat(methods).isNotEmpty().hasSizeLessThanOrEqualTo(MOST_METHODS);
        assertThat(Recorder.FUTURES)
                .as("besides that of the caller and that of the client")
                .hasSize(FUTURES_OF_A_CALL);
    }

    /** Copied: takes one permit when everything is warm. */
    public static final class Decision implements Consumer<RedisConnectionFactory> {

        @Override
        public void accept(RedisConnectionFactory connections) {
            try (RedisRateLimiterFactory factory = RedisRateLimiterFactory.builder(connections)
                    .failurePolicy(FailurePolicy.THROW)
                    .decisionTimeout(Duration.ofSeconds(10))
                    .build()) {
                RateLimiter limiter = factory.build("methods", 1_000, 1, 60);
                factory.warmUp().join();
                for (int i = 0; i < 20; i++) {
                    assertThat(limiter.tryAcquire("ann")).isTrue();
                }
                Recorder.records = true;
                limiter.tryAcquire("ann");
                Recorder.records = false;
            }
        }
    }

    /** Not copied. */
    public static final class Recorder {

        static final Set<String> CALLING = ConcurrentHashMap.newKeySet();
        static final Set<String> ENTERED = new ConcurrentSkipListSet<>();
        static final Queue<String> FUTURES = new ConcurrentLinkedQueue<>();
        public static volatile boolean records;

        private Recorder() {}

        public static void entered(String method) {
            if (records && !Thread.currentThread().getName().startsWith("limiter-")) {
                ENTERED.add(method);
            }
        }

        public static void future(String method) {
            if (records && !Thread.currentThread().getName().startsWith("limiter-")) {
                FUTURES.add(method);
            }
        }
    }

    /** Loads copies of the limiter's classes. */
    private static final class Recording extends ClassLoader {

        Recording() {
            super(MethodsOfADecisionTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith("io.limiter.") || name.equals(Recorder.class.getName())) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                return loaded == null ? define(name) : loaded;
            }
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
                if (in == null) {
                    throw new ClassNotFoundException(name);
                }
                ClassWriter out = new ClassWriter(ClassWriter.COMPUTE_MAXS);
                new ClassReader(in).accept(new Reporting(out), 0);
                byte[] copy = out.toByteArray();
                return defineClass(name, copy, 0, copy.length);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static final class Reporting extends ClassVisitor {

        private static final String LIMITER = "io/limiter/";

        private static final Set<String> FUTURES = Set.of(
                "java/util/concurrent/CompletableFuture",
                "java/util/concurrent/CompletionStage",
                "io/lettuce/core/RedisFuture");

        private static final Pattern MAKES_FUTURE = Pattern.compile(
                "<init>|when.*|then.*|handle.*|exceptionally.*|completedFuture|failedFuture|allOf|anyOf");

        private String type = "";

        Reporting(ClassVisitor out) {
            super(Opcodes.ASM9, out);
        }

        @Override
        public void visit(
                int version,
                int access,
                String name,
                @Nullable String signature,
                String superName,
                String[] interfaces) {
            type = name.substring(LIMITER.length());
            super.visit(version, access, name, signature, superName, interfaces);
        }

        /** Whether this is the caller's own future. */
        private boolean isPending() {
            return type.contains("/Pending");
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String name, String descriptor, @Nullable String signature, String @Nullable [] thrown) {
            String method = type + "." + name;
            MethodVisitor out = super.visitMethod(access, name, descriptor, signature, thrown);
            return new MethodVisitor(Opcodes.ASM9, out) {
                @Override
                public void visitCode() {
                    super.visitCode();
                    report("entered");
                }

                private void report(String what) {
                    super.visitLdcInsn(method);
                    super.visitMethodInsn(
                            Opcodes.INVOKESTATIC,
                            Recorder.class.getName().replace('.', '/'),
                            what,
                            "(Ljava/lang/String;)V",
                            false);
                }

                @Override
                public void visitMethodInsn(
                        int opcode, String owner, String called, String calledDescriptor, boolean isInterface) {
                    if (owner.startsWith(LIMITER) && !called.equals("<init>")) {
                        Recorder.CALLING.add(method);
                    }
                    if (FUTURES.contains(owner) && MAKES_FUTURE.matcher(called).matches() && !isPending()) {
                        report("future");
                    }
                    super.visitMethodInsn(opcode, owner, called, calledDescriptor, isInterface);
                }
            };
        }
    }
}
