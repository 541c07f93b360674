import { createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createRateLimit } from "../../../runtime/limits.ts";
import {
  callsTo,
  performOn,
  readingHere,
  remoteLimit,
  remoteObjects,
  serveCalls,
} from "../../../runtime/node/object-calls.ts";
import { SqlError } from "../../../runtime/node/sql-connection.ts";
import { uniqueWord } from "../../support/unique-word.ts";

const token = "t";

const objects = {
  idFromName: (name: string) => name,
  get: (name: string) => ({
    echo: async (...args: readonly unknown[]) => [name, ...args],
    fail: async (flags: unknown) => {
      throw Object.assign(new Error("it failed"), flags);
    },
  }),
};
const writes: unknown[] = [];
const database = {
  batch: async (...args: readonly unknown[]) => {
    writes.push(args);
    throw new SqlError("UNIQUE constraint failed", "SQLITE_CONSTRAINT", 1);
  },
};

async function served(): Promise<string> {
  const path = join(tmpdir(), `${uniqueWord()}.sock`);
  const others = { LIMIT: createRateLimit({ limit: 2, period: 60 }, () => 0), DATABASE_0: database };
  const server = serveCalls(performOn({ LEDGER: objects }, others), token);
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  return path;
}

const ledgerAt = (path: string) => {
  const namespace = remoteObjects("LEDGER", callsTo(path, token));
  return namespace.get(namespace.idFromName("a/1"));
};

it("arguments and return values of calls between processes are passed unchanged", async () => {
  const ledger = ledgerAt(await served());
  const value = {
    none: undefined,
    at: new Date(0),
    map: new Map([[1, "é"]]),
    bytes: new Uint8Array([1]),
    big: 2n ** 60n,
  };
  expect(await ledger.echo?.(value, undefined)).toStrictEqual(["a/1", value, undefined]);
});

it.each([[{}], [{ retryable: true }], [{ overloaded: true }], [{ retryable: true, durableObjectReset: true }]])(
  "an error is passed between processes with its flags: %j",
  async (flags) => {
    const error = await ledgerAt(await served())
      .fail?.(flags)
      .catch((error: unknown) => error);
    expect(error).toMatchObject({ message: "it failed", ...flags });
    expect(Object.keys(error as object).sort()).toEqual([...Object.keys(flags), "remote"].sort());
  },
);

it("a caller receives a retryable error if the other process doesn't respond", async () => {
  const ledger = ledgerAt(join(tmpdir(), `${uniqueWord()}.sock`));
  await expect(ledger.echo?.()).rejects.toMatchObject({ retryable: true });
});

it("a rate limit is counted in one process for the calls to both processes", async () => {
  const limit = remoteLimit("LIMIT", callsTo(await served(), token));
  const outcomes = [await limit.limit({ key: "a" }), await limit.limit({ key: "a" }), await limit.limit({ key: "a" })];
  expect(outcomes).toEqual([{ success: true }, { success: true }, { success: false }]);
});

it("a process runs database reads by itself, and sends database writes to the other process, whose refusals it returns", async () => {
  const reader = { batch: async () => [[["read here"]]] };
  const batches = readingHere("DATABASE_0", reader, callsTo(await served(), token));
  const statement = { sql: "insert", args: ["a"], listed: () => ({ sql: "", args: [] }) };
  expect(await batches.batch([statement], "read", 1_000)).toEqual([[["read here"]]]);
  const refused = batches.batch([statement], "write", 1_000);
  await expect(refused).rejects.toMatchObject({ code: "SQLITE_CONSTRAINT", statementIndex: 1 });
  expect(writes).toEqual([[[{ sql: "insert", args: ["a"] }], "write", 1_000]]);
});

it.each([
  { binding: "LEDGER", name: "a", method: "constructor" },
  { binding: "LEDGER", name: "a", method: "nothing" },
  { binding: "toString", name: "a", method: "call" },
  { binding: "LIMIT", method: "toString" },
  { binding: "nothing", method: "limit" },
])("a call from another process is refused if it isn't for a method of a binding: %j", async (call) => {
  const perform = callsTo(await served(), token);
  await expect(perform({ ...call, args: [] })).rejects.toThrow(`${call.binding} has no ${call.method}`);
});

it("calls between processes are accepted only with the token", async () => {
  const path = await served();
  const status = await new Promise((resolve) =>
    request({ socketPath: path, method: "POST", headers: { "x-tributary-token": "guess" } }, ({ statusCode }) =>
      resolve(statusCode),
    ).end(),
  );
  expect(status).toBe(403);
  const wrong = callsTo(path, "guess");
  await expect(wrong({ binding: "LIMIT", method: "limit", args: [] })).rejects.toThrow("403");
});

it("a call fails if an unrelated server listens on the other process's socket", async () => {
  const path = join(tmpdir(), `${uniqueWord()}.sock`);
  const server = createServer((_, outgoing) => outgoing.end("not ours"));
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(() => void server.close());
  await expect(ledgerAt(path).echo?.()).rejects.toThrow();
});
