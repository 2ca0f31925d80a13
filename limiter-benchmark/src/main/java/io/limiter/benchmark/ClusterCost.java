package io.limiter.benchmark;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.limiter.FailurePolicy;
import io.limiter.RateLimiter;
import io.limiter.algorithm.TokenBucket;
import io.limiter.benchmark.measure.RedisServer;
import io.limiter.redis.RedisRateLimiterFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * What a decision costs the processors of a Redis Cluster, by the number of hash tags over which keys are spread: three masters
 * on this machine, 10,000 keys, the medians of rounds in which all numbers take turns. Processor time hardly depends on what
 * else the machine does: {@code mvn -q compile -Pcluster}.
 */
public final class ClusterCost {

    private static final int MASTERS = 3;
    private static final int SLOTS = 16_384;
    private static final int KEYS = 10_000;
    private static final int[] IN_FLIGHT = {64, 1024};
    private static final int[] HASH_TAGS = {0, 6, 12, 24, 64, 128, 1024};
    private static final int ROUNDS = 5;
    private static final Duration MEASURED = Duration.ofSeconds(1);
    private static final Pattern NUMBERS = Pattern.compile("(used_cpu_(?:sys|user):|cmdstat_evalsha:calls=)([0-9.]+)");

    private final List<RedisServer> masters = new ArrayList<>();
    private final List<RedisClient> clients = new ArrayList<>();
    private final List<RedisCommands<String, String>> commands = new ArrayList<>();

    private ClusterCost() {}

    /** The arguments are numbers of hash tags; without any, those of the page. */
    public static void main(String[] args) throws InterruptedException {
        int[] tags = args.length == 0
                ? HASH_TAGS
                : Arrays.stream(args).mapToInt(Integer::parseInt).toArray();
        ClusterCost cost = new ClusterCost();
        try {
            cost.startMasters();
            cost.measure(tags);
        } finally {
            cost.clients.forEach(client -> client.shutdown(0, 1, TimeUnit.SECONDS));
            cost.masters.forEach(RedisServer::close);
        }
    }

    private void startMasters() throws InterruptedException {
        for (int i = 0; i < MASTERS; i++) {
            RedisServer master = RedisServer.start("--cluster-enabled", "yes");
            masters.add(master);
            RedisClient client = RedisClient.create("redis://127.0.0.1:" + master.port());
            clients.add(client);
            RedisCommands<String, String> node = client.connect().sync();
            commands.add(node);
            node.clusterSetConfigEpoch(i + 1L);
            node.clusterAddSlots(IntStream.range(SLOTS * i / MASTERS, SLOTS * (i + 1) / MASTERS)
                    .toArray());
            node.clusterMeet("127.0.0.1", masters.get(0).port());
        }
        for (RedisCommands<String, String> node : commands) {
            while (!node.clusterInfo().contains("cluster_slots_ok:" + SLOTS)) {
                TimeUnit.MILLISECONDS.sleep(20);
            }
        }
    }

    private void measure(int[] tags) throws InterruptedException {
        RedisClusterConfiguration nodes = new RedisClusterConfiguration(
                masters.stream().map(master -> "127.0.0.1:" + master.port()).toList());
        LettuceConnectionFactory connections = new LettuceConnectionFactory(nodes);
        connections.afterPropertiesSet();
        connections.start();
        List<RedisRateLimiterFactory> factories = Arrays.stream(tags)
                .mapToObj(count -> RedisRateLimiterFactory.builder(connections)
                        .hashTags(count)
                        .decisionTimeout(Duration.ofMinutes(1))
                        .failurePolicy(FailurePolicy.THROW)
                        .build())
                .toList();
        System.out.println(
                "| hash tags | in flight | decisions/s of Redis's processor time | requests per call | decisions/s |");
        System.out.println("| ---: | ---: | ---: | ---: | ---: |");
        for (int inFlight : IN_FLIGHT) {
            double[][][] results = new double[tags.length][ROUNDS][];
            // The first round warms up.
            for (int round = -1; round < ROUNDS; round++) {
                for (int i = 0; i < tags.length; i++) {
                    double[] result = load(factories.get(i), inFlight);
                    if (round >= 0) {
                        results[i][round] = result;
                    }
                }
            }
            for (int i = 0; i < tags.length; i++) {
                System.out.printf(
                        Locale.ROOT,
                        "| %d | %,d | %,.0f | %.1f | %,.0f |%n",
                        tags[i],
                        inFlight,
                        median(results[i], 0),
                        median(results[i], 1),
                        median(results[i], 2));
            }
        }
        factories.forEach(RedisRateLimiterFactory::close);
        connections.destroy();
    }

    private static double median(double[][] rounds, int figure) {
        return Arrays.stream(rounds)
                .mapToDouble(round -> round[figure])
                .sorted()
                .skip(rounds.length / 2)
                .findFirst()
                .orElseThrow();
    }

    private double[] load(RedisRateLimiterFactory factory, int inFlight) throws InterruptedException {
        RateLimiter limiter = factory.build("api", TokenBucket.perSecond(1_000_000));
        Load load = new Load(limiter, System.nanoTime() + MEASURED.toNanos());
        double[] before = stats();
        long start = System.nanoTime();
        for (int i = 0; i < inFlight; i++) {
            load.next(new SplittableRandom(i));
        }
        while (load.ended.sum() < inFlight) {
            TimeUnit.MILLISECONDS.sleep(5);
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        double[] after = stats();
        double decisions = load.decided.sum();
        return new double[] {decisions / (after[0] - before[0]), decisions / (after[1] - before[1]), decisions / seconds
        };
    }

    /** Processor time in seconds, and calls, of all masters. */
    private double[] stats() {
        double[] sum = new double[2];
        for (RedisCommands<String, String> node : commands) {
            for (MatchResult number : NUMBERS.matcher(node.info("cpu") + node.info("commandstats"))
                    .results()
                    .toList()) {
                sum[number.group(1).startsWith("cmdstat") ? 1 : 0] += Double.parseDouble(number.group(2));
            }
        }
        return sum;
    }

    /** Requests, each of which starts the next one. */
    private record Load(RateLimiter limiter, long endNanos, LongAdder decided, LongAdder ended) {

        Load(RateLimiter limiter, long endNanos) {
            this(limiter, endNanos, new LongAdder(), new LongAdder());
        }

        @SuppressWarnings("FutureReturnValueIgnored") // Its completion starts the next one.
        void next(SplittableRandom random) {
            if (System.nanoTime() > endNanos) {
                ended.increment();
                return;
            }
            limiter.on("user-" + random.nextInt(KEYS)).async().decide(1).whenComplete((decision, error) -> {
                if (error != null) {
                    throw new IllegalStateException("no decision", error);
                }
                decided.increment();
                next(random);
            });
        }
    }
}
