import { expect, test } from "vitest";
import { Pace } from "../../../runtime/node/pace.ts";

function paced() {
  let at = 0;
  const later: (() => void)[] = [];
  const pace = new Pace({ bytesPerMs: 10, burstBytes: 100, now: () => at, later: (run) => later.push(run) });
  const passed: string[] = [];
  const take = (name: string, bytes: number) => pace.take(bytes, () => passed.push(name));
  const after = (ms: number) => {
    at += ms;
    for (const run of later.splice(0)) run();
  };
  return { take, after, passed };
}

test("all download streams send bytes in turn, up to their common limit per period", () => {
  const { take, after, passed } = paced();
  take("a", 150);
  take("b", 50);
  take("c", 1);
  expect(passed).toEqual(["a"]);
  after(5);
  expect(passed).toEqual(["a"]);
  after(1);
  expect(passed).toEqual(["a", "b"]);
  after(5);
  expect(passed).toEqual(["a", "b", "c"]);
});

test("unused capacity of download streams doesn't accumulate", () => {
  const { take, after, passed } = paced();
  after(1_000);
  take("a", 100);
  take("b", 1);
  expect(passed).toEqual(["a"]);
});
