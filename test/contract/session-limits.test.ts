import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { ownAddress } from "../support/client.ts";
import { createSession, signUp } from "../support/session.ts";
import { shared } from "../support/shared.ts";

const { url } = shared;
const minute = 60_000;

/** Attempts are counted in windows that begin at fixed instants: a test wants to be in one of them. */
async function withinWindow(windowMs: number, neededMs: number): Promise<void> {
  const left = windowMs - (Date.now() % windowMs);
  if (left < neededMs) await delay(left + 50);
}

const times = <T>(n: number, make: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: n }, (_, i) => make(i)));
const signIn = (email: string, password: string, ip = ownAddress()) =>
  createSession(url, ip).post("/api/auth/sign-in/email", { email, password });
const nobody = () => `${randomUUID()}@people.example`;

test("an address tries to sign in ten times a minute", async () => {
  await withinWindow(minute, 15_000);
  const ip = ownAddress();
  const replies = await times(12, () => signIn(nobody(), "a guess", ip));
  expect(replies.map(({ status }) => status).toSorted()).toEqual([...Array(10).fill(401), 429, 429]);
  const refused = replies.find(({ status }) => status === 429);
  const wait = Number(refused?.headers.get("Retry-After"));
  expect(wait).toBeGreaterThan(0);
  expect(wait).toBeLessThanOrEqual(60);
  expect(refused?.body).toEqual({
    data: null,
    error: {
      status: 429,
      name: "TooManyRequestsError",
      message: "Too many requests.",
      details: { retry_after_seconds: wait },
      code: "rate_limited",
      retry_after_seconds: wait,
    },
  });
  expect(replies[0]?.headers.get("RateLimit-Policy")).toBe('"sign-in";q=10;w=60');
  expect(replies[0]?.headers.get("X-RateLimit-Limit")).toBe("10");
  expect((await signIn(nobody(), "a guess")).status).toBe(401);
});

test("an account is tried ten times in a quarter of an hour, from however many addresses, all at once", async () => {
  const user = await signUp(url);
  await withinWindow(15 * minute, 15_000);
  const replies = await times(12, (i) => signIn(i % 2 ? user.email : user.email.toUpperCase(), "a guess"));
  expect(replies.map(({ status }) => status).toSorted()).toEqual([...Array(10).fill(401), 429, 429]);
  const right = await signIn(user.email, user.password);
  expect(right.status).toBe(429);
  expect(Number(right.headers.get("Retry-After"))).toBeLessThanOrEqual(15 * 60);
  expect((await user.get("/api/auth/get-session")).body).toMatchObject({ user: { id: user.userId } });
});

test("an account that nobody has is limited alike", async () => {
  await withinWindow(15 * minute, 15_000);
  const email = nobody();
  const replies = await times(11, () => signIn(email, "a guess"));
  expect(replies.map(({ status }) => status).toSorted()).toEqual([...Array(10).fill(401), 429]);
});

test("signing in rightly counts against no account", async () => {
  const user = await signUp(url);
  await withinWindow(15 * minute, 20_000);
  for (let i = 0; i < 12; i += 1) expect((await signIn(user.email, user.password)).status).toBe(200);
});

test("an address signs up ten times a minute", async () => {
  await withinWindow(minute, 15_000);
  const ip = ownAddress();
  const replies = await times(12, () =>
    createSession(url, ip).post("/api/auth/sign-up/email", { name: "N", email: nobody(), password: "long enough" }),
  );
  expect(replies.map(({ status }) => status).toSorted()).toEqual([...Array(10).fill(200), 429, 429]);
});
