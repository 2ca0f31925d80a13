package io.limiter.spring.internal.web.usage;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * Finds the last number at each of several pointers in JSON values that come in pieces of any size. It keeps none of their text: only
 * the path to the current value, as far as a pointer follows it, and the number that is being read. A number is known once the byte
 * behind it has come, because more digits could follow before. What is no JSON is skipped up to the next {@link #reset()}.
 */
final class JsonNumbers {

    /** Deeper values than anybody sends. */
    private static final int MOST_LEVELS = 1000;

    private static final int LONGEST_NUMBER = 64;

    private enum State {
        /** Before anything, where a byte order mark may be. */
        MARK(false),
        /** Before a value. */
        VALUE(true),
        /** Before the first element of an array, or its end. */
        FIRST_ELEMENT(true),
        /** Before the first member of an object, or its end. */
        FIRST_NAME(true),
        NAME(true),
        COLON(true),
        /** Behind an element or a member. */
        COMMA(true),
        STRING(false),
        ESCAPE(false),
        HEX(false),
        MINUS(false),
        NUMBER(false),
        LITERAL(false),
        NO_JSON(false);

        private final boolean skipsSpaces;

        State(boolean skipsSpaces) {
            this.skipsSpaces = skipsSpaces;
        }
    }

    private final JsonPath path;
    private final long[] numbers;
    private final BitSet isObject = new BitSet();
    private final byte[] number = new byte[LONGEST_NUMBER];
    private final byte[] name;

    private State state = State.MARK;
    private int level;
    private boolean isName;

    /** Whether a pointer may lead on by the current name. */
    private boolean isKept;

    /** Of the current name or number; more than there is room for if it is too long to be one of a pointer, or a number of permits. */
    private int length;

    private boolean isWanted;
    private String literal = "";
    private int position;
    private int hex;
    private int highSurrogate;

    JsonNumbers(List<JsonPointer> pointers) {
        this.path = new JsonPath(pointers);
        this.numbers = new long[pointers.size()];
        Arrays.fill(numbers, UsageReader.NONE);
        this.name = new byte
                [pointers.stream().mapToInt(JsonPointer::longestName).max().orElse(0)];
    }

    /** The last number at a pointer, rounded up; {@link UsageReader#NONE} if there was none, or it was none that permits can have. */
    long number(int pointer) {
        return numbers[pointer];
    }

    /** Another value begins, whether the one before it has ended or not. The numbers that were found stay. */
    void reset() {
        state = State.VALUE;
        level = 0;
        path.reset();
    }

    void read(byte[] bytes, int from, int to) {
        int i = from;
        while (i < to && state != State.NO_JSON) {
            if (state == State.STRING) {
                int end = JsonBytes.endOfText(bytes, i, to);
                if (isKept) {
                    addToName(bytes, i, end);
                }
                i = end;
            } else if (state.skipsSpaces) {
                i = JsonBytes.endOfSpaces(bytes, i, to);
            } else if (state == State.NUMBER && !isWanted) {
                i = JsonBytes.endOfNumber(bytes, i, to);
            }
            if (i < to) {
                read(bytes[i++] & 0xff);
            }
        }
    }

    private void read(int c) {
        switch (state) {
            case MARK -> mark(c);
            case VALUE, FIRST_ELEMENT -> value(c);
            case FIRST_NAME, NAME -> name(c);
            case COLON -> colon(c);
            case COMMA -> comma(c);
            case STRING -> string(c);
            case ESCAPE -> escape(c);
            case HEX -> hex(c);
            case MINUS -> minus(c);
            case NUMBER -> digit(c);
            case LITERAL -> literal(c);
            case NO_JSON -> {}
        }
    }

    private void mark(int c) {
        if (c == EventStream.BYTE_ORDER_MARK[position]) {
            position++;
            state = position == EventStream.BYTE_ORDER_MARK.length ? State.VALUE : State.MARK;
        } else if (position == 0) {
            state = State.VALUE;
            value(c);
        } else {
            state = State.NO_JSON;
        }
    }

    private void value(int c) {
        switch (c) {
            case '{' -> open(true);
            case '[' -> open(false);
            case '"' -> string(false);
            case 't' -> begin("true");
            case 'f' -> begin("false");
            case 'n' -> begin("null");
            // No JSON, but some libraries write them.
            case 'N' -> begin("NaN");
            case 'I' -> begin("Infinity");
            case ']' -> {
                if (state == State.FIRST_ELEMENT) {
                    close();
                } else {
                    state = State.NO_JSON;
                }
            }
            default -> {
                if (c == '-' || JsonBytes.isDigit(c)) {
                    state = c == '-' ? State.MINUS : State.NUMBER;
                    isWanted = path.isWanted(level);
                    length = 0;
                    addToNumber(c);
                } else if (!JsonBytes.isSpace(c)) {
                    state = State.NO_JSON;
                }
            }
        }
    }

    private void begin(String text) {
        state = State.LITERAL;
        literal = text;
        position = 1;
    }

    private void literal(int c) {
        if (c != literal.charAt(position++)) {
            state = State.NO_JSON;
        } else if (position == literal.length()) {
            ended();
        }
    }

    private void open(boolean object) {
        if (level == MOST_LEVELS) {
            state = State.NO_JSON;
            return;
        }
        isObject.set(++level, object);
        state = object ? State.FIRST_NAME : State.FIRST_ELEMENT;
        if (!object) {
            path.firstElement(level);
        }
    }

    private void close() {
        level--;
        ended();
    }

    /** The current value has ended. */
    private void ended() {
        state = level == 0 ? State.VALUE : State.COMMA;
        path.ended(level);
    }

    private void comma(int c) {
        boolean object = isObject.get(level);
        if (c == (object ? '}' : ']')) {
            close();
        } else if (c == ',' && object) {
            state = State.NAME;
        } else if (c == ',') {
            state = State.VALUE;
            path.nextElement(level);
        } else if (!JsonBytes.isSpace(c)) {
            state = State.NO_JSON;
        }
    }

    private void colon(int c) {
        if (c == ':') {
            state = State.VALUE;
        } else if (!JsonBytes.isSpace(c)) {
            state = State.NO_JSON;
        }
    }

    private void name(int c) {
        if (c == '"') {
            string(true);
        } else if (c == '}' && state == State.FIRST_NAME) {
            close();
        } else if (!JsonBytes.isSpace(c)) {
            state = State.NO_JSON;
        }
    }

    private void string(boolean ofMember) {
        state = State.STRING;
        isName = ofMember;
        isKept = ofMember && path.mayLeadTo(level);
        length = 0;
        highSurrogate = 0;
    }

    private void string(int c) {
        if (c == '\\') {
            state = State.ESCAPE;
        } else if (c == '"') {
            if (isName) {
                matchName();
                state = State.COLON;
            } else {
                ended();
            }
        } else if (c < ' ') {
            state = State.NO_JSON;
        }
    }

    private void escape(int c) {
        state = State.STRING;
        switch (c) {
            case '"', '\\', '/' -> addToName(c);
            case 'b' -> addToName('\b');
            case 'f' -> addToName('\f');
            case 'n' -> addToName('\n');
            case 'r' -> addToName('\r');
            case 't' -> addToName('\t');
            case 'u' -> {
                state = State.HEX;
                position = 0;
                hex = 0;
            }
            default -> state = State.NO_JSON;
        }
    }

    private void hex(int c) {
        int digit = Character.digit(c, 16);
        if (digit < 0) {
            state = State.NO_JSON;
            return;
        }
        hex = hex << 4 | digit;
        if (++position == 4) {
            state = State.STRING;
            addUnit((char) hex);
        }
    }

    private void addUnit(char unit) {
        if (!isKept) {
            return;
        }
        if (Character.isHighSurrogate(unit)) {
            highSurrogate = unit;
            return;
        }
        String text = highSurrogate == 0 ? String.valueOf(unit) : new String(new char[] {(char) highSurrogate, unit});
        highSurrogate = 0;
        for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
            addToName(each);
        }
    }

    private void addToName(int c) {
        if (isKept) {
            addToName(new byte[] {(byte) c}, 0, 1);
        }
    }

    private void addToName(byte[] bytes, int from, int to) {
        int added = to - from;
        if (added == 0) {
            return;
        }
        // Half of a character is in no pointer.
        if (highSurrogate != 0 || added > name.length - length) {
            length = name.length + 1;
            return;
        }
        System.arraycopy(bytes, from, name, length, added);
        length += added;
    }

    private void matchName() {
        if (isKept && length <= name.length && highSurrogate == 0) {
            path.name(level, name, length);
        }
    }

    private void minus(int c) {
        if (c == 'I') {
            begin("Infinity");
        } else {
            state = State.NUMBER;
            digit(c);
        }
    }

    private void digit(int c) {
        if (JsonBytes.isOfNumber(c)) {
            addToNumber(c);
            return;
        }
        if (isWanted) {
            long found = length > LONGEST_NUMBER
                    ? UsageReader.NONE
                    : UsageReader.number(new String(number, 0, length, StandardCharsets.US_ASCII));
            for (int i = 0; i < numbers.length; i++) {
                if (path.isWanted(level, i)) {
                    numbers[i] = found;
                }
            }
        }
        ended();
        read(c);
    }

    private void addToNumber(int c) {
        if (isWanted) {
            if (length < LONGEST_NUMBER) {
                number[length] = (byte) c;
            }
            length = Math.min(length, LONGEST_NUMBER) + 1;
        }
    }
}
