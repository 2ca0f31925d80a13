/** Finds in a response what its request has cost, while the response passes. */
@NullMarked
package io.limiter.spring.internal.web.usage;

import org.jspecify.annotations.NullMarked;
