import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { Unreachable } from "#engine/writer.ts";
import { FencedWriter } from "#ledger/fenced-writer.ts";
import { openDatabase } from "#store/database.ts";

interface Asked {
  readonly type: string;
  readonly batch?: { readonly steps: readonly unknown[] };
}
/** A response that rejects the whole batch, or the step with this index. */
type Refusal = { readonly code: string; readonly step?: number };

let server: Server | undefined;
let asked = 0;
afterEach(() => server?.close());

/** Starts a database server that rejects every batch as the protocol specifies. Returns its URL. */
async function refusing({ code, step }: Refusal): Promise<string> {
  const error = { message: "no", code };
  const resultOf = ({ type, batch }: Asked) => {
    if (type !== "batch") return { type: "ok", response: { type } };
    if (step === undefined) return { type: "error", error };
    const results = (batch?.steps ?? []).map((_, i) =>
      i < step ? { cols: [], rows: [], affected_row_count: 0 } : null,
    );
    const errors = results.map((_, i) => (i === step ? error : null));
    return { type: "ok", response: { type, result: { step_results: results, step_errors: errors } } };
  };
  asked = 0;
  const listening = createServer(async (incoming, outgoing) => {
    const text = Buffer.concat(await incoming.toArray()).toString();
    if (text === "") return outgoing.writeHead(200).end();
    asked += 1;
    const { requests } = JSON.parse(text) as { requests: readonly Asked[] };
    outgoing.writeHead(200, { "content-type": "application/json" });
    return outgoing.end(JSON.stringify({ baton: null, base_url: null, results: requests.map(resultOf) }));
  });
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(listening.address() as AddressInfo).port}`;
}

const statement = { sql: "select 1", args: [] };

describe("the fault of a database response is classified", () => {
  it.each<[string, Refusal, object]>([
    ["a lock by another connection", { code: "SQLITE_BUSY" }, { kind: "busy" }],
    ["a lock by another connection during the batch", { code: "SQLITE_BUSY_SNAPSHOT", step: 1 }, { kind: "busy" }],
    ["a locked table", { code: "SQLITE_LOCKED", step: 0 }, { kind: "busy" }],
    ["an account without permission", { code: "BLOCKED" }, { kind: "unable" }],
    ["a full disk", { code: "SQLITE_FULL", step: 2 }, { kind: "unable" }],
    ["a statement that violates a rule", { code: "SQLITE_CONSTRAINT", step: 1 }, { kind: "statement", index: 0 }],
    [
      "a statement that violates a rule, after others",
      { code: "SQLITE_CONSTRAINT", step: 2 },
      { kind: "statement", index: 1 },
    ],
    ["a failing disk, without a faulty statement", { code: "SQLITE_IOERR_WRITE", step: 1 }, { kind: "unable" }],
    ["a read-only disk", { code: "SQLITE_READONLY", step: 1 }, { kind: "unable" }],
    ["an unknown error", { code: "NEW_CODE" }, { kind: "unknown" }],
  ])("the fault of a database response is classified as %s: %j", async (_, refusal, fault) => {
    const database = openDatabase({ url: await refusing(refusal), authToken: undefined });
    await expect(database.write([statement, statement])).rejects.toMatchObject({ fault });
  });
});

describe("the writer", () => {
  let now = 0;
  const sleep = async (ms: number) => {
    now += ms;
  };
  const clock = { now: () => now, sleep, random: () => 0.5 };

  it.each<[string, Refusal, asked: number]>([
    ["doesn't retry a database that refuses to work", { code: "BLOCKED" }, 1],
    ["waits two seconds for a lock, at growing intervals", { code: "SQLITE_BUSY" }, 7],
  ])("the writer %s, and reports the database as unreachable", async (_, refusal, times) => {
    const writer = new FencedWriter(openDatabase({ url: await refusing(refusal), authToken: undefined }), clock);
    await expect(writer.claim()).rejects.toBeInstanceOf(Unreachable);
    expect(asked).toBe(times);
  });
});
