import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { crowded, withinPatience } from "#http/unfinished-bodies.ts";
import { service } from "./service.ts";

const kib = 1024;
const ends: (() => void)[] = [];
const opened: Promise<unknown>[] = [];

/** Opens requests whose bodies arrive only at the end of the test. */
function open(count: number, sender: (i: number) => string): void {
  for (let i = 0; i < count; i += 1) {
    const { promise, resolve } = Promise.withResolvers<void>();
    ends.push(resolve);
    opened.push(withinPatience(() => promise, { sender: sender(i), bytes: kib, isShort: true }));
  }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
});
afterEach(async () => {
  for (const end of ends.splice(0)) end();
  await Promise.all(opened.splice(0));
  vi.useRealTimers();
});

const afterMs = <T>(ms: number, value: T) => new Promise<T>((resolve) => setTimeout(resolve, ms, value));

const ofMany = (i: number) => `sender ${i}`;
const busy = 400;
const full = 480;
const never = new Promise<never>(() => {});

it("the service waits for the rest of a slow request body while few bodies are pending", async () => {
  open(100, ofMany);
  const waited = withinPatience(() => afterMs(9_000, "late"), { sender: "new", bytes: kib, isShort: true });
  await vi.advanceTimersByTimeAsync(9_000);
  expect(await waited).toBe("late");
});

it("while many request bodies are pending, the service refuses the oldest of a sender with more than eight, and waits for the others", async () => {
  open(busy, (i) => (i < 10 ? "of many" : ofMany(i)));
  const late = afterMs(900, "late");
  const [many, one] = ["of many", "new"].map((sender) =>
    withinPatience(() => late, { sender, bytes: kib, isShort: true }),
  );
  await vi.advanceTimersByTimeAsync(900);
  expect(await Promise.all(opened.slice(0, 3))).toEqual([crowded, crowded, crowded]);
  expect(await Promise.all([many, one])).toEqual(["late", "late"]);
});

it("a flood of unfinished request bodies of one sender doesn't shorten the time of another sender's body", async () => {
  open(2 * full, () => "flood");
  const other = withinPatience(() => afterMs(9_000, "late"), { sender: "new", bytes: kib, isShort: true });
  open(full, () => "flood");
  await vi.advanceTimersByTimeAsync(9_000);
  expect(await other).toBe("late");
  expect((await Promise.all(opened.slice(0, full))).every((outcome) => outcome === crowded)).toBe(true);
});

it("while too many request bodies are pending, the service reads no long body, and a short one only if it has fully arrived", async () => {
  open(full, ofMany);
  let reads = 0;
  const read = <T>(body: Promise<T>) => {
    reads += 1;
    return body;
  };
  expect(await withinPatience(() => read(never), { sender: "new", bytes: 4 * kib, isShort: false })).toBe(crowded);
  expect(reads).toBe(0);
  const short = { sender: "new", bytes: kib, isShort: true };
  const refused = withinPatience(() => read(never), short);
  await vi.advanceTimersByTimeAsync(1);
  expect(await refused).toBe(crowded);
  expect(await withinPatience(() => read(Promise.resolve("there")), short)).toBe("there");
});

it("the received bytes of request bodies count toward a limit for all of them, and further bodies are refused once the limit is used up", async () => {
  const held: boolean[] = [];
  const sent = 60 * kib;
  const growing = Array.from({ length: 250 }, (_, i) =>
    withinPatience(
      (hold) => {
        held.push(hold(sent));
        return Promise.resolve("there");
      },
      { sender: ofMany(i), bytes: 4 * kib, isShort: false },
    ),
  );
  expect(held.filter(Boolean).length).toBeLessThan(200);
  expect(held.filter(Boolean).length * sent).toBeLessThan(12_000_000);
  await Promise.all(growing);
  const later = { sender: "new", bytes: 4 * kib, isShort: false };
  expect(await withinPatience(async (hold) => hold(sent), later)).toBe(true);
});

it("a finished request body no longer counts toward the limit of pending bodies", async () => {
  open(full, ofMany);
  for (const end of ends.splice(0)) end();
  await Promise.all(opened.splice(0));
  const waited = withinPatience(() => afterMs(900, "late"), { sender: "new", bytes: 4 * kib, isShort: false });
  await vi.advanceTimersByTimeAsync(900);
  expect(await waited).toBe("late");
});

it("the addresses of one IPv6 network count as one sender of pending request bodies", async () => {
  const { app, env, context } = service();
  const send = (address: string) => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const headers = { "Content-Type": "application/json", "Content-Length": "100", "CF-Connecting-IP": address };
    const init = { method: "POST", body: readable, duplex: "half", headers };
    const reply = app.fetch(new Request("https://api.example/api/v1/track/click", init), env, context);
    return { reply: Promise.resolve(reply), end: () => void writable.close() };
  };
  open(busy, ofMany);
  const many = Array.from({ length: 12 }, (_, i) => send(`2001:db8::${i + 1}`));
  let statusOfLast: number | undefined;
  void many[11]?.reply.then(({ status }) => {
    statusOfLast = status;
  });
  const begun = Date.now();
  // Each poll advances the clock by the interval.
  await expect.poll(() => statusOfLast, { interval: 5 }).toBe(503);
  expect(Date.now() - begun, "a sender of few bodies is refused after a second").toBeLessThan(1_000);
  const other = send("2001:db8:0:1::1");
  other.end();
  expect((await other.reply).status).toBe(400);
  for (const { end } of many) end();
  await Promise.all(many.map(({ reply }) => reply));
});
