import { afterEach, beforeAll, describe, expect, test } from "vitest";
import type { User } from "../../harness/session.ts";
import type { World } from "../../harness/world.ts";
import { isWhole, sampled } from "../support/breadth.ts";
import { isolatedService } from "../support/isolated-service.ts";
import { refusalOf } from "../support/users-fixture.ts";

const own = isolatedService();
afterEach(() => own.proxy.heal());

let owner: User;
let world: World;
beforeAll(async () => {
  owner = await own.user();
  world = await own.world({ members: [{ user: owner, role: "owner" }] });
  await owner.patch(`/api/programs/${world.programId}`, { name: "Known to the Ledger" });
});

const unavailable = "503 Service unavailable. Send the identical request again shortly.";
const actionsIn = async (user: User, workspaceId: string) =>
  (await user.get<{ data: { action: string }[] }>(`/api/workspaces/${workspaceId}/audit`)).body.data.map(
    ({ action }) => action,
  );
const count = async (sql: string, ...args: string[]) => Number((await world.rows(sql, ...args))[0]?.n);

describe("while the database is unreachable", () => {
  test("while the database is unreachable, management calls return 503 with Retry-After", async () => {
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

  test.each(sampled(["cut", "refuse"]))("if only database writes fail, no write returns success: %s", async (kind) => {
    own.proxy.inject({ kind }, { only: "writes" });
    const members = `/api/workspaces/${world.workspaceId}/members`;
    const invited = await owner.post(members, { email: "a@b.example", role: "viewer" });
    expect(refusalOf(invited)).toBe(unavailable);
    expect(invited.text).not.toContain("token=");
    if (isWhole) expect(refusalOf(await owner.post("/api/workspaces", { name: "W" }))).toBe(unavailable);
  });
});

test("an owner's change is refused if the owner is removed before the change reaches the database", async () => {
  const [removed, promoted] = [await own.user(), await own.user()];
  const members = [
    { user: owner, role: "owner" },
    { user: removed, role: "owner" },
    { user: promoted, role: "viewer" },
  ] as const;
  const { workspaceId } = await own.world({ members });
  const at = `/api/workspaces/${workspaceId}/members`;
  const list = (await owner.get<{ data: { id: string; userId: string; role: string }[] }>(at)).body.data;
  const idOf = ({ userId }: User) => list.find((member) => member.userId === userId)?.id ?? "";
  own.proxy.resetCounts();
  const isRemoved = Promise.withResolvers<void>();
  own.proxy.inject({ kind: "hold", until: isRemoved.promise }, { only: "writes", times: 1 });
  const late = removed.patch(`${at}/${idOf(promoted)}`, { role: "owner" });
  await expect.poll(() => own.proxy.counts.writes).toBe(1);
  expect((await owner.delete(`${at}/${idOf(removed)}`)).status).toBe(200);
  isRemoved.resolve();
  expect(refusalOf(await late)).toBe("403 You are not an active member of this workspace");
  expect((await owner.get<{ data: { role: string }[] }>(at)).body.data.map(({ role }) => role).toSorted()).toEqual([
    "owner",
    "viewer",
  ]);
});

test("creating the last workspace or invitation that a limit allows succeeds even if the database's response is lost", {
  tags: "soak",
}, async () => {
  const user = await own.user();
  for (let i = 1; i < 20; i += 1) expect((await user.post("/api/workspaces", { name: "W" })).status).toBe(201);
  own.proxy.inject({ kind: "cut" }, { only: "writes", times: 1 });
  expect((await user.post("/api/workspaces", { name: "W" })).status).toBe(201);
  expect((await user.get<{ data: unknown[] }>("/api/workspaces")).body.data).toHaveLength(20);

  const { workspaceId } = await own.world({ members: [{ user, role: "owner" }] });
  const members = `/api/workspaces/${workspaceId}/members`;
  const invite = () => user.post(members, { email: "a@b.example", role: "viewer" });
  for (let i = 1; i < 50; i += 1) expect((await invite()).status).toBe(201);
  own.proxy.inject({ kind: "cut" }, { only: "writes", times: 1 });
  expect((await invite()).status).toBe(201);
  expect(refusalOf(await invite())).toBe("409 A workspace can have at most 50 open invitations");
});

test("a change is made once and returns success even if the database's response is lost", async () => {
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

test("changes to workspaces, invitations and members create one audit entry each even if the database's response is lost", async () => {
  const lose = () => own.proxy.inject({ kind: "cut" }, { only: "writes", times: 1 });
  const guest = await own.user();
  const members = `/api/workspaces/${world.workspaceId}/members`;

  lose();
  const workspace = await guest.post<{ data: { id: string } }>("/api/workspaces", { name: "Once" });
  expect(workspace.status).toBe(201);
  expect(await actionsIn(guest, workspace.body.data.id)).toEqual(["workspace.created"]);
  expect(await count("select count(*) as n from workspaces where name = 'Once'")).toBe(1);
  lose();
  const invited = await owner.post<{ data: { inviteUrl: string } }>(members, { email: "a@b.example", role: "admin" });
  expect(invited.status).toBe(201);
  lose();
  const accepted = await guest.post("/api/invitations/accept", { token: invited.body.data.inviteUrl.slice(-43) });
  expect([accepted.status, accepted.body]).toEqual([200, { data: { workspaceId: world.workspaceId, role: "admin" } }]);

  const { body } = await owner.get<{ data: { id: string; userId: string }[] }>(members);
  const member = `${members}/${body.data.find(({ userId }) => userId === guest.userId)?.id}`;
  lose();
  expect((await owner.patch(member, { role: "viewer" })).status).toBe(200);
  lose();
  expect((await owner.delete(member)).status).toBe(200);
  await owner.post(members, { email: "b@b.example", role: "admin" });
  const invitations = `/api/workspaces/${world.workspaceId}/invitations`;
  const open = await owner.get<{ data: { id: string }[] }>(invitations);
  lose();
  expect((await owner.delete(`${invitations}/${open.body.data.at(-1)?.id}`)).status).toBe(200);
  expect((await actionsIn(owner, world.workspaceId)).slice(0, 6)).toEqual([
    "invitation.revoked",
    "invitation.created",
    "member.removed",
    "member.updated",
    "invitation.accepted",
    "invitation.created",
  ]);
});

test("an interrupted CSV download fails instead of looking complete", async () => {
  const shop = await own.world({ members: [{ user: owner, role: "owner" }] });
  const api = own.api();
  for (let i = 0; i < 510; i += 102) {
    const some = Array.from({ length: 102 }, (_, n) => ({ transaction_id: `t${i + n}`, amount_cents: 100 }));
    await Promise.all(some.map((sale) => api.sale({ ...sale, customer_key: sale.transaction_id }, { key: shop.key })));
  }
  const path = `/api/programs/${shop.programId}/commissions?format=csv&status=void`;
  const whole = await owner.get(path, { checked: false });
  expect(whole.text.split("\r\n")).toHaveLength(512);
  const interrupted = async () => {
    const lift = own.proxy.inject({ kind: "refuse" }, { only: "reads", after: 3 });
    const outcome = await owner.get(path, { checked: false }).then(
      ({ status }) => status,
      () => "aborted",
    );
    lift();
    return outcome;
  };
  // Repeated until no maintenance of the Ledger reads at the same time. Its reads would make the fault begin before the
  // file does.
  await expect.poll(interrupted).toBe("aborted");
});

test("the log contains no invitation token, key or email address", async () => {
  const invited = await owner.post<{ data: { inviteUrl: string } }>(`/api/workspaces/${world.workspaceId}/members`, {
    email: "someone@secret.example",
    role: "viewer",
  });
  const token = invited.body.data.inviteUrl.slice(-43);
  const guest = await own.user();
  expect((await guest.post("/api/invitations/accept", { token })).status).toBe(200);
  const rotated = await owner.post<{ data: { apiToken: string } }>(
    `/api/programs/${world.programId}/api-token/rotate`,
    {},
  );
  const log = JSON.stringify(own.service.logs);
  expect(log).toContain("/api/invitations/accept");
  for (const secret of [token, rotated.body.data.apiToken, "secret.example"]) expect(log).not.toContain(secret);
});
