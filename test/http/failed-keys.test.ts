import { describe, expect, onTestFinished, test, vi } from "vitest";
import { mintProgramKey } from "#domain/program-key.ts";
import { programId, service } from "./service.ts";

const sale = { transaction_id: "t1", amount_cents: 100, customer_key: "u1" };
const from = (address: string) => ({ headers: { "CF-Connecting-IP": address } });
const whoOf = (counted: readonly { readonly limit: string; readonly who: string }[], name: string) =>
  counted.filter(({ limit }) => limit === name).map(({ who }) => who);
const noAddress = expect.stringMatching(/^tributary [0-9a-f]{64}$/);

describe("wrong keys", () => {
  test.each([
    ["a key in another format", { key: "nonsense" }, {}],
    ["a key that was never issued", {}, { sale: { code: "invalid_key" } }],
  ] as const)("calls with wrong keys are counted by address: %s", async (_, sent, script) => {
    const { sale: send, counted } = service(script);
    expect((await send(sale, { ...sent, ...from("192.0.2.7") })).status).toBe(401);
    expect(counted.at(-1)).toEqual({ limit: "FAILED_KEY_LIMIT", who: noAddress });
  });

  test("calls with wrong keys return 429 above the limit", async () => {
    const { sale: send } = service({ sale: { code: "invalid_key" }, pastLimit: ["FAILED_KEY_LIMIT"] });
    expect((await send(sale)).status).toBe(429);
  });

  test("calls with wrong keys from an address above the limit are refused for a minute without calling the Ledger", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const { sale: send, calls, counted } = service({ sale: { code: "invalid_key" }, pastLimit: ["FAILED_KEY_LIMIT"] });
    const first = from("192.0.2.7");
    for (const address of [first, first, from("192.0.2.8")]) expect((await send(sale, address)).status).toBe(429);
    expect(calls).toHaveLength(2);
    expect(whoOf(counted, "SALE_LIMIT")).toHaveLength(2);
    vi.setSystemTime(Date.now() + 60_000);
    expect((await send(sale, first)).status).toBe(429);
    expect(calls).toHaveLength(3);
  });

  test("calls with wrong keys are refused for all addresses of an IPv6 /48 network that is above its limit", async () => {
    const { sale: send, calls } = service({ sale: { code: "invalid_key" }, pastLimit: ["FAILED_KEY_SITE_LIMIT"] });
    for (const address of ["2001:db8:1:1::1", "2001:db8:1:2::1", "2001:db8:2:1::1"]) await send(sale, from(address));
    expect(calls).toHaveLength(2);
  });

  test("calls with wrong keys don't block a key that has already worked, even from the same address", async () => {
    const { sale: send, refund, calls } = service({ refund: { code: "invalid_key" }, pastLimit: ["FAILED_KEY_LIMIT"] });
    const wrong = { key: mintProgramKey(programId, new Uint8Array(32).fill(2)) };
    expect((await send(sale)).status).toBe(200);
    expect((await refund({ transaction_id: "t1" }, wrong)).status).toBe(429);
    expect((await send(sale, wrong)).status).toBe(429);
    expect(calls).toHaveLength(2);
    expect((await send(sale)).status).toBe(200);
  });

  test("a sale with a valid key is never refused by the limit on wrong keys", async () => {
    expect((await service({ pastLimit: ["FAILED_KEY_LIMIT"] }).sale(sale)).status).toBe(200);
  });

  test("missing and retired keys don't count as wrong keys", async () => {
    const { sale: send, send: call, counted } = service({ sale: { code: "key_retired", retiredAt: 0 } });
    await send(sale);
    await call({ path: "/api/v1/track/sale", body: sale });
    expect(counted.map(({ limit }) => limit)).not.toContain("FAILED_KEY_LIMIT");
  });
});
