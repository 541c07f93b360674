import fc from "fast-check";
import { daysAgo } from "../support/program-fixture.ts";

export const start = daysAgo(0);
// Calls wait for at most 10 s. The clock is stopped between steps, so a call never reaches this limit.
export const stepMs = 100;
export const length = 24;

const partner = fc.nat({ max: 1 });
const index = fc.nat({ max: 5 });
const command = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("sale"), partner, isPending: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("browser sale"), partner }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("move"), index, partner }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("refund"), index, cents: fc.constantFrom(null, 100, 500) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("cancel refund"), index }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("approve"), index }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("reject"), index }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("hold"), index }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("release"), index }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("adjust"), partner, cents: fc.constantFrom(-300, 50, 400) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("create"),
      minimumCents: fc.constantFrom(1, 150),
      settledBy: fc.constantFrom("person" as const, "api" as const),
      /** The payout's `until`, as a number of steps before now. */
      until: fc.constantFrom(undefined, undefined, 0, 1, 3, 8),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("finalize"),
      expectedCents: fc.constantFrom(undefined, undefined, 200),
      settledBy: fc.constantFrom(undefined, undefined, undefined, "person" as const, "api" as const),
      acknowledges: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("confirm"),
      index,
      by: fc.constantFrom("one" as const, "two" as const),
      acknowledges: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("cancel"), index, acknowledges: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("fail"),
      index,
      partner,
      isByKey: fc.boolean(),
      acknowledges: fc.boolean(),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant("settle"), index, partner, id: fc.constantFrom("a", "a", "b") }),
  },
);
export type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;
export const history = fc.array(command, { minLength: length, maxLength: length });
