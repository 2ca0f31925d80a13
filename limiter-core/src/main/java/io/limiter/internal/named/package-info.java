/** What limiters of one name share in a factory: their counters, and the rates and live limits that replace their definitions. */
@NullMarked
package io.limiter.internal.named;

import org.jspecify.annotations.NullMarked;
