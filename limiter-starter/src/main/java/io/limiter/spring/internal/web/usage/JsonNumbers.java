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
        /** Before a value. */
        VALUE,
        /** Before the first element of an array, or its end. */
        FIRST_ELEMENT,
        /** Before the first member of an object, or its end. */
        FIRST_NAME,
        NAME,
        COLON,
        /** Behind an element or a member. */
        COMMA,
        STRING,
        ESCAPE,
        HEX,
        NUMBER,
        LITERAL,
        NO_JSON
    }

    private final List<JsonPointer> pointers;
    private final long[] numbers;

    /** Of each pointer: how many of its parts lead to the current value. */
    private final int[] matched;

    /** Of each array that a pointer may lead into: the index of the current element. */
    private final int[] elements;

    private final BitSet isObject = new BitSet();
    private final byte[] number = new byte[LONGEST_NUMBER];
    private final byte[] name;

    private State state = State.VALUE;
    private int level;
    private boolean isName;

    /** Of the current name or number; more than there is room for if it is too long to be one of a pointer, or a number of permits. */
    private int length;

    private boolean isWanted;
    private String literal = "";
    private int position;
    private int hex;
    private int highSurrogate;

    JsonNumbers(List<JsonPointer> pointers) {
        this.pointers = pointers;
        this.numbers = new long[pointers.size()];
        Arrays.fill(numbers, UsageReader.NONE);
        this.matched = new int[pointers.size()];
        this.elements =
                new int[pointers.stream().mapToInt(JsonPointer::length).max().orElse(0)];
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
        Arrays.fill(matched, 0);
    }

    void read(byte[] bytes, int from, int to) {
        for (int i = from; i < to; i++) {
            read(bytes[i] & 0xff);
        }
    }

    private void read(int c) {
        switch (state) {
            case VALUE, FIRST_ELEMENT -> value(c);
            case FIRST_NAME, NAME -> name(c);
            case COLON -> colon(c);
            case COMMA -> comma(c);
            case STRING -> string(c);
            case ESCAPE -> escape(c);
            case HEX -> hex(c);
            case NUMBER -> digit(c);
            case LITERAL -> literal(c);
            case NO_JSON -> {}
        }
    }

    private static boolean isSpace(int c) {
        return c == ' ' || c == '\n' || c == '\r' || c == '\t';
    }

    private void value(int c) {
        switch (c) {
            case '{' -> open(true);
            case '[' -> open(false);
            case '"' -> string(false);
            case 't' -> begin("true");
            case 'f' -> begin("false");
            case 'n' -> begin("null");
            case ']' -> {
                if (state == State.FIRST_ELEMENT) {
                    close();
                } else {
                    state = State.NO_JSON;
                }
            }
            default -> {
                if (c == '-' || isDigit(c)) {
                    state = State.NUMBER;
                    isWanted = isWanted();
                    length = 0;
                    addToNumber(c);
                } else if (!isSpace(c)) {
                    state = State.NO_JSON;
                }
            }
        }
    }

    private static boolean isDigit(int c) {
        return c >= '0' && c <= '9';
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
        if (!object && level <= elements.length) {
            elements[level - 1] = 0;
            matchElement();
        }
    }

    private void close() {
        level--;
        ended();
    }

    /** The current value has ended. */
    private void ended() {
        state = level == 0 ? State.VALUE : State.COMMA;
        for (int i = 0; i < matched.length; i++) {
            matched[i] = Math.min(matched[i], Math.max(level - 1, 0));
        }
    }

    private void comma(int c) {
        boolean object = isObject.get(level);
        if (c == (object ? '}' : ']')) {
            close();
        } else if (c == ',' && object) {
            state = State.NAME;
        } else if (c == ',') {
            state = State.VALUE;
            if (level <= elements.length) {
                elements[level - 1]++;
                matchElement();
            }
        } else if (!isSpace(c)) {
            state = State.NO_JSON;
        }
    }

    private void colon(int c) {
        if (c == ':') {
            state = State.VALUE;
        } else if (!isSpace(c)) {
            state = State.NO_JSON;
        }
    }

    private void name(int c) {
        if (c == '"') {
            string(true);
        } else if (c == '}' && state == State.FIRST_NAME) {
            close();
        } else if (!isSpace(c)) {
            state = State.NO_JSON;
        }
    }

    private void string(boolean ofMember) {
        state = State.STRING;
        isName = ofMember;
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
        } else if (isName) {
            addToName(c);
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
        if (!isName) {
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
        if (length < name.length) {
            name[length] = (byte) c;
        }
        // Half of a character is in no pointer.
        length = highSurrogate == 0 ? Math.min(length, name.length) + 1 : name.length + 1;
    }

    private void matchName() {
        if (length > name.length || highSurrogate != 0) {
            return;
        }
        for (int i = 0; i < matched.length; i++) {
            JsonPointer pointer = pointers.get(i);
            if (leadsHere(pointer, matched[i]) && pointer.isName(level - 1, name, length)) {
                matched[i] = level;
            }
        }
    }

    private void matchElement() {
        for (int i = 0; i < matched.length; i++) {
            JsonPointer pointer = pointers.get(i);
            if (leadsHere(pointer, matched[i]) && pointer.isIndex(level - 1, elements[level - 1])) {
                matched[i] = level;
            }
        }
    }

    private boolean leadsHere(JsonPointer pointer, int parts) {
        return parts == level - 1 && pointer.length() >= level;
    }

    /** Whether a pointer leads to the current value. */
    private boolean isWanted() {
        for (int i = 0; i < matched.length; i++) {
            if (isWanted(i)) {
                return true;
            }
        }
        return false;
    }

    private boolean isWanted(int pointer) {
        return level > 0 && matched[pointer] == level && pointers.get(pointer).length() == level;
    }

    private void digit(int c) {
        if (isDigit(c) || c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-') {
            addToNumber(c);
            return;
        }
        if (isWanted) {
            long found = length > LONGEST_NUMBER
                    ? UsageReader.NONE
                    : UsageReader.number(new String(number, 0, length, StandardCharsets.US_ASCII));
            for (int i = 0; i < matched.length; i++) {
                if (isWanted(i)) {
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
