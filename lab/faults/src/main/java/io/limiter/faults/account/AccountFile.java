package io.limiter.faults.account;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The account of one JVM: a mapped file of records, so that what was written before the JVM was killed is there. A record is
 * reserved before the call, and marked as {@link Answer#PENDING} until the call has returned. Safe for use by many threads.
 *
 * <p>A record has 32 bytes: call and return (8 bytes each), key and permits (4 each), limiter, answer plus one (0 is an unused
 * record), whether granted, and 5 unused bytes.
 */
public final class AccountFile implements Closeable {

    private static final int RECORD = 32;
    private static final int RECORDS_PER_REGION = 1 << 16;
    private static final int REGIONS = 1 << 10;
    private static final int LIMITER_AT = 24;
    private static final int ANSWER_AT = 25;
    private static final int GRANTED_AT = 26;

    private static final Clock CLOCK = Clock.systemUTC();

    private final FileChannel file;
    private final AtomicLong used = new AtomicLong();
    private final AtomicReferenceArray<@Nullable ByteBuffer> regions = new AtomicReferenceArray<>(REGIONS);

    private AccountFile(FileChannel file) {
        this.file = file;
    }

    public static AccountFile create(Path path) throws IOException {
        return new AccountFile(FileChannel.open(
                path, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE));
    }

    /** The clock that all JVMs of a machine share, in microseconds since the epoch. */
    public static long nowMicros() {
        Instant now = CLOCK.instant();
        return now.getEpochSecond() * 1_000_000 + now.getNano() / 1000;
    }

    /** A call begins now. */
    public long begin(Limiters limiter, int key, int permits) {
        return write(nowMicros(), 0, limiter, key, permits, Answer.PENDING, false);
    }

    /** It has returned by now. */
    public void end(long record, Answer answer, boolean granted) {
        ByteBuffer region = region(record);
        int at = offset(record);
        region.put(at + GRANTED_AT, (byte) (granted ? 1 : 0));
        // Later than what was cut off.
        region.putLong(at + 8, nowMicros() + 1);
        VarHandle.releaseFence();
        region.put(at + ANSWER_AT, (byte) (answer.ordinal() + 1));
    }

    /** How many permits the call of the record has, which is known only at its end. */
    public void took(long record, int permits) {
        region(record).putInt(offset(record) + 20, permits);
    }

    /** What the record is about was still so at that moment. */
    public void extend(long record, long returnMicros) {
        region(record).putLong(offset(record) + 8, returnMicros);
    }

    /** The lease that the record is about was lost before it was closed. */
    public void lost(long record) {
        region(record).put(offset(record) + GRANTED_AT, (byte) 0);
    }

    public long write(
            long callMicros,
            long returnMicros,
            Limiters limiter,
            int key,
            int permits,
            Answer answer,
            boolean granted) {
        long record = used.getAndIncrement();
        ByteBuffer region = region(record);
        int at = offset(record);
        region.putLong(at, callMicros);
        region.putLong(at + 8, returnMicros);
        region.putInt(at + 16, key);
        region.putInt(at + 20, permits);
        region.put(at + LIMITER_AT, (byte) limiter.ordinal());
        region.put(at + GRANTED_AT, (byte) (granted ? 1 : 0));
        // A JVM that is killed here leaves an unused record, and has not called yet.
        VarHandle.releaseFence();
        region.put(at + ANSWER_AT, (byte) (answer.ordinal() + 1));
        return record;
    }

    private ByteBuffer region(long record) {
        int index = (int) (record / RECORDS_PER_REGION);
        ByteBuffer region = regions.get(index);
        return region != null ? region : map(index);
    }

    private synchronized ByteBuffer map(int index) {
        ByteBuffer region = regions.get(index);
        if (region == null) {
            int bytes = RECORDS_PER_REGION * RECORD;
            try {
                region = file.map(FileChannel.MapMode.READ_WRITE, (long) index * bytes, bytes)
                        .order(ByteOrder.LITTLE_ENDIAN);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            regions.set(index, region);
        }
        return region;
    }

    private static int offset(long record) {
        return (int) (record % RECORDS_PER_REGION) * RECORD;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }

    /** What a JVM, dead or alive, has written. */
    public static List<Entry> read(Path path) throws IOException {
        List<Entry> entries = new ArrayList<>();
        ByteBuffer buffer = ByteBuffer.allocate(RECORDS_PER_REGION * RECORD).order(ByteOrder.LITTLE_ENDIAN);
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
            while (file.read(buffer.clear()) > 0) {
                buffer.flip();
                for (int at = 0; at + RECORD <= buffer.limit(); at += RECORD) {
                    int answer = buffer.get(at + ANSWER_AT);
                    if (answer > 0) {
                        entries.add(new Entry(
                                buffer.getLong(at),
                                buffer.getLong(at + 8),
                                Limiters.of(buffer.get(at + LIMITER_AT)),
                                buffer.getInt(at + 16),
                                buffer.getInt(at + 20),
                                Answer.of(answer - 1),
                                buffer.get(at + GRANTED_AT) == 1));
                    }
                }
            }
        }
        return entries;
    }
}
