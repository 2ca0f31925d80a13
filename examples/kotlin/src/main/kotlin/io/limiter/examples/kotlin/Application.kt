package io.limiter.examples.kotlin

import io.limiter.spring.annotation.RateLimit
import org.springframework.boot.autoconfigure.SpringBootApplication
import org.springframework.boot.runApplication
import org.springframework.web.bind.annotation.PostMapping
import org.springframework.web.bind.annotation.RequestParam
import org.springframework.web.bind.annotation.RestController

@SpringBootApplication
class Application

@RestController
class CodeController {

    /** One code per minute for each phone number. */
    @PostMapping("/codes")
    @RateLimit(
        name = "codes",
        key = "#{phone}",
        rate = 1.0,
        per = "1m",
        message = "A code was sent to this number less than a minute ago.",
    )
    fun send(@RequestParam phone: String) = "code sent to $phone"
}

fun main(args: Array<String>) {
    runApplication<Application>(*args)
}
