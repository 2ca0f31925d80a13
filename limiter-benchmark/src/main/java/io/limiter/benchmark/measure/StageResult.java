package io.limiter.benchmark.measure;

import io.limiter.benchmark.load.Cell;
import java.util.Map;

/**
 * What the stages of a decision cost under one load.
 *
 * @param nanos processor time for one decision
 * @param bytes allocated for one decision
 */
public record StageResult(Cell cell, Map<Stage, Double> nanos, Map<Stage, Double> bytes) {}
