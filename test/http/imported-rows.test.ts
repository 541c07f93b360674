import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { parsePartners } from "#api/imports/parse-rows.ts";

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");
const heapBytes = (): number => {
  collect();
  return process.memoryUsage().heapUsed;
};

test("parsing imported rows doesn't leak memory", { tags: "finding" }, () => {
  const rows = Array.from({ length: 100 }, (_, i) => ({
    ...{ line: i + 1, name: `Partner ${i}`, code: `code-${i}`, email: `${i}@people.example`, status: "active" },
    ...{ external_id: `external ${i}`, group: "Gold", destination_url: "https://shop.example/" },
  }));
  const readAll = () => Array.from({ length: 20 }, () => parsePartners(rows, true).valid.length);
  expect(readAll()).toEqual(Array(20).fill(100));
  const before = heapBytes();
  readAll();
  // Creating a schema for each cell would use about 70 MB.
  expect(heapBytes() - before).toBeLessThan(20_000_000);
});
