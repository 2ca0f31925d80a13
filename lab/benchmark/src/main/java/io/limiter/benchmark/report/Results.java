package io.limiter.benchmark.report;

import io.limiter.benchmark.load.Cell;
import io.limiter.benchmark.measure.ArrivalRunner;
import io.limiter.benchmark.measure.CellResult;
import io.limiter.benchmark.measure.FleetRunner;
import io.limiter.benchmark.measure.KeyMemory;
import io.limiter.benchmark.outage.FleetResult;
import io.limiter.benchmark.server.ServerRunner;
import io.limiter.benchmark.subject.Contender;
import io.limiter.benchmark.subject.Contender.Family;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The results of a run.
 *
 * @param contenders in the order in which they are shown
 */
public record Results(Environment environment, List<Contender> contenders, List<Finished> parts) {

    public List<CellResult> cells() {
        return parts.stream().map(Finished::cell).filter(Objects::nonNull).toList();
    }

    List<ArrivalRunner.Result> arrivals() {
        return parts.stream().flatMap(part -> part.arrivals().stream()).toList();
    }

    List<KeyMemory> memory() {
        return parts.stream().flatMap(part -> part.memory().stream()).toList();
    }

    List<ServerRunner.Result> servers() {
        return parts.stream().flatMap(part -> part.servers().stream()).toList();
    }

    List<FleetRunner.Result> fleets() {
        return parts.stream().flatMap(part -> part.fleets().stream()).toList();
    }

    List<FleetResult> outages() {
        return parts.stream().flatMap(part -> part.outages().stream()).toList();
    }

    Optional<CellResult> cell(Cell cell) {
        return cells().stream().filter(result -> result.cell().equals(cell)).findFirst();
    }

    Optional<Contender> contender(String name) {
        return contenders.stream()
                .filter(contender -> contender.name().equals(name))
                .findFirst();
    }

    /** Grants of a contender above its limit, in the worst cell. */
    long above(Contender contender) {
        return cells().stream()
                .map(cell -> cell.above(contender))
                .filter(Objects::nonNull)
                .mapToLong(Long::longValue)
                .max()
                .orElse(0);
    }

    /** The problems that invalidate the figures, in one line each. */
    public List<String> problems() {
        List<String> problems = new ArrayList<>();
        cells().forEach(cell -> problems.addAll(cell.problems()));
        fleets().stream()
                .map(FleetRunner.Result::problem)
                .filter(problem -> !problem.isEmpty())
                .forEach(problems::add);
        contenders.stream()
                .filter(contender -> contender.family() == Family.OURS && above(contender) > 0)
                .forEach(contender ->
                        problems.add(contender.name() + " granted " + above(contender) + " above its limit"));
        outages().stream()
                .filter(result -> result.beyond() > 0)
                .forEach(result -> problems.add(result.library() + " granted " + result.beyond()
                        + " above what its pages allow, with " + result.instances() + " instances, " + result.limit()
                        + ", " + result.fault()));
        return problems;
    }

    /** A heading, which says of which run it is. */
    String titled(String heading) {
        return heading + ", JDK " + environment.jdk();
    }

    /** The name, with a mark if it grants more than its limit. */
    String marked(Contender contender) {
        return above(contender) > 0 ? contender.name() + " ⚠" : contender.name();
    }

    /**
     * The results of one part of a run.
     *
     * @param part its name
     */
    public record Finished(
            String part,
            @Nullable CellResult cell,
            List<ArrivalRunner.Result> arrivals,
            List<KeyMemory> memory,
            List<ServerRunner.Result> servers,
            List<FleetRunner.Result> fleets,
            List<FleetResult> outages) {

        public static Finished cell(CellResult cell) {
            return new Finished(cell.cell().name(), cell, List.of(), List.of(), List.of(), List.of(), List.of());
        }

        public static Finished arrivals(String part, List<ArrivalRunner.Result> arrivals) {
            return new Finished(part, null, arrivals, List.of(), List.of(), List.of(), List.of());
        }

        public static Finished memory(String part, List<KeyMemory> memory) {
            return new Finished(part, null, List.of(), memory, List.of(), List.of(), List.of());
        }

        public static Finished servers(String part, List<ServerRunner.Result> servers) {
            return new Finished(part, null, List.of(), List.of(), servers, List.of(), List.of());
        }

        public static Finished fleets(String part, List<FleetRunner.Result> fleets) {
            return new Finished(part, null, List.of(), List.of(), List.of(), fleets, List.of());
        }

        public static Finished outages(String part, List<FleetResult> outages) {
            return new Finished(part, null, List.of(), List.of(), List.of(), List.of(), outages);
        }
    }
}
