import { randomUUID } from "node:crypto";
import { afterEach, describe, expect, test } from "vitest";
import { hashLinkToken } from "#domain/link-token.ts";
import { openReset } from "#store/accounts/passwords.ts";
import { databaseAt } from "../../harness/database-client.ts";
import { createSession } from "../../harness/session.ts";
import { createWorld } from "../../harness/world.ts";
import { sampled } from "../support/breadth.ts";
import { isolatedService } from "../support/isolated-service.ts";
import { programFixture } from "../support/program-fixture.ts";

const own = isolatedService();
afterEach(() => own.proxy.heal());

const account = () => ({ name: "N", email: `${randomUUID()}@people.example`, password: "long enough" });

describe("while the database is unreachable", () => {
  test.each(sampled(["cut", "refuse"]))(
    "while the database is unreachable, sign-up, sign-in, sign-out and get-session return 503 and set no cookie: %s",
    async (kind) => {
      const user = await own.user();
      const session = createSession(own.service.url);
      own.proxy.inject({ kind });
      const replies = [
        await session.post("/api/auth/sign-up/email", account()),
        await session.post("/api/auth/sign-in/email", account()),
        await user.get("/api/auth/get-session"),
        await user.post("/api/auth/sign-out"),
      ];
      for (const { status, headers, body } of replies) {
        expect(status).toBe(503);
        expect(headers.get("Retry-After")).toBe("5");
        expect(headers.getSetCookie()).toEqual([]);
        expect(body).toMatchObject({ data: null, error: { name: "ServiceUnavailableError" } });
      }
    },
  );

  test("a sign-up interrupted by the database creates either no account or a complete one", async () => {
    const session = createSession(own.service.url);
    const one = account();
    const signUpAndIn = async (): Promise<number[]> => {
      const { name: _, ...credentials } = one;
      const first = await session.post("/api/auth/sign-up/email", one);
      own.proxy.heal();
      return [first.status, (await session.post("/api/auth/sign-in/email", credentials)).status];
    };
    own.proxy.inject({ kind: "refuse" }, { only: "writes" });
    expect(await signUpAndIn()).toEqual([503, 401]);
    // The first write creates the account, the second the session.
    own.proxy.inject({ kind: "refuse" }, { only: "writes", after: 1 });
    expect(await signUpAndIn()).toEqual([503, 200]);
  });
});

test("a simulation ends with an error line if the database becomes unreachable", async () => {
  const user = await own.user();
  const shop = programFixture(await own.world({ members: [{ user, role: "owner" }], partners: [{}, {}] }), own.api());
  await shop.sale({ click_id: shop.click(shop.alice) });
  const simulate = async () => {
    const days = { from: "2020-01-01", to: "2100-01-01" };
    const policy = { type: "percent", rateBps: 1_000, scope: "lifetime" };
    const path = `/api/programs/${shop.world.programId}/commission-policy/simulate`;
    return (await user.post(path, { policy, ...days })).text.trimEnd().split("\n");
  };
  // The first call also reads values that are cached afterwards.
  await simulate();
  const readsOfOne = async () => {
    own.proxy.resetCounts();
    expect(await simulate()).toEqual([`{"progress":{"sales":1}}`, expect.stringContaining(`{"result":`)]);
    return own.proxy.counts.reads;
  };
  // The Ledger's maintenance tasks may add reads.
  const reads = Math.min(await readsOfOne(), await readsOfOne(), await readsOfOne());
  const withoutLastRead = async () => {
    const lift = own.proxy.inject({ kind: "refuse" }, { only: "reads", after: reads - 1 });
    const lines = await simulate();
    lift();
    return lines.map((line) => JSON.parse(line));
  };
  await expect.poll(withoutLastRead).toEqual([{ error: { code: "unavailable", message: expect.any(String) } }]);
});

