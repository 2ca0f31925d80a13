package io.limiter.benchmark;

import io.limiter.benchmark.load.Arrivals;
import io.limiter.benchmark.load.Cell;
import io.limiter.benchmark.load.FleetLoad;
import io.limiter.benchmark.measure.ArrivalRunner;
import io.limiter.benchmark.measure.BenchmarkRedis;
import io.limiter.benchmark.measure.CellRunner;
import io.limiter.benchmark.measure.FleetRunner;
import io.limiter.benchmark.measure.KeyMemory;
import io.limiter.benchmark.measure.Timing;
import io.limiter.benchmark.outage.FleetOutage;
import io.limiter.benchmark.outage.Library;
import io.limiter.benchmark.report.Results.Finished;
import io.limiter.benchmark.server.ServerRunner;
import io.limiter.benchmark.subject.Contender;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What a run consists of; the results of each part are kept as soon as it has finished. */
record Part(String name, double plannedSeconds, Action action) {

    static final String MEMORY = "memory";
    static final String SERVERS = "servers";
    static final String FLEETS = "fleets";

    /** Such as {@code outage-redisson}. */
    private static final String OUTAGE = "outage-";

    /** Round trips of the networks that can be between clients and Redis, in microseconds. */
    private static final List<Integer> ROUND_TRIPS = List.of(500, 2000);

    private static final List<Cell> CELLS = Stream.concat(
                    Cell.all().stream(), ROUND_TRIPS.stream().flatMap(micros -> Cell.overNetwork(micros).stream()))
            .toList();

    /** How many instances prefetch permits in turn. */
    private static final List<List<FleetLoad>> FLEET_LOADS = List.of(FleetLoad.of(10), FleetLoad.of(100));

    /** The names of the whole comparison, as far as this JVM can run it. */
    static final List<String> WHOLE = Stream.of(
                    Cell.all().stream().map(Cell::name), Arrivals.LOCAL.stream().map(Arrivals::name), Stream.of(MEMORY))
            .flatMap(names -> names)
            .toList();

    /** Also those that are measured only if they are named: cells with a network, fleets, servers, and outages. */
    static final List<String> NAMES = Stream.of(
                    WHOLE.stream(),
                    CELLS.stream().filter(cell -> cell.roundTripMicros() > 0).map(Cell::name),
                    Arrivals.REMOTE.stream().map(Arrivals::name),
                    Stream.of(FLEETS),
                    ServerRunner.isPossible() ? Stream.of(SERVERS) : Stream.<String>of(),
                    Arrays.stream(Library.values()).map(library -> OUTAGE + library.title()))
            .flatMap(names -> names)
            .toList();

    /** Measures a part. */
    interface Action {

        Finished run(BenchmarkRedis redis) throws InterruptedException;
    }

    static List<Part> of(Options options) {
        Timing timing = options.timing();
        List<Contender> contenders = options.contenders();
        return options.parts().stream()
                .map(name -> switch (name) {
                    case MEMORY -> memory(contenders);
                    case SERVERS -> servers(timing);
                    case FLEETS -> fleets(timing);
                    default ->
                        arrivalsNamed(name)
                                .map(arrivals -> arrivals(arrivals, timing, ArrivalRunner.among(contenders)))
                                .or(() -> libraryNamed(name).map(Part::outages))
                                .orElseGet(() -> cell(cellNamed(name), timing, contenders));
                })
                .toList();
    }

    private static Cell cellNamed(String name) {
        return CELLS.stream()
                .filter(cell -> cell.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    static Part cell(Cell cell, Timing timing, List<Contender> contenders) {
        int subjects = (int) contenders.stream().filter(cell::suits).count();
        return new Part(
                cell.name(),
                timing.plannedSeconds(subjects),
                redis -> Finished.cell(new CellRunner(redis, timing).run(cell, contenders)));
    }

    private static Optional<Arrivals> arrivalsNamed(String name) {
        return Stream.concat(Arrivals.LOCAL.stream(), Arrivals.REMOTE.stream())
                .filter(arrivals -> arrivals.name().equals(name))
                .findFirst();
    }

    private static Part arrivals(Arrivals arrivals, Timing timing, List<Contender> contenders) {
        return new Part(
                arrivals.name(),
                ArrivalRunner.plannedSeconds(timing, contenders.size()),
                redis ->
                        Finished.arrivals(arrivals.name(), new ArrivalRunner(redis, timing).run(arrivals, contenders)));
    }

    private static Optional<Library> libraryNamed(String name) {
        return Arrays.stream(Library.values())
                .filter(library -> name.equals(OUTAGE + library.title()))
                .findFirst();
    }

    /** On servers of its own. */
    private static Part outages(Library library) {
        String name = OUTAGE + library.title();
        return new Part(name, FleetOutage.plannedSeconds(), redis -> Finished.outages(name, FleetOutage.run(library)));
    }

    private static Part servers(Timing timing) {
        return new Part(
                SERVERS,
                ServerRunner.plannedSeconds(timing),
                redis -> Finished.servers(SERVERS, new ServerRunner(redis, timing).run()));
    }

    private static Part fleets(Timing timing) {
        return new Part(
                FLEETS,
                FleetRunner.plannedSeconds(timing, FLEET_LOADS),
                redis -> Finished.fleets(FLEETS, new FleetRunner(redis, timing).run(FLEET_LOADS)));
    }

    private static Part memory(List<Contender> contenders) {
        List<Contender> weighed = contenders.stream()
                .filter(contender -> !contender.inProcess() && !contender.isFloor())
                .toList();
        return new Part(
                MEMORY,
                weighed.size(),
                redis -> Finished.memory(
                        MEMORY,
                        weighed.stream()
                                .map(contender -> KeyMemory.measure(contender, redis))
                                .toList()));
    }
}
