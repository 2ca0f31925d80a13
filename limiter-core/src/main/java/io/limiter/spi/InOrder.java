package io.limiter.spi;

import io.limiter.LimiterBackendException;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Several limits, one after the other, for engines that cannot decide them at one moment. The first that refuses ends it:
 * what those before it have granted goes back, and all but it are only looked at.
 *
 * <p>Until permits are back others can be refused because of them, but nobody is granted more than there is.
 */
final class InOrder {

    private final BiFunction<SetPart<?>, Request, CompletableFuture<Decision>> ask;
    private final List<SetPart<?>> parts;

    private InOrder(BiFunction<SetPart<?>, Request, CompletableFuture<Decision>> ask, List<SetPart<?>> parts) {
        this.ask = ask;
        this.parts = parts;
    }

    static List<@Nullable Decision> decide(Engine engine, List<SetPart<?>> parts) {
        InOrder inOrder = new InOrder((part, request) -> decideNow(engine, part, request), parts);
        return AsyncFailures.join(inOrder.takeFrom(0, new ArrayList<>()));
    }

    static CompletableFuture<List<@Nullable Decision>> decideAsync(Engine engine, List<SetPart<?>> parts) {
        return new InOrder((part, request) -> engine.decideAsync(part.key(), part.limit(), request), parts)
                .takeFrom(0, new ArrayList<>());
    }

    private static CompletableFuture<Decision> decideNow(Engine engine, SetPart<?> part, Request request) {
        try {
            return CompletableFuture.completedFuture(engine.decide(part.key(), part.limit(), request));
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private CompletableFuture<List<@Nullable Decision>> takeFrom(int first, List<@Nullable Decision> taken) {
        if (first == parts.size()) {
            return CompletableFuture.completedFuture(taken);
        }
        return take(first)
                .handle((decision, error) -> {
                    if (error != null) {
                        return giveBackAndFail(taken, error);
                    }
                    if (!decision.granted()) {
                        return giveBackAndLook(taken, decision);
                    }
                    taken.add(decision);
                    return takeFrom(first + 1, taken);
                })
                .thenCompose(next -> next);
    }

    private CompletableFuture<Decision> take(int part) {
        return ask.apply(parts.get(part), parts.get(part).request());
    }

    /** The decisions if this part refuses. */
    private CompletableFuture<List<@Nullable Decision>> giveBackAndLook(
            List<@Nullable Decision> taken, Decision refusal) {
        int refusing = taken.size();
        return giveBackAll(taken)
                .thenCompose(kept -> kept.isEmpty()
                        ? look(refusing, refusal)
                        : CompletableFuture.failedFuture(
                                withOthers(maybeDone(kept.get(0)), kept.subList(1, kept.size()))));
    }

    private CompletableFuture<List<@Nullable Decision>> look(int refusing, Decision refusal) {
        CompletableFuture<List<@Nullable Decision>> looked = CompletableFuture.completedFuture(new ArrayList<>());
        for (int i = 0; i < parts.size(); i++) {
            SetPart<?> part = parts.get(i);
            CompletableFuture<Decision> look = i == refusing
                    ? CompletableFuture.completedFuture(refusal)
                    : ask.apply(part, part.request().as(Request.Action.PEEK));
            looked = looked.thenCombine(look, InOrder::add);
        }
        return looked;
    }

    private static List<@Nullable Decision> add(List<@Nullable Decision> decisions, Decision next) {
        decisions.add(next);
        return decisions;
    }

    /** What cannot be given back either counts as taken, and is told with the failure. */
    private CompletableFuture<List<@Nullable Decision>> giveBackAndFail(
            List<@Nullable Decision> taken, Throwable error) {
        Throwable cause = AsyncFailures.cause(error);
        return giveBackAll(taken)
                .thenCompose(kept ->
                        CompletableFuture.failedFuture(kept.isEmpty() ? cause : withOthers(maybeDone(cause), kept)));
    }

    /** Gives back what the first parts have granted. Returns why some is kept. */
    private CompletableFuture<List<Throwable>> giveBackAll(List<@Nullable Decision> taken) {
        CompletableFuture<List<Throwable>> givenBack = CompletableFuture.completedFuture(new ArrayList<>());
        for (int i = 0; i < taken.size(); i++) {
            SetPart<?> part = parts.get(i);
            Decision decided = Objects.requireNonNull(taken.get(i));
            CompletableFuture<Decision> giveBack =
                    ask.apply(part, Request.cancel(part.request().permits(), decided));
            givenBack = givenBack.thenCombine(giveBack.handle((decision, error) -> error), (kept, error) -> {
                if (error != null) {
                    kept.add(AsyncFailures.cause(error));
                }
                return kept;
            });
        }
        return givenBack;
    }

    /** So that nobody asks for the whole set again while a part of it stays taken. */
    private static Throwable maybeDone(Throwable error) {
        return error instanceof LimiterBackendException failure ? failure.maybeDone() : error;
    }

    private static Throwable withOthers(Throwable error, List<Throwable> others) {
        others.stream().filter(other -> other != error).forEach(error::addSuppressed);
        return error;
    }
}
