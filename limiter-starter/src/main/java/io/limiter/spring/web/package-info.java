/** What answers to limited calls tell over HTTP, and limits on requests: all that is the same for servlets and WebFlux. */
@NullMarked
package io.limiter.spring.web;

import org.jspecify.annotations.NullMarked;
