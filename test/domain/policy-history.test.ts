import fc from "fast-check";
import { expect, it } from "vitest";
import { noTerms, type Policy, policyInForce } from "#domain/commission.ts";
import { isKept, newestVersionsKept, policyHistory, versionsKept } from "#domain/policy-history.ts";

const partnerId = 7;

const versions = (effectiveFrom: readonly number[], owner: number | null): readonly Policy[] =>
  effectiveFrom
    .toSorted((a, b) => a - b)
    .map((from, i) => ({
      ...{ id: i, version: i * 2 + (owner === null ? 1 : 2), partnerId: owner, type: i % 5 === 4 ? "none" : "percent" },
      ...{ ...noTerms, rateBps: 1, scope: "lifetime", holdDays: 15, effectiveFrom: from },
    }));

/** As they are read: the newest ones, the newest first, and the first. */
const read = (all: readonly Policy[]) => {
  const newest = all.toReversed().slice(0, newestVersionsKept);
  const [first] = all;
  return policyHistory(first === undefined || newest.includes(first) ? newest : [...newest, first]);
};

it("the kept versions decide as all versions do, wherever they claim to", () => {
  const instants = fc.array(fc.nat(60), { maxLength: 40 });
  fc.assert(
    fc.property(instants, instants, fc.nat(70), fc.option(fc.nat(90)), (program, own, at, upTo) => {
      const all = [versions(program, null), versions(own, partnerId)];
      const kept = all.map(read);
      const limit = upTo ?? Number.MAX_SAFE_INTEGER;
      if (!kept.every((history) => isKept(history, at, limit))) return;
      const decide = (policies: readonly Policy[]) =>
        policyInForce(
          policies.filter(({ version }) => version <= limit),
          partnerId,
          at,
        );
      expect(decide(kept.flatMap(versionsKept))).toEqual(decide(all.flat()));
    }),
    { numRuns: 500 },
  );
});

it("the kept versions decide a current sale, however many versions there are", () => {
  const all = versions(
    Array.from({ length: 1_000 }, (_, i) => i),
    null,
  );
  expect(isKept(read(all), 2_000, Number.MAX_SAFE_INTEGER)).toBe(true);
  expect(versionsKept(read(all))).toHaveLength(newestVersionsKept + 1);
});
