/** What a subject is put under: how many callers, which keys, and what they are answered. */
@NullMarked
package io.limiter.benchmark.load;

import org.jspecify.annotations.NullMarked;
