import { describe, expect, it } from "vitest";
import { noTerms, type Policy } from "#domain/commission.ts";
import { groupAt, type Membership, policyInForce } from "#domain/policy-in-force.ts";

const percent: Policy = {
  ...noTerms,
  ...{ id: 1, version: 1, partnerId: null, type: "percent", rateBps: 2_000 },
  ...{ scope: "lifetime", holdDays: 15, effectiveFrom: 0 },
};
const none = { type: "none", rateBps: null } as const;

/** Returns the id of the policy that decides a partner's sale at an instant. */
const decides = (
  versions: readonly Policy[],
  partnerId: number,
  at: number,
  memberships: readonly Membership[] = [],
): number | undefined => policyInForce({ versions, memberships }, partnerId, at)?.id;

const program1 = { ...percent, id: 1, version: 1, effectiveFrom: 100 };
const program2 = { ...percent, id: 2, version: 2, effectiveFrom: 200 };
const own1 = { ...percent, id: 3, version: 1, partnerId: 7, effectiveFrom: 150 };
const ownEnds = { ...own1, ...none, id: 4, version: 2, effectiveFrom: 250 };
const programEnds = { ...percent, ...none, id: 5, version: 3, effectiveFrom: 300 };

describe("the policy in force of the program or the partner", () => {
  const all = [ownEnds, program2, programEnds, own1, program1];

  it.each([
    [7, 99, 1],
    [7, 149, 1],
    [7, 150, 3],
    [7, 249, 3],
    [7, 250, 2],
    [7, 299, 2],
    [7, 300, undefined],
    [8, 0, 1],
    [8, 199, 1],
    [8, 200, 2],
    [8, 300, undefined],
  ])("the policy in force for partner %d at the instant %d has the id %s", (partnerId, at, id) => {
    expect(decides(all, partnerId, at)).toBe(id);
    expect(decides([...all].reverse(), partnerId, at)).toBe(id);
  });

  it("the policy in force is the partner's own, even if the program's policy has ended or never existed", () => {
    expect(decides([own1, programEnds], 7, 400)).toBe(3);
    expect(decides([own1], 7, 400)).toBe(3);
    expect(decides([own1], 7, 10)).toBe(3);
    expect(decides([own1], 8, 400)).toBeUndefined();
    expect(decides([own1, ownEnds], 7, 400)).toBeUndefined();
  });

  it("the policy in force is the later version if two versions start at the same time", () => {
    expect(decides([{ ...program2, effectiveFrom: 100 }, program1], 8, 100)).toBe(2);
  });
});

describe("the policy in force for a partner in a group", () => {
  const gold1 = { ...percent, id: 11, version: 11, groupId: 21, effectiveFrom: 160 };
  const goldEnds = { ...gold1, ...none, id: 12, version: 12, effectiveFrom: 260 };
  const silver1 = { ...percent, id: 13, version: 13, groupId: 22, effectiveFrom: 110 };
  const all = [goldEnds, own1, gold1, program1, silver1, ownEnds, programEnds, program2];
  const inGold = [{ groupId: 21, effectiveFrom: 0 }];

  it.each<[string, number, number, number | undefined]>([
    ["the program's, before any group policy begins", 7, 99, 1],
    ["the program's, before the policy of the partner's group begins", 8, 159, 1],
    ["the group's, from its start", 8, 160, 11],
    ["the group's, until its end", 8, 259, 11],
    ["the program's, after the group's has ended", 8, 260, 2],
    ["none, after the program's has ended too", 8, 300, undefined],
    ["the partner's own, which precedes the group's", 7, 170, 3],
    ["the group's, after the partner's own has ended", 7, 255, 11],
  ])("the policy in force for a partner in a group is %s", (_, partnerId, at, id) => {
    expect(decides(all, partnerId, at, inGold)).toBe(id);
    expect(decides([...all].reverse(), partnerId, at, inGold)).toBe(id);
  });

  it("the policy in force for a partner in a group is the group's, even after the program's policy has ended", () => {
    expect(decides([gold1, program1, programEnds], 8, 400, inGold)).toBe(11);
  });

  it("a policy also applies to sales before its start if no other policy applies, and a partner's own policy then precedes the group's", () => {
    expect(decides([gold1], 8, 10, inGold)).toBe(11);
    expect(decides([gold1, own1], 7, 10, inGold)).toBe(3);
    // The group's policy has begun, and the partner's own hasn't.
    expect(decides([silver1, own1], 7, 120, [{ groupId: 22, effectiveFrom: 0 }])).toBe(13);
    // The partner's own policy has ended, and the group's hasn't begun.
    expect(decides([{ ...gold1, effectiveFrom: 400 }, own1, ownEnds], 7, 300, inGold)).toBe(11);
    expect(decides([gold1, goldEnds], 8, 300, inGold)).toBeUndefined();
    expect(decides([gold1], 8, 10)).toBeUndefined();
  });

  it("the policy in force for a partner in a group is the policy of the group that the partner was in at the time of the sale", () => {
    const memberships = [
      { groupId: null, effectiveFrom: 230 },
      { groupId: 22, effectiveFrom: 0 },
      { groupId: 21, effectiveFrom: 180 },
    ];
    const versions = [program1, gold1, silver1];
    const at = (instant: number) => [groupAt(memberships, instant), decides(versions, 8, instant, memberships)];
    expect([50, 120, 179, 180, 229, 230].map(at)).toEqual([
      [22, 1],
      [22, 13],
      [22, 13],
      [21, 11],
      [21, 11],
      [null, 1],
    ]);
    expect(groupAt([], 50)).toBeNull();
    expect(groupAt([{ groupId: 21, effectiveFrom: 60 }], 50)).toBeNull();
  });
});
