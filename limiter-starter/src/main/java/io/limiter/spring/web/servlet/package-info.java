/** What applications may replace of the responses of Spring MVC. */
@NullMarked
package io.limiter.spring.web.servlet;

import org.jspecify.annotations.NullMarked;
