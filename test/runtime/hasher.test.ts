import { afterAll, beforeAll, expect, test } from "vitest";
import { newDerivation } from "#domain/password-hash.ts";
import { deriveKey } from "#http/derive-key.ts";
import { type HasherServer, Room, startHasher } from "../../scripts/service/hasher.ts";

let hasher: HasherServer;
beforeAll(async () => {
  hasher = await startHasher();
});
afterAll(() => hasher.close());

const derivation = newDerivation("correct horse", "AAAAAAAAAAAAAAAAAAAAAA==");
const ask = (token: string) =>
  fetch(`http://127.0.0.1:${hasher.port}/stranger`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify(derivation),
  });

test("the password hasher requires its token", async () => {
  const [answer, ...refused] = await Promise.all([ask(hasher.token), ask(""), ask(`${hasher.token}x`)]);
  expect(await answer?.text()).toBe(await deriveKey(derivation));
  for (const { status } of refused) expect(status).toBe(401);
});

test("the password hasher hashes two passwords at a time, in order, and refuses more if its queue is full", async () => {
  const room = new Room();
  const started: number[] = [];
  const ends: (() => void)[] = [];
  const run = (i: number) =>
    room.run(async () => {
      started.push(i);
      await new Promise<void>((resolve) => ends.push(resolve));
      return i;
    });
  const runs = Array.from({ length: 66 }, (_, i) => run(i));
  expect(await run(66)).toBeUndefined();
  expect(started).toEqual([0, 1]);
  ends[1]?.();
  expect(await runs[1]).toBe(1);
  await expect.poll(() => started).toEqual([0, 1, 2]);
});
