plugins {
    kotlin("jvm") version "2.3.21"
    // Opens annotated classes, so that Spring can make proxies of them.
    kotlin("plugin.spring") version "2.3.21"
    id("org.springframework.boot") version "4.1.1"
    id("io.spring.dependency-management") version "1.1.7"
}

group = "io.limiter.examples"
version = "0.1.0-SNAPSHOT"

kotlin {
    jvmToolchain(17)
}

repositories {
    mavenLocal() // until the limiter is in a public repository
    mavenCentral()
}

dependencies {
    implementation("io.limiter:limiter-spring-boot-starter:0.1.0-SNAPSHOT")
    implementation("org.springframework.boot:spring-boot-starter-web")
    implementation("org.jetbrains.kotlin:kotlin-reflect")
    implementation("org.jetbrains.kotlinx:kotlinx-coroutines-reactor")
    testImplementation("org.springframework.boot:spring-boot-starter-test")
    testImplementation("io.limiter:limiter-test:0.1.0-SNAPSHOT")
    testRuntimeOnly("org.junit.platform:junit-platform-launcher")
}

tasks.test {
    useJUnitPlatform()
}
