package io.limiter.internal.resilience;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class InstancesTest {

    private static final List<String> KEYS =
            IntStream.range(0, 1_000).mapToObj(i -> "rateLimit:{sms:" + i + "}").toList();

    @Test
    void there_are_never_fewer_than_expected() {
        Instances instances = new Instances(3);
        assertThat(instances.count()).isEqualTo(3);
        instances.counted(2);
        assertThat(instances.count()).isEqualTo(3);
        instances.counted(4);
        assertThat(instances.count()).isEqualTo(4);
        assertThat(new Instances().count()).isOne();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Instances(0))
                .withMessage("expectedInstances must be at least 1, was 0");
    }

    @Test
    void each_key_has_one_owner_and_keeps_it_if_another_instance_ends() {
        List<String> names =
                IntStream.range(0, 10).mapToObj(i -> "instance-" + i).toList();
        List<String> owners = owners(names);
        names.forEach(each -> assertThat(owners).filteredOn(each::equals).hasSizeBetween(60, 140));
        List<String> fewer = names.subList(1, 10);
        List<String> ownersThen = owners(fewer);
        for (int i = 0; i < KEYS.size(); i++) {
            if (!owners.get(i).equals("instance-0")) {
                assertThat(ownersThen.get(i)).isEqualTo(owners.get(i));
            }
        }
    }

    @Test
    void an_instance_that_knows_no_other_yet_owns_nothing() {
        assertThat(KEYS).noneMatch(new Instances()::owns);
    }

    private static List<String> owners(List<String> names) {
        List<String> owners = new ArrayList<>();
        List<Instances> fleet = names.stream()
                .map(name -> {
                    Instances instances = new Instances();
                    instances.members(name, names);
                    return instances;
                })
                .toList();
        for (String key : KEYS) {
            List<String> owning = IntStream.range(0, names.size())
                    .filter(i -> fleet.get(i).owns(key))
                    .mapToObj(names::get)
                    .toList();
            assertThat(owning).hasSize(1);
            owners.addAll(owning);
        }
        return owners;
    }
}
