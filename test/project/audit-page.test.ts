import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { acrossRules, erasedAgain, foreignAddress } from "../../scripts/audit/across-rules.ts";
import { allRules } from "../../scripts/audit/ledger.ts";
import { meanings } from "../../scripts/audit/meanings/meanings.ts";
import { withRules } from "../../scripts/audit/meanings/page.ts";
import { root } from "../../scripts/root.ts";

it("each rule of the audit has one description and one remedy", () => {
  const rules = [...allRules, ...Object.values(acrossRules), erasedAgain, foreignAddress];
  expect([...meanings.keys()].toSorted()).toEqual(rules.toSorted());
});

it("docs/audit.md lists each rule with its description and remedy, exactly as npm run audit:page writes the page", async () => {
  const page = await readFile(join(root, "docs/audit.md"), "utf8");
  for (const [rule, [means]] of meanings) expect(page).toContain(`| ${rule} | ${means} | [`);
  expect(withRules(page)).toBe(page);
});
