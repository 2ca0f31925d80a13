package io.limiter.benchmark.measure;

import io.limiter.benchmark.subject.AsyncSubject;
import io.limiter.benchmark.subject.Subject;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Several instances of one subject with connections of their own, as if each was another JVM. Each request goes to any of them. */
class Fleet<S extends Subject> implements Subject {

    private final List<S> instances;

    private Fleet(List<S> instances) {
        this.instances = instances;
    }

    static Subject of(int instances, Supplier<Subject> opener) {
        List<Subject> opened = Stream.generate(opener).limit(instances).toList();
        return opened.stream().allMatch(AsyncSubject.class::isInstance)
                ? new Async(opened.stream().map(AsyncSubject.class::cast).toList())
                : new Fleet<>(opened);
    }

    S any() {
        return instances.get(ThreadLocalRandom.current().nextInt(instances.size()));
    }

    @Override
    public boolean tryAcquire(int id) {
        return any().tryAcquire(id);
    }

    @Override
    public void close() {
        instances.forEach(Subject::close);
    }

    private static final class Async extends Fleet<AsyncSubject> implements AsyncSubject {

        Async(List<AsyncSubject> instances) {
            super(instances);
        }

        @Override
        public CompletionStage<Boolean> tryAcquireAsync(int id) {
            return any().tryAcquireAsync(id);
        }
    }
}
