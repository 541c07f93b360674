import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Metadata } from "#http/oidc-metadata.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const server = { issuer: "https://id.example" };
const down = new Error("the provider is down");

/** A provider that takes a second to respond, and counts requests for its metadata. */
function provider() {
  const asked = { count: 0, isDown: false };
  const metadata = new Metadata();
  const read = () =>
    metadata.read(async () => {
      asked.count += 1;
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      if (asked.isDown) throw down;
      return server;
    });
  const outcome = () =>
    read().then(
      ({ issuer }) => issuer,
      (error: unknown) => error,
    );
  return { asked, outcome };
}

const after = async <T>(ms: number, outcomes: Promise<T>): Promise<T> => {
  await vi.advanceTimersByTimeAsync(ms);
  return outcomes;
};
const flood = (outcome: () => Promise<unknown>) => Promise.all(Array.from({ length: 20 }, outcome));

test("concurrent sign-ins request the provider's metadata once, and later sign-ins use it for ten minutes", async () => {
  const { asked, outcome } = provider();
  expect(new Set(await after(1_100, flood(outcome)))).toEqual(new Set([server.issuer]));
  expect(await after(590_000, outcome())).toBe(server.issuer);
  expect(asked.count).toBe(1);
  await vi.advanceTimersByTimeAsync(10_000);
  await after(1_100, flood(outcome));
  expect(asked.count).toBe(2);
});

test("sign-ins request the provider's metadata at most once every five seconds while the provider is down", async () => {
  const { asked, outcome } = provider();
  asked.isDown = true;
  expect(new Set(await after(1_100, flood(outcome)))).toEqual(new Set([down]));
  expect(new Set(await after(4_800, flood(outcome)))).toEqual(new Set([down]));
  expect(asked.count).toBe(1);
  asked.isDown = false;
  await vi.advanceTimersByTimeAsync(200);
  expect(new Set(await after(1_100, flood(outcome)))).toEqual(new Set([server.issuer]));
  expect(asked.count).toBe(2);
});

test("a sign-in requests the provider's metadata again if an earlier request hasn't ended after ten seconds", async () => {
  const metadata = new Metadata();
  void metadata.read(() => new Promise(() => undefined));
  expect(
    await after(
      10_100,
      metadata.read(async () => server),
    ),
  ).toBe(server);
});
