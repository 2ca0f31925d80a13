/** What a factory builds: limiters by prefix, name, limit and options, each once, with their statistics and overrides. */
@NullMarked
package io.limiter.internal.factory;

import org.jspecify.annotations.NullMarked;
