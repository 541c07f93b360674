import { describe, expect, test } from "vitest";
import { figureOf, judge, shown } from "../../bench/figures.ts";

describe("the results of the benchmark", () => {
  test("the results of the benchmark are the median of the rounds, with the lowest and the highest value", () => {
    expect(figureOf([30, 10, 20])).toEqual({ median: 20, min: 10, max: 30 });
    expect(figureOf([40, 10, 20, 30])).toEqual({ median: 25, min: 10, max: 40 });
    expect(shown(figureOf([1_234, 1_000, 2_000]))).toBe("1,234 (1,000–2,000)");
  });

  test("the results of the benchmark are missing if a round has no result", () => {
    expect(figureOf([10, undefined, 20])).toBeUndefined();
    expect(figureOf([])).toBeUndefined();
    expect(shown(undefined)).toBe("-");
  });

  test.each([
    ["at the lower limit", { is: 0.5, atLeast: 0.5 }, true],
    ["below", { is: 0.499, atLeast: 0.5 }, false],
    ["at the upper limit", { is: 2, atMost: 2 }, true],
    ["above", { is: 2.001, atMost: 2 }, false],
    ["not a number", { is: Number.NaN, atLeast: 0.5 }, false],
    ["not measured in this run", { is: undefined, atLeast: 0.5 }, true],
  ])("a result of the benchmark meets or misses its limit: %s", (_, limit, areKept) => {
    const verdict = judge([{ what: "a figure", ...limit }]);
    expect(verdict.areKept).toBe(areKept);
    expect(verdict.text.includes("MISSED")).toBe(!areKept);
  });
});
