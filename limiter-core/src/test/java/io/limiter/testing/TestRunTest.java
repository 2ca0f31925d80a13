package io.limiter.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TestRunTest {

    @TempDir
    private Path dir;

    @Test
    void the_counts_of_all_reports_are_summed_in_one_line() throws Exception {
        Files.writeString(
                dir.resolve("TEST-a.xml"),
                "<testsuite><testcase/><testcase/><testcase><failure/></testcase><testcase><error/></testcase></testsuite>");
        Files.writeString(
                dir.resolve("TEST-b.xml"),
                "<testsuite tests='0'><testcase/><testcase/><testcase><skipped/></testcase></testsuite>");
        Files.writeString(dir.resolve("b-output.txt"), "not a report");
        assertThat(TestRun.counts(dir)).isEqualTo("4 passed, 2 failed, 1 skipped");
        assertThat(TestRun.counts(dir.resolve("none"))).isEqualTo("0 passed, 0 failed, 0 skipped");
    }

    @Test
    void a_leftover_file_fails_the_build() throws Exception {
        Path temporary = dir.resolve("tmp");
        String[] before = {
            "before", "module", temporary.toString(), dir.resolve("reports").toString()
        };
        TestRun.main(before);
        assertThat(TestRun.leftBehind(temporary)).isEmpty();
        Path file = Files.createFile(temporary.resolve("file"));
        assertThat(TestRun.leftBehind(temporary)).containsExactly("the file " + file);
        TestRun.main(before);
        assertThat(TestRun.leftBehind(temporary)).isEmpty();
    }

    @Test
    void a_leftover_process_is_named_and_ended() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Djava.io.tmpdir=" + dir,
                        "-cp",
                        System.getProperty("java.class.path"),
                        Fleet.Host.class.getName())
                .start();
        try {
            assertThat(TestRun.leftBehind(dir))
                    .singleElement()
                    .asString()
                    .startsWith("the process " + process.pid() + " ");
            process.onExit().join();
            assertThat(TestRun.leftBehind(dir)).isEmpty();
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void leftovers_fail_the_build() throws Exception {
        Path left = Files.createDirectories(dir.resolve("tmp").resolve("left"));
        assertThatThrownBy(() -> TestRun.check("module", left.getParent()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("the tests of module left behind the file " + left)
                .hasMessageContaining("close what they start");
    }
}
