import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { ownService } from "../support/own-service.ts";
import { signUp, type User } from "../support/session.ts";
import { refusalOf } from "../support/staff.ts";
import type { World } from "../support/world.ts";

const own = ownService();
afterEach(() => own.proxy.heal());

let owner: User;
let world: World;
beforeAll(async () => {
  owner = await signUp(own.service.url);
  world = await own.world({ members: [{ user: owner, role: "owner" }] });
  await owner.patch(`/api/programs/${world.programId}`, { name: "Known to the Ledger" });
});

const unavailable = "503 Service unavailable. Send the identical request again shortly.";
const count = async (sql: string, ...args: string[]) => Number((await world.rows(sql, ...args))[0]?.n);

describe("with its database out of reach", () => {
  test("the management says so, and when to try again", async () => {
    const members = `/api/workspaces/${world.workspaceId}/members`;
    const program = `/api/programs/${world.programId}`;
    own.proxy.inject({ kind: "refuse" });
    const replies = [
      await owner.get("/api/workspaces"),
      await owner.post("/api/workspaces", { name: "W" }),
      await owner.get(members),
      await owner.post("/api/invitations/accept", { token: "x" }),
      await owner.get(program),
      await owner.get(`${program}/commissions`),
      await owner.get(`${program}/commissions?format=csv`),
    ];
    for (const reply of replies) {
      expect(refusalOf(reply)).toBe(unavailable);
      expect(reply.headers.get("Retry-After")).toBe("5");
    }
  });

  test.each(["refuse", "cut"] as const)("for writes alone, it doesn't say that a write was done: %s", async (kind) => {
    own.proxy.inject({ kind }, { only: "writes" });
    const members = `/api/workspaces/${world.workspaceId}/members`;
    const invited = await owner.post(members, { email: "a@b.example", role: "viewer" });
    expect(refusalOf(invited)).toBe(unavailable);
    expect(invited.text).not.toContain("token=");
    expect(refusalOf(await owner.post("/api/workspaces", { name: "W" }))).toBe(unavailable);
  });
});

test("a change whose answer was lost on its way from the database was made once, and is told as made", async () => {
  own.proxy.inject({ kind: "cut" }, { only: "writes", times: 1 });
  const made = await owner.post<{ data: { id: number } }>(`/api/programs/${world.programId}/partners`, {
    name: "Anna",
    code: "anna",
  });
  expect(made.status, made.text).toBe(201);
  expect(await count("select count(*) as n from referral_links where code = 'anna'")).toBe(1);
  const audit = "select count(*) as n from audit_entries where subject = ?";
  expect(await count(audit, `partner ${made.body.data.id}`)).toBe(1);
});

test("so was a workspace, an invitation and a membership", async () => {
  const lose = () => own.proxy.inject({ kind: "cut" }, { only: "writes", times: 1 });
  const guest = await signUp(own.service.url);
  const members = `/api/workspaces/${world.workspaceId}/members`;

  lose();
  expect((await guest.post("/api/workspaces", { name: "Once" })).status).toBe(201);
  expect(await count("select count(*) as n from workspaces where name = 'Once'")).toBe(1);
  lose();
  const invited = await owner.post<{ data: { inviteUrl: string } }>(members, { email: "a@b.example", role: "admin" });
  expect(invited.status).toBe(201);
  lose();
  const accepted = await guest.post("/api/invitations/accept", { token: invited.body.data.inviteUrl.slice(-43) });
  expect([accepted.status, accepted.body]).toEqual([200, { data: { workspaceId: world.workspaceId, role: "admin" } }]);
});

test("a download that breaks off in its midst is not taken for a whole one", async () => {
  const shop = await own.world({ members: [{ user: owner, role: "owner" }] });
  const api = own.api();
  for (let i = 0; i < 510; i += 102) {
    const some = Array.from({ length: 102 }, (_, n) => ({ transaction_id: `t${i + n}`, amount_cents: 100 }));
    await Promise.all(some.map((sale) => api.sale({ ...sale, customer_key: sale.transaction_id }, { key: shop.key })));
  }
  const path = `/api/programs/${shop.programId}/commissions?format=csv&status=void`;
  const whole = await owner.get(path, { checked: false });
  expect(whole.text.split("\r\n")).toHaveLength(512);
  own.proxy.inject({ kind: "refuse" }, { only: "reads", after: 2 });
  await expect(owner.get(path, { checked: false })).rejects.toThrow();
});

test("no token of an invitation is in the log, nor a key", async () => {
  const invited = await owner.post<{ data: { inviteUrl: string } }>(`/api/workspaces/${world.workspaceId}/members`, {
    email: "someone@secret.example",
    role: "viewer",
  });
  const token = invited.body.data.inviteUrl.slice(-43);
  const guest = await signUp(own.service.url);
  expect((await guest.post("/api/invitations/accept", { token })).status).toBe(200);
  const rotated = await owner.post<{ data: { apiToken: string } }>(
    `/api/programs/${world.programId}/api-token/rotate`,
    {},
  );
  const log = JSON.stringify(own.service.logs);
  expect(log).toContain("/api/invitations/accept");
  for (const secret of [token, rotated.body.data.apiToken, "secret.example"]) expect(log).not.toContain(secret);
});
