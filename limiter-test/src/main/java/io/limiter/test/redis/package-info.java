/** A Redis for tests, without an installation. */
@NullMarked
package io.limiter.test.redis;

import org.jspecify.annotations.NullMarked;
