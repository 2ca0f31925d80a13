package io.limiter.faults.account;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AccountFileTest {

    /** As after a JVM was killed: it is not closed. */
    @Test
    void what_was_written_is_there_and_what_was_under_way_is_pending(@TempDir Path folder) throws Exception {
        Path path = folder.resolve("account");
        try (AccountFile file = AccountFile.create(path)) {
            long before = AccountFile.nowMicros();
            long granted = file.begin(Limiters.LIMITED, 3, 2);
            file.begin(Limiters.COUNTED, 1, 1);
            file.end(granted, Answer.REDIS, true);
            List<Entry> entries = AccountFile.read(path);
            assertThat(entries).extracting(Entry::answer).containsExactly(Answer.REDIS, Answer.PENDING);
            Entry first = entries.get(0);
            assertThat(first.limiter()).isEqualTo(Limiters.LIMITED);
            assertThat(first.key()).isEqualTo(3);
            assertThat(first.permits()).isEqualTo(2);
            assertThat(first.granted()).isTrue();
            assertThat(first.callMicros()).isBetween(before, first.returnMicros());
            assertThat(Conservation.of(1, entries)).isEqualTo(new Conservation(1, 2, 1, 0));
        }
    }

    @Test
    void an_account_may_be_larger_than_one_region(@TempDir Path folder) throws Exception {
        Path path = folder.resolve("account");
        try (AccountFile file = AccountFile.create(path)) {
            for (int i = 0; i < 70_000; i++) {
                file.write(i, i + 1, Limiters.ROOMY, i, 1, Answer.LOCAL, true);
            }
            assertThat(AccountFile.read(path))
                    .hasSize(70_000)
                    .last()
                    .extracting(Entry::key)
                    .isEqualTo(69_999);
        }
    }
}
