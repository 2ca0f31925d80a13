/** The resolver of rejections in Spring MVC, which an application can replace. */
@NullMarked
package io.limiter.spring.web.servlet;

import org.jspecify.annotations.NullMarked;
