import { expect, test } from "vitest";
import { type PayoutLine, TributaryProgram } from "../../sdk/src/program.ts";
import { creditStripeBalance } from "../../sdk/src/stripe.ts";
import { FakeService, FakeStripe, refuses } from "./fake-settlement.ts";

const apiKey = `svc_1_${"A".repeat(43)}`;

const clientOf = (service: FakeService) =>
  new TributaryProgram({
    apiKey,
    baseUrl: "https://service.example",
    fetch: service.fetch,
    onError: () => {},
    retries: 0,
  });

const customer = ({ externalId }: PayoutLine) => `cus_${externalId}`;

test("settlePayout settles each due payout line with the id that the caller's function returns", async () => {
  const service = new FakeService(120);
  const settled = await clientOf(service).settlePayout(7, ({ lineId }) => `credit-${lineId}`);
  expect(settled).toEqual({ ok: true, settled: 120, late: 0, left: [], failed: [], stopped: null });
  expect(service.settlements()).toEqual(service.lines.map(({ line_id }) => `credit-${line_id}`));
});

test("settlePayout continues after a payout line that fails or is skipped, and settles it when it runs again", async () => {
  const service = new FakeService(5);
  const client = clientOf(service);
  const broken = new Error("card declined");
  const first = await client.settlePayout(7, ({ lineId }) => {
    if (lineId === 2) throw broken;
    return lineId === 4 ? null : `c${lineId}`;
  });
  expect(first).toMatchObject({ ok: false, settled: 3, stopped: null });
  expect(first.left.map(({ lineId }) => lineId)).toEqual([4]);
  expect(first.failed).toEqual([{ line: expect.objectContaining({ lineId: 2 }), error: broken }]);
  expect(await client.settlePayout(7, ({ lineId }) => `c${lineId}`)).toMatchObject({ ok: true, settled: 2 });
  expect(service.settlements()).toEqual(["c1", "c2", "c3", "c4", "c5"]);
});

/** Runs `settlePayout` on five due lines, and returns the ids of the lines that its function was called for. */
async function settleFive(change: (service: FakeService, lineId: number) => Response | undefined) {
  const service = new FakeService(5);
  service.onReport = (lineId) => change(service, lineId);
  const credited: number[] = [];
  const settle = ({ lineId }: PayoutLine) => {
    credited.push(lineId);
    return `c${lineId}`;
  };
  const done = await clientOf(service).settlePayout(7, settle);
  return { service, settle, done, credited, failed: done.failed.map(({ line }) => line.lineId) };
}

test.each([
  ["of another run with another id", 409, refuses.differs],
  ["that doesn't exist any more", 404, refuses.missing],
  ["that waits after a restore", 409, refuses.restored],
  ["that the key may not settle", 403, refuses.unauthorized],
  ["that can't be reported for a minute", 503, refuses.unavailable],
])("settlePayout stops at a due line %s", async (_, status, response) => {
  const { done, credited, failed } = await settleFive((_service, lineId) => (lineId === 2 ? response() : undefined));
  expect(done).toMatchObject({ ok: false, settled: 1, stopped: { ok: false, status } });
  expect(done.stopped?.error.retryAfterSeconds).toBe(status === 503 ? 60 : null);
  expect([credited, failed]).toEqual([[1, 2], [2]]);
  expect(done.failed[0]?.error).toBe(done.stopped);
});

test("settlePayout reports a line that is no longer due because its payout waits for confirmation again, and settles no further line", async () => {
  const { done, credited, failed } = await settleFive((service, lineId) => {
    service.isWaiting = lineId === 2;
    return undefined;
  });
  expect(done).toMatchObject({ ok: false, settled: 1, stopped: null });
  expect(done.failed[0]?.error).toMatchObject({ status: 409, error: { details: { code: "not_due" } } });
  expect([credited, failed]).toEqual([[1, 2], [2]]);
});

test("settlePayout continues after a line that isn't due any more, and tries each line only once", async () => {
  const notDue = (_: FakeService, lineId: number) => (lineId % 2 === 0 ? refuses.notDue() : undefined);
  const { done, credited, failed } = await settleFive(notDue);
  expect(done).toMatchObject({ ok: false, settled: 3, stopped: null });
  expect([credited, failed]).toEqual([
    [1, 2, 3, 4, 5],
    [2, 4],
  ]);
});

