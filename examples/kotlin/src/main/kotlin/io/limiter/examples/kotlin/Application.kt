package io.limiter.examples.kotlin

import io.limiter.spring.annotation.ConcurrentLimit
import io.limiter.spring.annotation.RateLimit
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import org.springframework.boot.autoconfigure.SpringBootApplication
import org.springframework.boot.runApplication
import org.springframework.stereotype.Service
import org.springframework.web.bind.annotation.GetMapping
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
        key = ["#{phone}"],
        rate = 1.0,
        per = "1m",
        message = "A code was sent to this number less than a minute ago.",
    )
    fun send(@RequestParam phone: String) = "code sent to $phone"
}

@RestController
class ReportController(private val reports: Reports) {

    @GetMapping("/reports")
    suspend fun report(@RequestParam customer: String) = reports.create(customer)
}

@Service
class Reports {

    /** Two at a time for each customer. The permit is held until the function resumes its caller, and no thread waits. */
    @ConcurrentLimit(name = "reports", key = ["#{customer}"], limit = 2)
    suspend fun create(customer: String): String {
        delay(100)
        return "report for $customer"
    }

    /** One permit an hour; each collection takes one. */
    @RateLimit(name = "ticks", key = ["#{customer}"], rate = 1.0, per = "1h")
    fun ticks(customer: String): Flow<String> = flow {
        emit(customer)
        delay(1)
        emit(customer)
    }
}

fun main(args: Array<String>) {
    runApplication<Application>(*args)
}
