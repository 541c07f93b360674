import { expect, test } from "vitest";
import type { TributaryClient } from "../../sdk/src/index.ts";
import { createTestClient, testFailure } from "../../sdk/src/testing.ts";

const customer = { customerExternalId: "u" };
const sale = { ...customer, amount: 1, invoiceId: "i" };

test("every call of a test client succeeds, and is recorded in order with its arguments", async () => {
  const double = createTestClient();
  const client: TributaryClient = double;
  const options = { retries: 0 };
  const results = [
    await client.trackLead(customer, options),
    await client.trackSale(sale),
    await client.trackTestSale(sale),
    await client.trackRefund({ invoiceId: "i" }),
    await client.trackClick({ affiliateUrl: "https://shop.example/?aff=a" }),
    await client.getOffer(customer),
    await client.readiness(),
    await client.runVerification(),
  ];
  expect(results.map(({ ok, status }) => [ok, status])).toEqual(results.map(() => [true, 200]));
  expect(double.calls).toEqual([
    { method: "trackLead", arguments: [customer, options] },
    { method: "trackSale", arguments: [sale] },
    { method: "trackTestSale", arguments: [sale] },
    { method: "trackRefund", arguments: [{ invoiceId: "i" }] },
    { method: "trackClick", arguments: [{ affiliateUrl: "https://shop.example/?aff=a" }] },
    { method: "getOffer", arguments: [customer] },
    { method: "readiness", arguments: [] },
    { method: "runVerification", arguments: [] },
  ]);
  expect(double.problems).toEqual([]);
});

test("a method of a test client can be overridden, and failures reach onError as with the real client", async () => {
  const failure = testFailure();
  const double = createTestClient({ programId: 7, trackSale: async () => failure });
  expect(double.programId).toBe(7);
  expect(await double.readiness()).toMatchObject({ ok: true, data: { programId: 7 } });
  expect(await double.trackSale(sale)).toBe(failure);
  const message = "ServiceUnavailableError";
  expect(double.problems).toEqual([{ source: "sale", message, failure }]);
  const heard: unknown[] = [];
  await double.trackSale(sale, { onError: (problem) => void heard.push(problem) });
  expect(heard).toEqual([...double.problems]);
  double.report({ source: "stripe", message: "in_1" });
  expect(double.problems).toHaveLength(2);
});

test.each<[Parameters<typeof testFailure>, object]>([
  [[], { status: 503, retryable: true, error: { name: "ServiceUnavailableError" } }],
  [[400, "BadRequestError"], { status: 400, retryable: false, error: { name: "BadRequestError" } }],
  [[401, "UnauthorizedError", true], { status: 401, retryable: true }],
])("testFailure(%j) returns a failure", (args, expected) => {
  expect(testFailure(...args)).toMatchObject({ ok: false, data: null, requestId: null, ...expected });
});
