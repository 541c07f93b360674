import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { mintProgramKey } from "#domain/program-key.ts";
import { home } from "#domain/shard.ts";
import { bufferCall } from "#http/call-buffer.ts";
import type { Ctx } from "#http/context.ts";
import type { CallBatch, NotedCall, RequestLogRpc } from "#requests/rpc.ts";
import { programId, type Script, service } from "./service.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const sale = { transaction_id: "t1", amount_cents: 100, customer_key: "u1" };
const call = {
  ...{ requestId: "request", at: 1, route: "/api/v1/track/sale", keyHash: "hash", status: 200, code: null },
  ...{ outcome: "recorded", isTest: false, transactionId: "t1", customerKey: "u1" },
} as const satisfies NotedCall;
async function second(): Promise<void> {
  await vi.dynamicImportSettled();
  await vi.advanceTimersByTimeAsync(1_000);
}

/** Opens a service whose log receives each batch with the next of `adds`, and all further batches with the last. */
function open(script: Script = {}, ...adds: RequestLogRpc["add"][]) {
  const batches: (Omit<CallBatch, "calls"> & { readonly calls: readonly NotedCall[] })[] = [];
  const none = () => Promise.reject(new Error("no tracking call reads the log"));
  const log: RequestLogRpc = {
    add: async (batch) => {
      batches.push({ ...batch, calls: batch.calls.map((each) => JSON.parse(each)) });
      await adds[Math.min(batches.length, adds.length) - 1]?.(batch);
    },
    ...{ list: none, listPerson: none, erase: none },
  };
  const named: string[] = [];
  const idFromName = (name: string) => {
    named.push(name);
    return name as unknown as DurableObjectId;
  };
  const api = service({ ...script, env: { REQUEST_LOG: { idFromName, get: () => log } } });
  return { ...api, batches, named };
}

test("the calls of one second are sent to their program's log in one batch, after their responses", async () => {
  const { sale: send, batches, named } = open();
  for (let i = 0; i < 3; i += 1) expect((await send(sale)).status).toBe(200);
  expect(batches).toEqual([]);
  await second();
  expect(named).toEqual([`ledger-test/program/${programId}`]);
  expect(batches).toMatchObject([{ programId, shard: 0, dropped: 0, hasErased: false }]);
  expect(batches[0]?.calls).toHaveLength(3);
  expect(batches[0]?.calls[0]).toMatchObject({
    ...{ route: "/api/v1/track/sale", status: 200, outcome: "recorded", code: null, isTest: false },
    ...{ transactionId: "t1", customerKey: "u1", keyHash: expect.stringMatching(/^[0-9a-f]{64}$/) },
  });
  await second();
  expect(batches).toHaveLength(1);
});

/** Buffers calls for the log directly, without sending them to the service. */
function buffer({ env, context: executionCtx }: ReturnType<typeof open>, count: number): void {
  const c = { env, executionCtx, get: () => "request" } as unknown as Ctx;
  const noted = { programId, shard: home, hasErased: false };
  for (let i = 0; i < count; i += 1) bufferCall(c, noted, call);
}

test("calls are sent to the log without waiting for the second to end once a thousand of them are buffered", async () => {
  const opened = open();
  const { batches } = opened;
  buffer(opened, 1_050);
  expect(batches.map(({ calls }) => calls.length)).toEqual([1_000]);
  await second();
  expect(batches.map(({ calls }) => calls.length)).toEqual([1_000, 50]);
});

test("calls succeed even if their batch of log entries can't be sent, and the next batch reports how many entries were dropped", async () => {
  const fails = () => Promise.reject(new Error("the object was reset"));
  const { sale: send, batches } = open({}, fails, async () => {});
  await send(sale);
  await send(sale);
  await second();
  expect((await send(sale)).status).toBe(200);
  await second();
  expect(batches.map(({ calls, dropped }) => [calls.length, dropped])).toEqual([
    [2, 0],
    [1, 2],
  ]);
});

test("while the log doesn't respond, a limited number of calls is buffered, and the others are counted as dropped", async () => {
  const opened = open({}, () => new Promise<void>(() => {}));
  const { batches } = opened;
  buffer(opened, 4_003);
  expect(batches.map(({ calls }) => calls.length)).toEqual([1_000, 1_000]);
  await second();
  expect(batches.at(-1)).toMatchObject({ dropped: 3 });
  expect(batches.at(-1)?.calls).toHaveLength(2_000);
});

test("a call isn't logged if it is from a browser, names an unknown program or has no key", async () => {
  const { lead, click, sale: send, batches } = open({ meta: { programId: undefined }, key: { code: "invalid_key" } });
  await lead({ customer_key: "u1", program_id: programId });
  await click({ affiliate_url: 5, program_id: programId });
  await send({ ...sale, amount_cents: 0 }, { key: mintProgramKey(99, new Uint8Array(32)) });
  await send(sale, { headers: { Authorization: "" } });
  await second();
  expect(batches).toEqual([]);
});

test("calls with a wrong API key are logged without the key's program, up to a limit of calls", async () => {
  const { sale: send, batches } = open({ sale: { code: "invalid_key" } });
  for (let i = 0; i < 12; i += 1) await send(sale);
  await second();
  expect(batches[0]?.calls.map(({ keyHash }) => keyHash)).toEqual(Array(10).fill(null));
});

test("a call above its rate limit is logged under its key if the key was valid in a call shortly before", async () => {
  const pastLimit: string[] = [];
  const { sale: send, batches } = open({ pastLimit });
  await send(sale);
  pastLimit.push("SALE_LIMIT");
  expect((await send(sale)).status).toBe(429);
  await second();
  expect(batches[0]?.calls.map(({ keyHash, code }) => [keyHash === null, code])).toEqual([
    [false, null],
    [false, "rate_limited"],
  ]);
});

test("a batch of log entries states whether the program has erased customers", async () => {
  const { sale: send, batches } = open({ meta: { hasErased: true } });
  await send(sale);
  await second();
  expect(batches[0]).toMatchObject({ hasErased: true });
});

test("a call succeeds even if logging fails", async () => {
  const context = { get: () => Promise.reject(new Error("unused")) } as never;
  const broken = () => {
    throw new Error("no such object");
  };
  const { sale: send, lines } = service({ env: { REQUEST_LOG: { idFromName: broken, get: () => context } } });
  expect((await send(sale)).status).toBe(200);
  await second();
  expect((await send(sale)).status).toBe(200);
  expect(lines().join()).toContain("no such object");
});
