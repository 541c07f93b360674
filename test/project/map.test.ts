import { describe, expect, test } from "vitest";
import { capabilities } from "../../scripts/map/capabilities.ts";
import { ownerOf, productFiles, rulesOf, testFiles, testRulesOf } from "../../scripts/map/owner.ts";

describe("the map of capabilities", () => {
  const owners = productFiles().map((file) => ({ file, owner: ownerOf(file) }));

  test("the map of capabilities assigns each file of the product to exactly one capability", () => {
    expect(owners.length).toBeGreaterThan(1_000);
    expect(owners.filter(({ owner }) => owner === undefined).map(({ file }) => file)).toEqual([]);
  });

  test("the map of capabilities has no rule that matches no file", () => {
    const used = new Set(owners.map(({ owner }) => `${owner?.capability.name}: ${owner?.rule}`));
    const rules = capabilities.flatMap((each) => rulesOf(each).map((rule) => `${each.name}: ${rule}`));
    expect(rules.filter((rule) => !used.has(rule))).toEqual([]);
  });

  test("the map of capabilities has no rule for tests that matches no test", () => {
    const used = new Set(testFiles().map((file) => ownerOf(file)?.rule));
    expect(capabilities.flatMap(testRulesOf).filter((rule) => !used.has(rule))).toEqual([]);
  });

  test("the map of capabilities has no duplicate name or rule", () => {
    const names = capabilities.map(({ name }) => name);
    const rules = capabilities.flatMap((each) => [...rulesOf(each), ...testRulesOf(each)]);
    expect([new Set(names).size, new Set(rules).size]).toEqual([names.length, rules.length]);
  });

  test.each([
    ["src/operations/payouts/finalize-payout.ts", "payouts"],
    ["dashboard/src/partner/pages/payouts.tsx", "payouts"],
    ["src/doors/member/commissions.ts", "commissions"],
    ["src/operations/track/record-sale.ts", "tracking"],
    ["sdk/cli/explain/command.ts", "explain"],
    ["src/engine/round.ts", "rounds"],
    ["scripts/audit/payouts.ts", "audit"],
    ["test/importer/dates.test.ts", "import and export"],
    ["test/http/imported-rows.test.ts", "import and export"],
  ])("the map of capabilities assigns the file %s to %s", (file, name) => {
    expect([...productFiles(), ...testFiles()]).toContain(file);
    expect(ownerOf(file)?.capability.name).toBe(name);
  });
});
