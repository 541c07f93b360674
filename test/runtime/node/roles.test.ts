import { expect, test } from "vitest";
import { isOfLedger, isOfLedgersLimits } from "../../../runtime/node/roles.ts";

test.each([
  ["/api/v1/track/click", true],
  ["/api/v1/track/sale?x=1", true],
  ["/js/svc-tracker.js", true],
  ["/healthz", true],
  ["/readyz?x=/api", true],
  ["/api/v1/programs/me/readiness", true],
  ["/api/v1/programs/me/payouts/1/lines/2/settle", true],
  ["/api/v1/programs/me/payouts/1/lines/2/fail", false],
  ["/api/v1/programs/me/payouts/1/lines", false],
  ["/api/v1/programs/me/partners", false],
  ["/app/", false],
  ["/", false],
  ["*", false],
  ["/js/../api/auth/sign-in/email", false],
  ["/api/v1/track/%2e%2e/%2E%2E/session", false],
  ["/js/.%2E/api", false],
  ["/js%2f..%2fapi", false],
  ["/js\\..\\api", false],
  ["//js/x", false],
  ["http://a.example/api/v1/track/click", false],
])("the ledger process serves %s: %s", (target, isIts) => {
  expect(isOfLedger(target)).toBe(isIts);
});

test("the ledger process counts the limits of calls that it serves", () => {
  expect(["CLICK_LIMIT", "CLICK_SITE_LIMIT", "FAILED_KEY_LIMIT", "SALE_LIMIT"].every(isOfLedgersLimits)).toBe(true);
  expect(["ACCESS_LIMIT", "USER_READ_LIMIT", "IMPORT_LIMIT"].some(isOfLedgersLimits)).toBe(false);
});
