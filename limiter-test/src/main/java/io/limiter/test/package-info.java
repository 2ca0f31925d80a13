/** Limiters whose clock a test moves, and assertions about limiters. */
@NullMarked
package io.limiter.test;

import org.jspecify.annotations.NullMarked;
