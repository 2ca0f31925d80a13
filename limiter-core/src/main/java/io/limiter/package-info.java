/** What callers import: the limiters, their factory and the exceptions. */
@NullMarked
package io.limiter;

import org.jspecify.annotations.NullMarked;
