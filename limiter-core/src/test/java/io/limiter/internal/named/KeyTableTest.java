package io.limiter.internal.named;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.internal.key.SipHash;
import io.limiter.testing.Seed;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyTableTest {

    private final SipHash hash = new SipHash("secret");
    private final KeyTable<Integer> table = new KeyTable<>(() -> hash);

    @ParameterizedTest
    @ValueSource(ints = {3, 500, 10_000})
    void has_what_a_map_has(int keys) {
        Random random = Seed.random();
        Map<String, Integer> map = new HashMap<>();
        for (int i = 0; i < 4 * keys; i++) {
            String key = "k" + random.nextInt(keys);
            boolean hashed = key.hashCode() % 3 != 0;
            String stored = hashed ? hash.text(key) : key;
            if (random.nextInt(3) == 0) {
                map.remove(key);
                table.put(stored, hashed, null);
            } else {
                map.put(key, i);
                table.put(stored, hashed, i);
            }
            assertThat(table.isEmpty()).isEqualTo(map.isEmpty());
        }
        for (int i = 0; i < keys; i++) {
            String key = "k" + i;
            assertThat(table.get(key)).as(key).isEqualTo(map.get(key));
            table.put(key, false, null);
            table.put(hash.text(key), true, null);
        }
        assertThat(table.isEmpty()).isTrue();
    }
}
