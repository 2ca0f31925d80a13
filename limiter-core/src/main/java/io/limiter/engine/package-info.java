/** What carries a decision out atomically, and the limiters on top that are the same for every engine. */
@NullMarked
package io.limiter.engine;

import org.jspecify.annotations.NullMarked;
