package io.limiter.spring.internal.web.usage;

/**
 * Finds the data of each event in an event stream that comes in pieces of any size. Each event is a JSON value of its own, or something
 * else, such as the {@code [DONE]} at the end of some streams.
 */
final class EventStream {

    private static final byte[] DATA = {'d', 'a', 't', 'a'};
    private static final byte[] NEW_LINE = {'\n'};
    static final int[] BYTE_ORDER_MARK = {0xEF, 0xBB, 0xBF};

    private enum State {
        LINE,
        FIELD,
        SPACE,
        DATA,
        IGNORED
    }

    private final JsonNumbers numbers;
    private State state = State.LINE;
    private int ofMark;
    private int ofField;
    private boolean isBehindReturn;

    EventStream(JsonNumbers numbers) {
        this.numbers = numbers;
    }

    void read(byte[] bytes, int from, int to) {
        int i = from;
        while (i < to) {
            if (state == State.DATA) {
                int end = i;
                while (end < to && bytes[end] != '\n' && bytes[end] != '\r') {
                    end++;
                }
                numbers.read(bytes, i, end);
                i = end;
            }
            if (i < to) {
                read(bytes[i++] & 0xff);
            }
        }
    }

    private void read(int c) {
        if (ofMark < BYTE_ORDER_MARK.length) {
            if (c == BYTE_ORDER_MARK[ofMark]) {
                ofMark++;
                return;
            }
            ofMark = BYTE_ORDER_MARK.length;
        }
        boolean isEndOfReturn = isBehindReturn && c == '\n';
        isBehindReturn = c == '\r';
        if (isEndOfReturn) {
            return;
        }
        if (c == '\n' || c == '\r') {
            if (state == State.LINE) {
                numbers.reset();
            } else if (state == State.DATA || state == State.SPACE) {
                numbers.read(NEW_LINE, 0, 1);
            }
            state = State.LINE;
            return;
        }
        switch (state) {
            case LINE -> {
                ofField = 0;
                field(c);
            }
            case FIELD -> field(c);
            case SPACE -> {
                state = State.DATA;
                if (c != ' ') {
                    numbers.read(new byte[] {(byte) c}, 0, 1);
                }
            }
            case DATA, IGNORED -> {}
        }
    }

    private void field(int c) {
        if (ofField == DATA.length && c == ':') {
            state = State.SPACE;
        } else if (ofField < DATA.length && c == DATA[ofField]) {
            ofField++;
            state = State.FIELD;
        } else {
            state = State.IGNORED;
        }
    }
}
