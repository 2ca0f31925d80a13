/** The IP address of a request as a key, behind trusted proxies too. */
@NullMarked
package io.limiter.spring.key.address;

import org.jspecify.annotations.NullMarked;
