package kotlin.coroutines;

/**
 * Stands for Kotlin's type of this name, which the compiler adds as the last parameter of a suspend function.
 *
 * @param <T> what the function returns
 */
public interface Continuation<T> {}
