/** What a factory over Redis lends to another module of this library. */
@NullMarked
package io.limiter.internal.redis;

import org.jspecify.annotations.NullMarked;
