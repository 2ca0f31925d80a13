/** What a refused call looks like over HTTP. */
@NullMarked
package io.limiter.spring.web;

import org.jspecify.annotations.NullMarked;
