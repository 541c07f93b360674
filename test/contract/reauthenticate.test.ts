import { describe, expect, test } from "vitest";
import { sessionDocument } from "#routes/openapi/member-document.ts";
import type { Session, User } from "../../harness/session.ts";
import { createWorld } from "../../harness/world.ts";
import { sharedService, sharedUser } from "../support/shared-service.ts";
import { turnOnTotp } from "../support/totp.ts";
import { withinWindow } from "../support/within-window.ts";

const { databaseUrl } = sharedService;
const minute = 60_000;

/** These operations ask for the password each time, and for a recent sign-in only if the account has no password. */
const asksForPassword = ["deleteUser", "replaceRecoveryCodes", "startTotp", "turnOffTotp"];

/** Every operation that documents the refusal. Some require a recent sign-in only for some fields. */
const sensitive = Object.entries(sessionDocument().paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, { operationId, responses }]) =>
    // The refusal is documented as an example, or by reference to a component.
    /reauthenticate/i.test(JSON.stringify(responses["403"] ?? "")) && !asksForPassword.includes(operationId)
      ? [{ operationId, method: method.toUpperCase(), path }]
      : [],
  ),
);

const bodies = (workspaceId: string): Readonly<Record<string, object>> => ({
  assignCustomer: { customerKey: "c", partnerId: 1, since: "2026-01-01T00:00:00Z", payPast: true, reason: "r" },
  createProgram: { workspaceId },
  updateApiKey: { scopes: ["track"] },
  importRows: { kind: "partners", source: "x", update: true, rows: [{ line: 1, email: "new@partners.example" }] },
  updateProgram: { requireDetails: true },
  resolveClaim: { outcome: "theirs", saleId: 1, payPast: true },
  updatePartner: { email: "new@partners.example" },
  updateWebhook: { url: "https://shop.example/" },
  updateWorkspace: { requireTwoFactor: false },
});

const paths = async (user: User) => {
  const { workspaceId, programId, partner } = await createWorld(databaseUrl, { members: [{ user, role: "owner" }] });
  const ids: Readonly<Record<string, string | number>> = { workspaceId, programId, partnerId: partner.id };
  return (path: string) => path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(ids[name] ?? 1));
};

const send = (session: Session, method: string, path: string, body: object) => {
  if (method === "DELETE") return session.delete(path);
  if (method === "GET") return session.get(`${path}?format=csv`);
  const write = { PATCH: session.patch, PUT: session.put }[method] ?? session.post;
  return write(path, { ...body });
};

/** The status, and the error code if the response has a JSON body. A file has none. */
const codeOf = ({ status, body }: { status: number; body?: { error?: { details: object } } }) =>
  `${status} ${body?.error === undefined ? "" : Reflect.get(body.error.details, "code")}`.trim();

async function confirmedAgo(user: User, ms: number): Promise<void> {
  const sql = "update sessions set confirmed_at = ? where user_id = ?";
  await (await createWorld(databaseUrl)).write({ sql, args: [Date.now() - ms, user.userId] });
}

const again = (user: User, body: Readonly<Record<string, string>>) => user.post("/api/auth/reauthenticate", body);

test("operations that move money or grant access require a recent sign-in", () => {
  expect(sensitive.map(({ operationId }) => operationId).toSorted()).toEqual([
    "assignCustomer",
    "awardBonuses",
    "beginIdentityLink",
    "confirmPayout",
    "createAdjustment",
    "createApiKey",
    "createProgram",
    "createWebhook",
    "deleteIdentity",
    "erasePartner",
    "erasePerson",
    "exportPerson",
    "finalizePayout",
    "getPayout",
    "importRows",
    "inviteMember",
    "invitePartner",
    "invitePartners",
    "removeMember",
    "resolveClaim",
    "rotateApiKey",
    "rotateApiToken",
    "rotateWebhook",
    "setPartnerPayment",
    "updateApiKey",
    "updateMember",
    "updatePartner",
    "updateProgram",
    "updateWebhook",
    "updateWorkspace",
  ]);
});

test("every change to members, new key and payout confirmation requires a recent sign-in", () => {
  const writes = Object.entries(sessionDocument().paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { operationId }]) =>
      method !== "get" &&
      /^\/api\/(?:programs$|(?:workspaces|programs)\/.*\/(?:members|api-token|confirm)\b)/.test(path)
        ? [operationId]
        : [],
    ),
  );
  expect(writes.length).toBeGreaterThanOrEqual(5);
  expect(sensitive.map(({ operationId }) => operationId)).toEqual(expect.arrayContaining(writes));
});

