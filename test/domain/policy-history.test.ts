import fc from "fast-check";
import { expect, it } from "vitest";
import { noTerms, type Policy } from "#domain/commission.ts";
import { isKept, newestVersionsKept, policyHistory, versionsKept } from "#domain/policy-history.ts";
import { policyInForce } from "#domain/policy-in-force.ts";

const partnerId = 7;
const groupId = 9;
const ofProgram = { partnerId: null, groupId: null };

type Owner = Pick<Policy, "partnerId" | "groupId">;

const versions = (effectiveFrom: readonly number[], owner: Owner, nth: number): readonly Policy[] =>
  effectiveFrom
    .toSorted((a, b) => a - b)
    .map((from, i) => ({
      ...{ ...noTerms, id: i * 3 + nth, version: i * 3 + nth, ...owner, type: i % 5 === 4 ? "none" : "percent" },
      ...{ rateBps: 1, scope: "lifetime", holdDays: 15, effectiveFrom: from },
    }));

/** Returns the versions that a read returns: the newest ones, newest first, and the very first one. */
const read = (all: readonly Policy[]) => {
  const newest = all.toReversed().slice(0, newestVersionsKept);
  const [first] = all;
  return policyHistory(first === undefined || newest.includes(first) ? newest : [...newest, first]);
};

it("the first and the newest policy versions give the same decision as all versions, for any sale that they can decide", () => {
  const instants = fc.array(fc.nat(60), { maxLength: 40 });
  fc.assert(
    fc.property(instants, instants, instants, fc.nat(70), fc.option(fc.nat(130)), (program, own, ofGroup, at, upTo) => {
      const all = [
        versions(program, ofProgram, 1),
        versions(own, { partnerId, groupId: null }, 2),
        versions(ofGroup, { partnerId: null, groupId }, 3),
      ];
      const kept = all.map(read);
      const limit = upTo ?? Number.MAX_SAFE_INTEGER;
      if (!kept.every((history) => isKept(history, at, limit))) return;
      const memberships = [{ groupId, effectiveFrom: 30 }];
      const decide = (policies: readonly Policy[]) =>
        policyInForce({ versions: policies.filter(({ version }) => version <= limit), memberships }, partnerId, at);
      expect(decide(kept.flatMap(versionsKept))).toEqual(decide(all.flat()));
    }),
    { numRuns: 500 },
  );
});

it("the first and the newest policy versions suffice to decide a current sale, however many versions exist", () => {
  const all = versions(
    Array.from({ length: 1_000 }, (_, i) => i),
    ofProgram,
    1,
  );
  expect(isKept(read(all), 2_000, Number.MAX_SAFE_INTEGER)).toBe(true);
  expect(versionsKept(read(all))).toHaveLength(newestVersionsKept + 1);
});
