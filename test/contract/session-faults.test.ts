import { randomUUID } from "node:crypto";
import { afterEach, describe, expect, test } from "vitest";
import { ownService } from "../support/own-service.ts";
import { createSession, signUp } from "../support/session.ts";

const own = ownService();
afterEach(() => own.proxy.heal());

const account = () => ({ name: "N", email: `${randomUUID()}@people.example`, password: "long enough" });

describe("without its database", () => {
  test.each(["refuse", "cut"] as const)("nobody signs up, in or out, nor is told otherwise: %s", async (kind) => {
    const user = await signUp(own.service.url);
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
  });

  test("a sign-up that was cut short in its midst can be done again, later", async () => {
    const session = createSession(own.service.url);
    const one = account();
    // The user is written, their password is not.
    own.proxy.inject({ kind: "refuse" }, { only: "writes", after: 1 });
    expect((await session.post("/api/auth/sign-up/email", one)).status).toBe(503);
    own.proxy.heal();
    expect((await session.post("/api/auth/sign-up/email", one)).status).toBe(409);
  });
});

test("an unknown address costs what a wrong password does", async () => {
  const user = await signUp(own.service.url);
  const cost = async (email: string) => {
    own.proxy.resetCounts();
    expect(
      (await createSession(own.service.url).post("/api/auth/sign-in/email", { email, password: "a guess" })).status,
    ).toBe(401);
    return own.proxy.counts;
  };
  const wrong = await cost(user.email);
  expect(await cost(`${randomUUID()}@people.example`)).toEqual(wrong);
  expect(wrong.total).toBe(1);
});

test("nothing of an account is in the log", async () => {
  const user = await signUp(own.service.url, { name: "Mata Hari" });
  const session = createSession(own.service.url);
  await session.post("/api/auth/sign-up/email", { name: user.name, email: user.email, password: user.password });
  await session.post("/api/auth/sign-in/email", { email: user.email, password: user.password });
  await session.post("/api/auth/sign-in/email", { email: user.email, password: "a guess" });
  const log = JSON.stringify(own.service.logs);
  expect(log).toContain("/api/auth/sign-in/email");
  const token = decodeURIComponent(user.cookies.get("tributary.session_token") ?? "").split(".")[0] ?? "";
  for (const secret of [user.email, user.password, user.name, user.ip, token]) expect(log).not.toContain(secret);
});