test.each([
  ["continues after a line that was given back", [2], [1, 2, 3, 4, 5]],
  ["settles no line of a payout that was canceled", [2, 3, 4, 5], [1, 2]],
])("settlePayout %s before the line is reported", async (_, givenBack, expected) => {
  const { done, credited } = await settleFive((service, lineId) => {
    if (lineId === 2) for (const id of givenBack) service.giveBack(id);
    return undefined;
  });
  expect(done).toMatchObject({ ok: true, settled: expected.length, late: 1, failed: [], stopped: null });
  expect(credited).toEqual(expected);
});

test("settlePayout stops when the response to a report is lost, and the next run settles each line once", async () => {
  const { service, settle, done, credited } = await settleFive((of, lineId) => {
    if (lineId !== 2) return undefined;
    Object.assign(of.lines[1] ?? {}, { state: "settled", settlement_id: "c2" });
    throw new TypeError("fetch failed");
  });
  expect(done).toMatchObject({ ok: false, settled: 1, stopped: { status: 0, retryable: true } });
  expect(await clientOf(service).settlePayout(7, settle)).toMatchObject({ ok: true, settled: 3 });
  expect(credited).toEqual([1, 2, 3, 4, 5]);
  expect(service.settlements()).toEqual(["c1", "c2", "c3", "c4", "c5"]);
});

test.each([
  ["was never due", refuses.notDue, [2], null],
  ["was reported by another run with another id", refuses.differs, [2], null],
  ["waits after a restore", refuses.restored, [2, 3], 409],
])("settlePayout continues or stops after a given-back line that %s", async (_, response, left, stopped) => {
  const service = new FakeService(3);
  for (const lineId of [1, 2, 3]) service.giveBack(lineId);
  service.onReport = (lineId) => (lineId === 2 ? response() : undefined);
  const find = ({ lineId }: PayoutLine) => `c${lineId}`;
  const done = await clientOf(service).settlePayout(
    7,
    Object.assign(() => null, { find }),
  );
  expect([done.failed.map(({ line }) => line.lineId), done.stopped?.status ?? null]).toEqual([[2], stopped]);
  expect(service.settlements()).toEqual([1, 2, 3].map((id) => (left.includes(id) ? null : `c${id}`)));
});

test.each([
  ["is too long", "x".repeat(256), { ok: false, status: 400 }],
  ["is a placeholder", "null", expect.any(TypeError)],
])("settlePayout continues after a line whose settlement id %s", async (_, badId, error) => {
  const service = new FakeService(3);
  const done = await clientOf(service).settlePayout(7, ({ lineId }) => (lineId === 1 ? badId : `c${lineId}`));
  expect(done).toMatchObject({ ok: false, settled: 2, stopped: null, failed: [{ line: { lineId: 1 }, error }] });
  expect(service.settlements()).toEqual([null, "c2", "c3"]);
});

test("settlePayout reports each id that `find` returns for a given-back line once, and never settles a given-back line again", async () => {
  const service = new FakeService(60);
  for (let lineId = 1; lineId <= 55; lineId += 1) service.giveBack(lineId);
  const settledLines: number[] = [];
  const settle = ({ lineId }: PayoutLine) => {
    settledLines.push(lineId);
    return `c${lineId}`;
  };
  expect(await clientOf(service).settlePayout(7, settle)).toMatchObject({ ok: true, settled: 5, late: 0 });
  const looked: number[] = [];
  const broken = new Error("timeout");
  const find = ({ lineId }: PayoutLine) => {
    looked.push(lineId);
    if (lineId === 2) throw broken;
    return lineId === 1 || lineId === 55 ? `c${lineId}` : null;
  };
  const withFind = Object.assign(settle, { find });
  expect(await clientOf(service).settlePayout(7, withFind)).toEqual({
    ...{ ok: false, settled: 2, late: 2, left: [], stopped: null },
    failed: [{ line: expect.objectContaining({ lineId: 2 }), error: broken }],
  });
  expect(looked).toHaveLength(55);
  expect(await clientOf(service).settlePayout(7, withFind)).toMatchObject({ settled: 0, late: 0 });
  expect(looked).toHaveLength(55 + 53);
  expect(settledLines).toEqual([56, 57, 58, 59, 60]);
});