describe.each(["changed", "reset"] as const)(
  "a password %s while a sign-in with the old password is in flight",
  (how) => {
    test("a sign-in with the old password gets no session if the password is changed or reset while the sign-in is in progress", async () => {
      const user = await own.user();
      const credentials = { email: user.email, password: user.password };
      own.proxy.resetCounts();
      const changed = Promise.withResolvers<void>();
      own.proxy.inject({ kind: "hold", until: changed.promise }, { only: "writes", times: 1 });
      const late = createSession(own.service.url).post("/api/auth/sign-in/email", credentials);
      await expect.poll(() => own.proxy.counts.writes).toBe(1);
      const newPassword = "a better password";
      if (how === "changed") {
        const body = { currentPassword: user.password, newPassword };
        expect((await user.post("/api/auth/change-password", body)).status).toBe(200);
      } else {
        const token = randomUUID();
        const opened = { tokenHash: hashLinkToken(token), at: Date.now(), validMs: 60_000 };
        await openReset(databaseAt(own.database.url), user.email, opened);
        const body = { token, newPassword };
        expect((await createSession(own.service.url).post("/api/auth/reset-password", body)).status).toBe(200);
      }
      changed.resolve();
      expect((await late).status).toBe(401);
      const sessions = await (await createWorld(own.database.url)).rows(
        "select id from sessions where user_id = ?",
        user.userId,
      );
      expect(sessions).toHaveLength(how === "changed" ? 1 : 0);
    });
  },
);

test("a sign-in opens one session even if the database's response is lost", async () => {
  const user = await own.user();
  own.proxy.inject({ kind: "cut" }, { only: "writes", times: 1 });
  const session = createSession(own.service.url);
  const credentials = { email: user.email, password: user.password };
  expect((await session.post("/api/auth/sign-in/email", credentials)).status).toBe(200);
  expect((await user.get<{ data: unknown[] }>("/api/auth/list-sessions")).body.data).toHaveLength(2);
  expect((await session.get("/api/auth/get-session")).text).not.toBe("null");
});

test("signing in with an unknown email address takes as many database reads as with a wrong password", async () => {
  const user = await own.user();
  const cost = async (email: string) => {
    own.proxy.resetCounts();
    expect(
      (await createSession(own.service.url).post("/api/auth/sign-in/email", { email, password: "a guess" })).status,
    ).toBe(401);
    return own.proxy.counts.reads;
  };
  // The Ledger's maintenance tasks may add reads during an attempt.
  await expect.poll(() => cost(user.email)).toBe(1);
  // The failure is added to the account's activity after the response.
  await expect.poll(() => own.proxy.counts.writes).toBe(1);
  await expect.poll(() => cost(`${randomUUID()}@people.example`)).toBe(1);
  expect(own.proxy.counts.writes).toBe(0);
});

test("the log contains no account data, even if the database rejects a statement", async () => {
  const user = await own.user("Mata Hari");
  const { rows } = await own.world();
  const refusal = (table: string) =>
    `create trigger ${table}_refused before insert on ${table} begin select raise(abort, 'a reason of its own'); end`;
  const session = createSession(own.service.url);
  await session.post("/api/auth/sign-up/email", { name: user.name, email: user.email, password: user.password });
  await session.post("/api/auth/sign-in/email", { email: user.email, password: user.password });
  await session.post("/api/auth/sign-in/email", { email: user.email, password: "a guess" });
  for (const table of ["sessions", "accounts"]) await rows(refusal(table));
  try {
    const { email, password, name } = user;
    const other = `other-${email}`;
    expect((await session.post("/api/auth/sign-in/email", { email, password })).status).toBe(500);
    expect((await session.post("/api/auth/sign-up/email", { email: other, password, name })).status).toBe(500);
  } finally {
    for (const table of ["sessions", "accounts"]) await rows(`drop trigger ${table}_refused`);
  }
  const log = JSON.stringify(own.service.logs);
  expect(log).toContain("/api/auth/sign-in/email");
  const token = decodeURIComponent(user.cookies.get("tributary.session_token") ?? "").split(".")[0] ?? "";
  for (const secret of [user.email, user.password, user.name, user.ip, token])
    expect(log.includes(secret), secret).toBe(false);
  expect(log.includes("params:")).toBe(false);
  // The log still contains the database's reason.
  expect(log.includes("a reason of its own")).toBe(true);
});
