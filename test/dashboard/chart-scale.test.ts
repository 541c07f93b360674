import { expect, test } from "vitest";
import { labelled, scaleOf } from "../../dashboard/src/components/chart-scale.ts";

test.each([
  [[], [0, 1]],
  [
    [0, 0],
    [0, 1],
  ],
  [[3], [0, 1, 2, 3]],
  [
    [12, 107, 40],
    [0, 20, 40, 60, 80, 100, 120],
  ],
  [
    [-150, 310],
    [-200, -100, 0, 100, 200, 300, 400],
  ],
  [[-4_000], [-4_000, -3_000, -2_000, -1_000, 0]],
  [[100_000_000_000], [0, 20_000_000_000, 40_000_000_000, 60_000_000_000, 80_000_000_000, 100_000_000_000]],
])("the chart axis for the values %j has integer ticks that enclose the values and zero", (values, marks) => {
  const scale = scaleOf(values);
  expect(scale.marks.map((mark) => mark + 0)).toEqual(marks);
  expect([scale.min, scale.max]).toEqual([scale.marks[0], scale.marks.at(-1)]);
  for (const value of values) {
    expect(scale.min).toBeLessThanOrEqual(value);
    expect(scale.max).toBeGreaterThanOrEqual(value);
  }
});

test("the chart's labels don't overlap, and the last point always has a label", () => {
  const week = [0, 100, 200, 300, 400, 500, 600];
  expect(labelled(week, 64)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(labelled(week, 150)).toEqual([0, 2, 4, 6]);
  expect(labelled(week, 250)).toEqual([0, 3, 6]);
  expect(labelled(week, 2_000)).toEqual([6]);
  expect(labelled([50], 64)).toEqual([0]);
  expect(labelled([], 64)).toEqual([]);
});
