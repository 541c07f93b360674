import { randomUUID } from "node:crypto";
import { request } from "node:http";
import { expect, test } from "vitest";
import { dateUtc } from "#domain/calendar.ts";
import { networksOf } from "#domain/ip-address.ts";
import { digest } from "#http/keyed-digest.ts";
import { uniqueIp, uniqueSite } from "../../harness/client.ts";
import { testSecrets } from "../../harness/service.ts";
import { createSession, type Session, signUp } from "../../harness/session.ts";
import { createWorld } from "../../harness/world.ts";
import { sharedService } from "../support/shared-service.ts";
import { withinMinute } from "../support/within-minute.ts";
import { withinWindow } from "../support/within-window.ts";

const { url } = sharedService;
const minute = 60_000;

const times = <T>(n: number, make: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: n }, (_, i) => make(i)));
const signIn = (email: string, password: string, ip = uniqueIp()) =>
  createSession(url, ip).post("/api/auth/sign-in/email", { email, password });
const nobody = () => `${randomUUID()}@people.example`;

test("an IP address has ten sign-in attempts a minute", async () => {
  await withinWindow(minute, 15_000);
  const ip = uniqueIp();
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

/** Sets a 15-minute counter to this many failed sign-ins, without hashing passwords. */
async function haveFailed(count: number, kind: string, ...who: readonly string[]): Promise<void> {
  const window = 15 * minute;
  const key = `${digest(testSecrets.HASH_SECRET, kind, ...who)}:${window}:${Math.floor(Date.now() / window)}`;
  const world = await createWorld(sharedService.databaseUrl);
  await world.write({
    sql: "insert into rate_limits (key, count, last_request) values (?, ?, ?)",
    args: [key, count, Date.now()],
  });
}

test("an account has ten sign-in attempts in 15 minutes from one IP address", async () => {
  const user = await signUp(url);
  await withinWindow(15 * minute, 15_000);
  const ip = uniqueIp();
  await haveFailed(9, "account-address", user.email, `${dateUtc(Date.now())} ${networksOf(ip).device}`);
  const replies = [await signIn(user.email, "a guess", ip), await signIn(user.email.toUpperCase(), user.password, ip)];
  expect(replies.map(({ status }) => status)).toEqual([401, 429]);
  expect(Number(replies[1]?.headers.get("Retry-After"))).toBeLessThanOrEqual(15 * 60);
  expect((await signIn(user.email, user.password)).status).toBe(200);
  expect((await signIn(nobody(), "a guess", ip)).status).toBe(401);
});

test("a hundred failed sign-ins from many IP addresses block new browsers, but not browsers that have signed in before", {
  tags: "soak",
}, async () => {
  const user = await signUp(url);
  const stranger = await signUp(url);
  await withinWindow(15 * minute, 30_000);
  await haveFailed(99, "account", user.email);
  expect((await signIn(user.email, "a guess")).status).toBe(401);
  expect((await signIn(user.email, user.password)).status).toBe(429);

  const signInFrom = (browser: Session, password: string) =>
    browser.post("/api/auth/sign-in/email", { email: user.email, password });
  await user.post("/api/auth/sign-out");
  expect((await signInFrom(user, user.password)).status).toBe(200);
  // Blocked are a browser that has signed in to another account, and a browser that sends the other account's cookie
  // under the name of this account's cookie.
  expect((await signInFrom(stranger, user.password)).status).toBe(429);
  const device = [...user.cookies].find(([name]) => name.includes("device"));
  const [, forged] = [...stranger.cookies].find(([name]) => name.includes("device")) ?? [];
  stranger.cookies.set(device?.[0] ?? "", forged ?? "");
  expect((await signInFrom(stranger, user.password)).status).toBe(429);

  // The user's browser has a separate limit of ten attempts, one of which the earlier sign-in has used.
  const guesses = await times(10, () => signInFrom(user, "a guess"));
  expect(guesses.map(({ status }) => status).toSorted()).toEqual([...Array(9).fill(401), 429]);
  expect(guesses[0]?.headers.get("RateLimit-Policy")).toBe('"device-sign-in";q=10;w=60');
});

test("an unknown account has the same limit of sign-in attempts as an existing one", async () => {
  await withinWindow(15 * minute, 15_000);
  const email = nobody();
  await haveFailed(99, "account", email);
  const replies = [await signIn(email, "a guess"), await signIn(email, "a guess")];
  expect(replies.map(({ status }) => status)).toEqual([401, 429]);
});

test("a browser that has signed in before has ten sign-in attempts a minute", async () => {
  const user = await signUp(url);
  const right = { email: user.email, password: user.password };
  const replies = await withinMinute(() => times(12, () => user.post("/api/auth/sign-in/email", right)));
  expect(replies.map(({ status }) => status).toSorted()).toEqual([...Array(10).fill(200), 429, 429]);
});

test("successful sign-ins don't count against the account's limit", async () => {
  const user = await signUp(url);
  await withinWindow(15 * minute, 20_000);
  for (let i = 0; i < 12; i += 1) expect((await signIn(user.email, user.password)).status).toBe(200);
});

test("a signed-in user has ten password attempts in 15 minutes", async () => {
  const user = await signUp(url);
  await withinWindow(15 * minute, 20_000);
  const body = { currentPassword: "a guess", newPassword: "a better password" };
  const replies = await times(11, () => user.post("/api/auth/change-password", body));
  expect(replies.map(({ status }) => status).toSorted()).toEqual([...Array(10).fill(400), 429]);
});

test("an IP address can view sixty invitations a minute", async () => {
  await withinWindow(minute, 15_000);
  const ip = uniqueIp();
  const browser = createSession(url, ip);
  const pathOf = (n: number) => (n % 2 === 0 ? "/api/invitations/show" : "/api/auth/sign-up/check");
  const replies = await times(62, (n) => browser.post(pathOf(n), { token: randomUUID() }));
  expect(replies.map(({ status }) => status).toSorted()).toEqual([...Array(60).fill(400), 429, 429]);
});

test("an IP address can sign up ten times a minute", async () => {
  await withinWindow(minute, 15_000);
  const ip = uniqueIp();
  const replies = await times(12, () =>
    createSession(url, ip).post("/api/auth/sign-up/email", { name: "N", email: nobody(), password: "long enough" }),
  );
  expect(replies.map(({ status }) => status).toSorted()).toEqual([...Array(10).fill(200), 429, 429]);
});

test("an IP address can send five applications to programs an hour, whatever their bodies", async () => {
  await withinWindow(60 * minute, 20_000);
  const user = await signUp(url);
  const { cookies } = user;
  const from = createSession(url, uniqueIp());
  for (const [name, value] of cookies) from.cookies.set(name, value);
  const bodies = [{}, { name: 1 }, { name: "Ada", answers: [] }, { name: "Ada" }, { name: "" }, { name: "Ada" }, {}];
  const statuses: number[] = [];
  for (const body of bodies) statuses.push((await from.post("/api/join/nobody-has-it", body)).status);
  expect(statuses).toEqual([400, 400, 400, 404, 400, 429, 429]);
});

test("an IPv6 /48 network has forty sign-in attempts a minute, and each /64 network ten", {
  tags: "soak",
}, async () => {
  await withinWindow(minute, 20_000);
  const site = uniqueSite();
  const replies = await times(4, (i) => times(11, () => signIn(nobody(), "a guess", `${site}:${i}::1`)));
  for (const each of replies) expect(each.filter(({ status }) => status === 429)).toHaveLength(1);
  expect((await signIn(nobody(), "a guess", `${site}:9::1`)).status).toBe(429);
});

test("sign-in attempts are counted before the body is read, and an unfinished body times out", {
  tags: "soak",
}, async () => {
  await withinWindow(minute, 10_000);
  const ip = uniqueIp();
  const { hostname, port } = new URL(url);
  const unfinished = () =>
    new Promise<number>((resolve, reject) => {
      const headers = {
        "content-type": "application/json",
        "content-length": "1000",
        origin: url,
        "cf-connecting-ip": ip,
      };
      const call = request({ hostname, port, path: "/api/auth/sign-in/email", method: "POST", headers });
      call.once("response", (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      });
      call.once("error", reject);
      call.write('{"email":');
    });
  const statuses = await times(12, unfinished);
  expect(statuses.toSorted()).toEqual([...Array(10).fill(408), 429, 429]);
});
