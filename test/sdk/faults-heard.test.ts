import { expect, onTestFinished, test, vi } from "vitest";
import { type TrackingProblem, Tributary } from "../../sdk/src/index.ts";
import { apiKey, good, misbehaving, order, recorded } from "./misbehaving.ts";
import { answer, refusal } from "./server-that.ts";

test("onError gets each failed call once, after its last attempt and with its result, and gets no successes", async () => {
  const repeat = { ...recorded, same_request: true, differences: [] };
  const conflict = { error: { status: 409, name: "ConflictError", message: "Duplicate.", details: repeat } };
  const { calls, client, problems } = await misbehaving(good, answer(409, conflict), refusal(503, "No."));
  const tributary = client({ retries: 1 });
  expect(await tributary.trackSale(order)).toMatchObject({ ok: true });
  expect(await tributary.trackSale(order)).toMatchObject({ ok: true, duplicate: true });
  expect(await tributary.trackSale({ ...order, amount: 0 })).toMatchObject({ ok: true, skipped: true });
  expect(problems).toEqual([]);
  const results = {
    sale: await tributary.trackSale(order),
    lead: await tributary.trackLead({ customerExternalId: "u" }),
    refund: await tributary.trackRefund({ invoiceId: "i" }),
    click: await tributary.trackClick({ affiliateUrl: "https://shop.example/?aff=a" }),
    readiness: await tributary.readiness(),
    verification: await tributary.runVerification(),
  };
  expect(problems).toEqual(Object.entries(results).map(([source, failure]) => ({ source, message: "No.", failure })));
  expect(calls).toHaveLength(2 + 5 * 2 + 1);
});

test("a call's onError replaces the client's", async () => {
  const { client, problems } = await misbehaving(refusal(400, "No."));
  const own: TrackingProblem[] = [];
  await client().trackSale(order, { onError: (problem) => void own.push(problem) });
  expect(own).toMatchObject([{ source: "sale", message: "No.", failure: { status: 400 } }]);
  expect(problems).toEqual([]);
});

test("a failure that isn't awaited is logged to the console by default, without the key", async () => {
  const error = vi.spyOn(console, "error").mockImplementation(() => {});
  onTestFinished(() => error.mockRestore());
  const { baseUrl } = await misbehaving(refusal(401, "No."));
  const tributary = new Tributary({ apiKey, baseUrl });
  void tributary.trackLead({ customerExternalId: "user-1" });
  await expect.poll(() => error.mock.calls).toHaveLength(1);
  tributary.report({ source: "stripe", message: "in_1 has no customer" });
  await expect.poll(() => error.mock.calls).toHaveLength(2);
  expect(error.mock.calls).toEqual([["tributary: lead: No."], ["tributary: stripe: in_1 has no customer"]]);
});

test("report passes a problem to onError, and ignores errors that onError throws", async () => {
  const { client, problems } = await misbehaving(good);
  const problem: TrackingProblem = { source: "stripe", message: "in_1 has no customer" };
  client().report(problem);
  client({
    onError: () => {
      throw new Error("listener");
    },
  }).report(problem);
  await expect.poll(() => problems).toEqual([problem]);
});

test("the client doesn't repeat a warning, but remembers only about the newest 1,000 warnings", async () => {
  const details = { ...recorded, same_request: false, differences: ["currency"] };
  const body = JSON.stringify({ error: { status: 409, name: "ConflictError", message: "Duplicate.", details } });
  const fetch = async () => ({ status: 409, headers: new Headers(), text: async () => body });
  const heard: string[] = [];
  const onWarning = ({ message }: { message: string }) => void heard.push(message);
  const tributary = new Tributary({ apiKey, baseUrl: "http://127.0.0.1:1", fetch, onWarning });
  for (let i = 0; i < 1_100; i += 1) await tributary.trackSale({ ...order, invoiceId: `i${i}` });
  await tributary.trackSale({ ...order, invoiceId: "i1099" });
  expect(heard).toHaveLength(1_100);
  await tributary.trackSale({ ...order, invoiceId: "i0" });
  expect(heard).toHaveLength(1_101);
});

test("an onWarning that throws or rejects doesn't affect the call", async () => {
  const { client } = await misbehaving(answer(200, { ...recorded, warnings: [{ message: "Rotate." }] }));
  const heard: string[] = [];
  for (const fail of [
    () => {
      throw new Error("listener");
    },
    () => Promise.reject(new Error("listener")),
  ]) {
    const onWarning = ({ message }: { message: string }) => {
      heard.push(message);
      return fail();
    };
    expect(await client({ onWarning }).trackSale(order)).toMatchObject({ ok: true });
  }
  expect(heard).toEqual(["Rotate.", "Rotate."]);
});

test("without onWarning, warnings go to console.warn", async () => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  const { client } = await misbehaving(answer(200, { ...recorded, warnings: [{ message: "Rotate." }] }));
  const tributary = client();
  await tributary.trackSale(order);
  await tributary.trackSale(order);
  expect(warn.mock.calls).toEqual([["tributary: Rotate."]]);
});
