import { expect, test } from "vitest";
import { noTerms } from "#domain/commission.ts";
import { loadModule } from "./load-module.ts";

test("the description of a policy adds the names of rules and the hold period to the sentence that partners see", async () => {
  const { describePolicy } = await loadModule<{ describePolicy(policy: object): string }>("forms/policy-text.tsx");
  const terms = { ...noTerms, type: "percent", rateBps: 1_200, scope: "lifetime", holdDays: 0 };
  const described = (more: object) => describePolicy({ ...terms, ...more });
  expect(described({})).toBe("12% of each sale, not held");
  const rules = [{ rateBps: 500, when: { productIds: ["pro"] }, label: "Low margin" }];
  expect(described({ rules, holdDays: 30 })).toBe("12% of each sale; 5% on pro (Low margin); held for 30 days");
  const isRecurring = (value: boolean) => ({ rateBps: 500, when: { isRecurring: value } });
  expect(described({ rules: [isRecurring(true), isRecurring(false)] })).toBe(
    "5% on renewals; 5% on sales other than renewals; not held",
  );
  expect(described({ type: "flat", amountCents: 900, currency: "EUR" })).toBe(
    "€9.00 for each sale; only for sales in EUR; not held",
  );
  expect(described({ rules: [{ excluded: true, when: {} }] })).toBe("Nothing on any sale, not held");
  const launch = [{ rateBps: 3_000, when: {}, label: "Launch" }];
  expect(described({ rules: launch })).toBe("30% of each sale (Launch), not held");
  expect(described({ type: "none" })).toBe("None");
});