test("operations that require a recent sign-in are refused more than an hour after it", async () => {
  const user = await sharedUser();
  const at = await paths(user);
  const outcomes = async () => {
    const entries = [];
    for (const { operationId, method, path } of sensitive) {
      const reply = await send(user, method, at(path), bodies(at("{workspaceId}"))[operationId] ?? {});
      entries.push([operationId, codeOf(reply) === "403 reauthenticate"]);
    }
    return Object.fromEntries(entries);
  };
  const all = (isRefused: boolean) => Object.fromEntries(sensitive.map(({ operationId }) => [operationId, isRefused]));
  await confirmedAgo(user, 59 * minute);
  expect(await outcomes()).toEqual(all(false));
  await confirmedAgo(user, 61 * minute);
  expect(await outcomes()).toEqual(all(true));
});

test("creating a program and its key requires a recent sign-in", async () => {
  const user = await sharedUser();
  const workspaceId = (await paths(user))("{workspaceId}");
  const create = () => user.post<{ data: { apiToken?: string } }>("/api/programs", { workspaceId, name: "Second" });
  await confirmedAgo(user, 120 * minute);
  expect((await create()).status).toBe(403);
  expect((await again(user, { password: user.password })).status).toBe(200);
  const { status, body } = await create();
  expect([status, typeof body.data.apiToken]).toEqual([201, "string"]);
});

test("reads and other changes don't require a recent sign-in", async () => {
  const user = await sharedUser();
  const at = await paths(user);
  await confirmedAgo(user, 61 * minute);
  const partner = at("/api/programs/{programId}/partners/{partnerId}");
  expect((await user.patch(partner, { name: "Another name" })).status).toBe(200);
  expect((await user.patch(at("/api/workspaces/{workspaceId}"), { name: "Another name" })).status).toBe(200);
  expect((await user.get(at("/api/workspaces/{workspaceId}/members"))).status).toBe(200);
});

describe("reauthentication", () => {
  const invite = async (user: User) => {
    const at = await paths(user);
    return codeOf(
      await user.post(at("/api/workspaces/{workspaceId}/members"), { email: "a@b.example", role: "viewer" }),
    );
  };

  test("reauthentication requires the password, and creates no new session", async () => {
    const user = await sharedUser();
    await confirmedAgo(user, 61 * minute);
    const missing = await again(user, {});
    expect([missing.status, missing.body.error.message]).toEqual([400, "password is required"]);
    const wrong = await again(user, { password: "not the password" });
    expect([wrong.status, wrong.body.error.message]).toEqual([400, "password is incorrect"]);
    expect(await invite(user)).toBe("403 reauthenticate");
    expect((await again(user, { password: user.password })).body).toEqual({ success: true });
    expect(await invite(user)).toBe("201");
    const sessions = await (await createWorld(databaseUrl)).rows(
      "select count(*) n from sessions where user_id = ?",
      user.userId,
    );
    expect(sessions[0]?.n).toBe(1);
  });

  test("reauthentication requires a code instead of the password with two-factor authentication", async () => {
    const user = await sharedUser();
    const { code, wrongCode, recoveryCodes } = await turnOnTotp(user);
    await confirmedAgo(user, 61 * minute);
    const missing = await again(user, { password: user.password });
    expect([missing.status, missing.body.error.message]).toEqual([400, "code is required"]);
    expect((await again(user, { code: wrongCode })).status).toBe(400);
    expect(await invite(user)).toBe("403 reauthenticate");
    const now = code();
    expect((await again(user, { code: now })).status).toBe(200);
    expect(await invite(user)).toBe("201");
    expect((await again(user, { code: now })).status).toBe(400);
    expect((await again(user, { code: recoveryCodes[0] ?? "" })).status).toBe(200);
  });

  test("reauthentication is rate limited even with the right password", async () => {
    const user = await sharedUser();
    await withinWindow(15 * minute, 15_000);
    const statuses = [];
    for (let i = 0; i < 11; i += 1) statuses.push((await again(user, { password: "a guess" })).status);
    expect(statuses).toEqual([...Array(10).fill(400), 429]);
    expect((await again(user, { password: user.password })).status).toBe(429);
    expect((await user.post("/api/auth/totp", { password: user.password })).status).toBe(429);
  });
});
