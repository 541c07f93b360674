import { describe, expect, test } from "vitest";
import { mostRequests, mostUnsignedAMinute, requestsKeptMs } from "#domain/request-log.ts";
import { type StoredCall, StoredCalls } from "#requests/stored-calls.ts";
import { memoryStorage } from "../../scripts/sample/node-ledger.ts";

const now = Date.UTC(2026, 10, 20, 12);
const minuteMs = 60_000;

const call = (more: Partial<StoredCall> = {}): StoredCall => ({
  ...{ requestId: "request", at: now, route: "/api/v1/track/sale", keyHash: "hash", status: 200, code: null },
  ...{ outcome: "recorded", isTest: false, transactionId: null, customerDigest: null },
  ...more,
});

const open = () => new StoredCalls(memoryStorage());
const idsOf = (calls: StoredCalls, filter = {}) => calls.list(filter, undefined, 100).map(({ requestId }) => requestId);

describe("a request log", () => {
  test("a request log lists calls by time, newest first, in pages", () => {
    const calls = open();
    calls.add([3, 1, 2, 2].map((at) => call({ requestId: `at ${at}`, at })));
    expect(idsOf(calls)).toEqual(["at 3", "at 2", "at 2", "at 1"]);
    const [, second] = calls.list({}, undefined, 2);
    expect(calls.list({}, second, 2).map(({ at }) => at)).toEqual([2, 1]);
  });

  test("a request log finds calls by each of its filters, and by all filters combined", () => {
    const calls = open();
    calls.add([call({ requestId: "a", transactionId: "t1", customerDigest: "digest" })]);
    calls.add([call({ requestId: "b", transactionId: "t2", outcome: "refused", at: now - 1 })]);
    calls.add([call({ requestId: "c", route: "/api/v1/track/lead", customerDigest: "digest", at: now - 2 })]);
    expect(idsOf(calls, { requestIds: ["b", "x"] })).toEqual(["b"]);
    expect(idsOf(calls, { transactionIds: ["t1"] })).toEqual(["a"]);
    expect(idsOf(calls, { customerDigest: "digest" })).toEqual(["a", "c"]);
    expect(idsOf(calls, { outcome: "refused" })).toEqual(["b"]);
    expect(idsOf(calls, { route: "/api/v1/track/lead" })).toEqual(["c"]);
    expect(idsOf(calls, { from: now - 1 })).toEqual(["a", "b"]);
    expect(idsOf(calls, { to: now })).toEqual(["b", "c"]);
    expect(idsOf(calls, { customerDigest: "digest", to: now })).toEqual(["c"]);
  });

  test("a request log keeps the newest calls, and counts the older calls that it drops for lack of room", () => {
    const calls = open();
    calls.add(Array.from({ length: mostRequests + 3 }, (_, i) => call({ requestId: String(i), at: now + i })));
    calls.keepNewest(now + mostRequests);
    expect(calls.droppedSince(now)).toBe(3);
    expect(idsOf(calls, { requestIds: ["2", "3"] })).toEqual(["3"]);
    expect(idsOf(calls, { to: now + 4 })).toEqual(["3"]);
  });

  test("a request log removes old calls and old counts of dropped calls", () => {
    const calls = open();
    calls.add([call({ requestId: "old", at: now - requestsKeptMs - 1 })]);
    calls.add([call({ requestId: "new", at: now - 5 })]);
    calls.drop(4, now - requestsKeptMs - 2 * requestsKeptMs);
    calls.drop(2, now);
    expect(calls.removeOld(now)).toBe(now - 5 + requestsKeptMs);
    expect([idsOf(calls), calls.droppedSince(0)]).toEqual([["new"], 2]);
    expect(calls.removeOld(now + requestsKeptMs)).toBeUndefined();
  });

  test("a request log keeps only a limited number of calls without a key in each minute", () => {
    const calls = open();
    const unsigned = (at: number) => calls.add([call({ keyHash: null, at })]);
    calls.add(Array(mostUnsignedAMinute - 2).fill(call({ keyHash: null })));
    calls.add(Array(7).fill(call({ keyHash: null })));
    calls.add([call()]);
    expect(idsOf(calls)).toHaveLength(mostUnsignedAMinute + 1);
    unsigned(now + minuteMs);
    expect(idsOf(calls)).toHaveLength(mostUnsignedAMinute + 2);
  });

  test("a request log erases a customer's calls, and no others", () => {
    const calls = open();
    const others = call({ requestId: "other", transactionId: "t9", customerDigest: "another" });
    calls.add([call({ requestId: "anna-1", transactionId: "t-anna", customerDigest: "anna's" })]);
    calls.add([others]);
    const erasing = {
      id: (text: string) => text.replace("anna", "erased"),
      isTheirs: (text: string) => text === "anna's",
    };
    expect(calls.listPerson(erasing)).toMatchObject([{ requestId: "anna-1", transactionId: "t-anna" }]);
    calls.erase(erasing);
    expect(calls.listPerson(erasing)).toEqual([]);
    expect(calls.list({}, undefined, 9)).toMatchObject([
      { requestId: "other", transactionId: "t9" },
      { requestId: "erased-1", transactionId: "t-erased" },
    ]);
    expect(idsOf(calls, { customerDigest: "anna's" })).toEqual([]);
    expect(idsOf(calls, { customerDigest: "another" })).toEqual(["other"]);
  });
});
