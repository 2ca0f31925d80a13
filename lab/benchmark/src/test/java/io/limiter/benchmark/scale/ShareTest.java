package io.limiter.benchmark.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

/** What instances that count each other grant together without Redis, as a multiple of the limit. */
class ShareTest {

    @Test
    void a_fleet_grants_the_limit_once_and_with_the_whole_of_it_once_for_each_instance() {
        assertThat(ShareTable.granted(ShareTable::lost, 60, 1, false)).isEqualTo(1, within(0.01));
        assertThat(ShareTable.granted(ShareTable::lost, 60, 1, true)).isEqualTo(100, within(0.01));
    }

    @Test
    void a_half_that_does_not_reach_redis_grants_half_of_the_limit_also_when_the_others_have_forgotten_it() {
        assertThat(ShareTable.granted(ShareTable::partitioned, 120, 1, false)).isEqualTo(1.5, within(0.01));
    }

    @Test
    void instances_that_started_moments_before_add_a_part_of_the_limit() {
        assertThat(ShareTable.granted(ShareTable::doubled, 120, 1, false)).isBetween(1.0, 1.2);
    }

    @Test
    void each_instance_that_starts_without_redis_adds_the_limit() {
        // Within ten seconds, so that they have half of these, and their capacity.
        assertThat(ShareTable.granted(ShareTable::joined, 60, 1, false)).isBetween(50.0, 60.0);
    }

    @Test
    void instances_that_start_without_redis_add_their_part_of_the_expected_ones() {
        assertThat(ShareTable.granted(ShareTable::joined, 60, 100, false)).isBetween(1.5, 1.6);
    }

    @Test
    void a_fleet_that_has_just_started_grants_little_more_than_the_limit() {
        assertThat(ShareTable.granted(ShareTable::backFromZero, 671, 1, false)).isBetween(1.0, 1.1);
    }
}
