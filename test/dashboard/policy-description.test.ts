import { expect, test } from "vitest";
import { noTerms } from "#domain/commission.ts";
import { loadModule } from "./load-module.ts";

test("the description of a policy applies its scope to the rules, and omits rules that the scope excludes", async () => {
  const { describePolicy } = await loadModule<{ describePolicy(policy: object): string }>("forms/policy.ts");
  const pro = { rateBps: 500, when: { productIds: ["pro"] } };
  const renewals = { rateBps: 750, when: { isRecurring: true } };
  const described = (scope: string, rules: readonly object[], more: object = { type: "percent", rateBps: 1_200 }) =>
    describePolicy({ ...noTerms, currency: "EUR", durationMonths: 12, holdDays: 0, scope, rules, ...more });
  expect(described("recurring", [pro])).toBe(
    "5% on pro; otherwise 12% of each sale; only for sales in the first 12 months; not held",
  );
  expect(described("one_time", [renewals])).toBe("12% of a customer's first sale, not held");
  expect(described("one_time", [renewals, pro], { type: "flat", amountCents: 900 })).toBe(
    "5% on pro; otherwise €9.00 for each sale; only for a customer's first sale; not held",
  );
  expect(described("recurring", [{ rateBps: 3_000, when: { withinMonths: 12 } }, pro])).toBe(
    "30% on everything else; only for sales in the first 12 months; not held",
  );
  expect(described("lifetime", [renewals])).toBe("7.5% on renewals; otherwise 12% of every sale; not held");
});
