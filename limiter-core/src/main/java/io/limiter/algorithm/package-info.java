/** Limits as pure functions of time: no I/O, no clock, no lock, no thread. The rest of this library runs their steps atomically. */
@NullMarked
package io.limiter.algorithm;

import org.jspecify.annotations.NullMarked;
