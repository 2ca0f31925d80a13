package io.limiter.spring.internal.web.usage;

import java.util.Arrays;
import java.util.List;

/** The path to the current value of a JSON text, as far as one of several pointers follows it. Levels count from 1. */
final class JsonPath {

    private final List<JsonPointer> pointers;

    /** Of each pointer: how many of its parts lead to the current value. */
    private final int[] matched;

    /** The most of {@link #matched}: no pointer leads to what is more than one level below. */
    private int mostMatched;

    /** Of each array that a pointer may lead into: the index of the current element. */
    private final int[] elements;

    JsonPath(List<JsonPointer> pointers) {
        this.pointers = pointers;
        this.matched = new int[pointers.size()];
        this.elements =
                new int[pointers.stream().mapToInt(JsonPointer::length).max().orElse(0)];
    }

    void reset() {
        mostMatched = 0;
        Arrays.fill(matched, 0);
    }

    /** Whether a pointer may lead to an element or a member at a level. */
    boolean mayLeadTo(int level) {
        return level - 1 <= mostMatched && level <= elements.length;
    }

    /** The member of this name follows. */
    void name(int level, byte[] name, int length) {
        for (int i = 0; i < matched.length; i++) {
            if (leadsTo(level, i) && pointers.get(i).isName(level - 1, name, length)) {
                match(level, i);
            }
        }
    }

    void firstElement(int level) {
        if (mayLeadTo(level)) {
            element(level, 0);
        }
    }

    void nextElement(int level) {
        if (mayLeadTo(level)) {
            element(level, elements[level - 1] + 1);
        }
    }

    private void element(int level, int index) {
        elements[level - 1] = index;
        for (int i = 0; i < matched.length; i++) {
            if (leadsTo(level, i) && pointers.get(i).isIndex(level - 1, index)) {
                match(level, i);
            }
        }
    }

    private boolean leadsTo(int level, int pointer) {
        return matched[pointer] == level - 1 && pointers.get(pointer).length() >= level;
    }

    private void match(int level, int pointer) {
        matched[pointer] = level;
        mostMatched = level;
    }

    /** The element or member at a level has ended. */
    void ended(int level) {
        int above = Math.max(level - 1, 0);
        if (mostMatched > above) {
            mostMatched = above;
            for (int i = 0; i < matched.length; i++) {
                matched[i] = Math.min(matched[i], above);
            }
        }
    }

    /** Whether any pointer leads to the element or member at a level. */
    boolean isWanted(int level) {
        for (int i = 0; i < matched.length && mostMatched == level; i++) {
            if (isWanted(level, i)) {
                return true;
            }
        }
        return false;
    }

    boolean isWanted(int level, int pointer) {
        return level > 0 && matched[pointer] == level && pointers.get(pointer).length() == level;
    }
}
