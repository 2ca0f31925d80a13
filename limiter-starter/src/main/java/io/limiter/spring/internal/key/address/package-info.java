/** The IP address of a request as a key, also behind trusted proxies. */
@NullMarked
package io.limiter.spring.internal.key.address;

import org.jspecify.annotations.NullMarked;