test("creditStripeBalance skips a line whose partner has no Stripe customer, and doesn't look for an earlier credit", async () => {
  const [service, stripe] = [new FakeService(2), new FakeStripe()];
  service.giveBack(1);
  const done = await clientOf(service).settlePayout(7, creditStripeBalance(stripe, { customer: () => null }));
  expect(done).toMatchObject({ ok: false, settled: 0, left: [{ lineId: 2 }], failed: [] });
  expect(stripe.calls).toEqual([]);
});

test("two deployments of creditStripeBalance with different prefixes don't find each other's credits", async () => {
  const stripe = new FakeStripe();
  for (const prefix of ["eu-", "us-"]) {
    const credit = creditStripeBalance(stripe, { customer, prefix });
    expect(await clientOf(new FakeService(1)).settlePayout(7, credit)).toMatchObject({ ok: true });
  }
  expect(stripe.creditsByLine()).toEqual({ "eu-1": 1, "us-1": 1 });
  expect(stripe.calls.map(([, , options]) => options)).toEqual([
    { idempotencyKey: "eu-1" },
    { idempotencyKey: "us-1" },
  ]);
});

test("creditStripeBalance credits the customer's balance, with the line's id as metadata and idempotency key", async () => {
  const [service, stripe] = [new FakeService(2), new FakeStripe()];
  expect(await clientOf(service).settlePayout(7, creditStripeBalance(stripe, { customer }))).toMatchObject({
    ok: true,
  });
  expect(stripe.calls).toEqual([
    ["cus_user-1", { amount: -1_001, currency: "eur", metadata: { tributary_line: "1" } }, { idempotencyKey: "1" }],
    ["cus_user-2", { amount: -1_002, currency: "eur", metadata: { tributary_line: "2" } }, { idempotencyKey: "2" }],
  ]);
  expect(service.settlements()).toEqual(["cbtxn_1", "cbtxn_2"]);
});

test.each(["late", "twice", "never", "lost"] as const)(
  'creditStripeBalance credits each line once despite the fault "%s" and forgotten idempotency keys',
  async (fault) => {
    const [service, stripe] = [new FakeService(12), new FakeStripe()];
    const client = clientOf(service);
    const credit = creditStripeBalance(stripe, { customer });
    stripe.fault = fault;
    await client.settlePayout(7, credit);
    stripe.forgetKeys();
    // The service has also lost some of the settlements.
    service.forget(3);
    stripe.fault = undefined;
    await client.settlePayout(7, credit);
    stripe.forgetKeys();
    expect(await client.settlePayout(7, credit)).toMatchObject({ ok: true, settled: 0 });
    expect(stripe.creditsByLine()).toEqual(Object.fromEntries(service.lines.map(({ line_id }) => [line_id, 1])));
    expect(service.settlements()).not.toContain(null);
  },
);

test("creditStripeBalance finds an earlier credit behind several pages of other transactions", async () => {
  const [service, stripe] = [new FakeService(1), new FakeStripe()];
  const credit = creditStripeBalance(stripe, { customer });
  await clientOf(service).settlePayout(7, credit);
  for (let i = 0; i < 250; i += 1) stripe.other("cus_user-1");
  service.forget(1);
  expect(await clientOf(service).settlePayout(7, credit)).toMatchObject({ ok: true, settled: 1 });
  expect(stripe.creditsByLine()).toEqual({ 1: 1 });
});

test("creditStripeBalance requires amountOf for a line in a unit that isn't a currency, and sends amounts in Stripe's smallest unit", async () => {
  const [service, stripe] = [new FakeService(1, "MONTHS"), new FakeStripe()];
  const client = clientOf(service);
  const without = await client.settlePayout(7, creditStripeBalance(stripe, { customer }));
  expect(String(without.failed[0]?.error)).toContain("amountOf is required");
  const amountOf = () => ({ amount: 900, currency: "EUR" });
  expect(await client.settlePayout(7, creditStripeBalance(stripe, { customer, amountOf }))).toMatchObject({ ok: true });
  expect(stripe.calls).toEqual([["cus_user-1", expect.objectContaining({ amount: -900 }), { idempotencyKey: "1" }]]);
  const krona = new FakeService(1, "ISK");
  await clientOf(krona).settlePayout(7, creditStripeBalance(stripe, { customer: () => "cus_isk" }));
  expect(stripe.calls.at(-1)).toEqual([
    "cus_isk",
    expect.objectContaining({ amount: -100_100 }),
    { idempotencyKey: "1" },
  ]);
});
