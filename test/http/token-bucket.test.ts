import { expect, test } from "vitest";
import { TokenBucket } from "#http/token-bucket.ts";

const admitted = (bucket: TokenBucket, at: number, calls = 20) =>
  Array.from({ length: calls }, () => bucket.admits(at)).filter(Boolean).length;

test("a token bucket admits a burst of calls, and then its rate of calls per second", () => {
  const bucket = new TokenBucket(4, 8);
  expect(admitted(bucket, 1_000)).toBe(8);
  expect(admitted(bucket, 1_000)).toBe(0);
  expect(admitted(bucket, 1_250)).toBe(1);
  expect(admitted(bucket, 2_250)).toBe(4);
  expect(admitted(bucket, 3_600_000)).toBe(8);
});

test("setting the clock back neither refills nor blocks a token bucket", () => {
  const bucket = new TokenBucket(4, 4);
  expect(admitted(bucket, 10_000)).toBe(4);
  expect(admitted(bucket, 5_000)).toBe(0);
  expect(admitted(bucket, 5_500)).toBe(2);
});
