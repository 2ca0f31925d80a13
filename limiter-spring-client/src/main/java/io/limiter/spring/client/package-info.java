/** Limits of outgoing calls, by the host that is called or by a name. */
@NullMarked
package io.limiter.spring.client;

import org.jspecify.annotations.NullMarked;
