/**
 * What is allowed, as pure functions of time: no I/O, no clock, no lock, no thread. Everything else in this library
 * exists to run one of these steps atomically somewhere.
 */
@NullMarked
package io.limiter.algorithm;

import org.jspecify.annotations.NullMarked;
