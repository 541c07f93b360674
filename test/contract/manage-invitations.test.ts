import { randomBytes, randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { createSession, type Session, signUp, type User } from "../../harness/session.ts";
import type { World } from "../../harness/world.ts";
import { sharedService, sharedUser } from "../support/shared-service.ts";
import { invalidFields, refusalOf, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile("stranger");
const { url } = sharedService;

interface Invitation {
  readonly id: string;
  readonly email: string | null;
  readonly role: string;
}

const isUsed = "400 This invitation is invalid, expired or already used";
const notFound = "404 Invitation not found";
const pathOf = ({ workspaceId }: World) => `/api/workspaces/${workspaceId}/invitations`;
const openIn = async (world: World, user: User = people.owner) =>
  (await user.get<{ data: Invitation[] }>(pathOf(world))).body.data;
const show = (session: Session, token: string, options = {}) =>
  session.post("/api/invitations/show", { token }, options);
const accept = (user: User, token: string) => user.post("/api/invitations/accept", { token });
const revoke = (world: World, id = "", user: User = people.owner) => user.delete(`${pathOf(world)}/${id}`);

async function invite(world: World, given: { role?: string; email?: string } = {}, user: User = people.owner) {
  const { status, text, body } = await user.post<{ data: { inviteUrl: string } }>(
    `/api/workspaces/${world.workspaceId}/members`,
    { role: "viewer", email: "new@people.example", ...given },
  );
  expect(status, text).toBe(201);
  return body.data.inviteUrl.slice(-43);
}

describe("an open invitation", () => {
  const idOf = async (world: World, { userId }: User) =>
    (
      await people.owner.get<{ data: { id: string; userId: string }[] }>(`/api/workspaces/${world.workspaceId}/members`)
    ).body.data.find((member) => member.userId === userId)?.id;
  const member = async (world: World, user: User) =>
    `/api/workspaces/${world.workspaceId}/members/${await idOf(world, user)}`;

  test("an open invitation becomes invalid permanently when its creator stops being an owner", async () => {
    const other = await sharedUser();
    const members = [
      { user: people.owner, role: "owner" },
      { user: other, role: "owner" },
    ] as const;
    const world = await people.world({ members });
    const [theirs, own] = [await invite(world, { role: "owner" }, other), await invite(world)];
    const path = await member(world, other);
    expect((await people.owner.patch(path, { role: "viewer" })).status).toBe(200);
    expect((await people.owner.patch(path, { role: "owner" })).status).toBe(200);
    expect(refusalOf(await accept(await sharedUser(), theirs))).toBe(isUsed);
    expect((await accept(await sharedUser(), own)).status).toBe(200);
  });

  test("an open invitation becomes invalid when the member to whom it is addressed is removed", async () => {
    const world = await people.world();
    const user = await sharedUser();
    const [first, second, others] = [
      await invite(world, { email: user.email }),
      await invite(world, { role: "owner", email: user.email.toUpperCase() }),
      await invite(world),
    ];
    expect((await accept(user, first)).status).toBe(200);
    expect((await people.owner.delete(await member(world, user))).status).toBe(200);
    expect(refusalOf(await accept(user, second))).toBe(isUsed);
    expect((await accept(await sharedUser(), others)).status).toBe(200);
  });

  test("an open invitation for an owner or admin becomes invalid when any member is removed, because that member may have its link", async () => {
    const other = await sharedUser();
    const members = [
      { user: people.owner, role: "owner" },
      { user: other, role: "owner" },
    ] as const;
    const world = await people.world({ members });
    const roles = ["owner", "admin", "viewer"];
    const [owner = "", admin = "", viewer = ""] = await Promise.all(roles.map((role) => invite(world, { role })));
    expect((await people.owner.delete(await member(world, other))).status).toBe(200);
    expect(refusalOf(await accept(other, owner))).toBe(isUsed);
    expect(refusalOf(await accept(other, admin))).toBe(isUsed);
    expect((await accept(await sharedUser(), viewer)).status).toBe(200);
  });
});

test("a user can't own more than 20 workspaces by accepting invitations", async () => {
  const world = await people.world();
  const user = await sharedUser();
  for (let i = 0; i < 20; i += 1) expect((await user.post("/api/workspaces", { name: "W" })).status).toBe(201);
  const token = await invite(world, { role: "owner" });
  expect(refusalOf(await accept(user, token))).toBe("409 A user can own at most 20 workspaces");
  expect((await accept(user, await invite(world, { role: "admin" }))).status).toBe(200);
  expect(refusalOf(await accept(user, token))).toBe("409 You are already a member of this workspace");
});

describe("open invitations", () => {
  test("open invitations are listed for owners, with recipient and creator", async () => {
    const world = await people.world();
    expect(await openIn(world)).toEqual([]);
    await invite(world, { role: "admin", email: "first@people.example" });
    await invite(world, { email: "second@people.example" });
    const [first, second, ...others] = await openIn(world);
    expect(others).toEqual([]);
    expect(first).toEqual({
      id: expect.any(String),
      email: "first@people.example",
      role: "admin",
      invitedBy: people.owner.userId,
      invitedByName: "owner",
      createdAt: expect.stringMatching(/Z$/),
      expiresAt: expect.stringMatching(/Z$/),
    });
    expect(second).toMatchObject({ email: "second@people.example", role: "viewer" });
  });

  test("the list of open invitations leaves out invitations that can no longer be accepted", async () => {
    const world = await people.world({
      members: [
        { user: people.owner, role: "owner" },
        { user: people.admin, role: "owner" },
      ],
    });
    const used = await invite(world, { email: "used@people.example" });
    expect((await accept(people.stranger, used)).status).toBe(200);
    await invite(world, { email: "expired@people.example" });
    await world.write({
      sql: "update invitations set expires_at = ? where email = 'expired@people.example' and workspace_id = ?",
      args: [Date.now() - 1, world.workspaceId],
    });
    const ofAdmin = await invite(world, { email: "orphan@people.example" }, people.admin);
    await invite(world, { email: "open@people.example" });
    const emails = async () => (await openIn(world)).map(({ email }) => email);
    expect(await emails()).toEqual(["orphan@people.example", "open@people.example"]);
    await world.write({
      sql: "update memberships set role = 'viewer' where user_id = ? and workspace_id = ?",
      args: [people.admin.userId, world.workspaceId],
    });
    expect(await emails()).toEqual(["open@people.example"]);
    expect(refusalOf(await show(people.stranger, ofAdmin))).toBe(isUsed);
  });

  test("open invitations are listed without an email address if they were created before addresses were stored", async () => {
    const world = await people.world();
    await invite(world);
    await world.write({
      sql: "update invitations set email = null where workspace_id = ?",
      args: [world.workspaceId],
    });
    expect(await openIn(world)).toMatchObject([{ email: null }]);
  });
});

describe("a revoked invitation", () => {
  test("a revoked invitation stops working immediately, isn't listed, and can be revoked only once", async () => {
    const world = await people.world();
    const token = await invite(world, { role: "owner" });
    const kept = await invite(world);
    const [{ id } = { id: "" }] = await openIn(world);
    const revoked = await revoke(world, id);
    expect([revoked.status, revoked.body]).toEqual([200, { data: { id } }]);
    expect(refusalOf(await accept(people.stranger, token))).toBe(isUsed);
    expect(refusalOf(await show(people.stranger, token))).toBe(isUsed);
    expect(await openIn(world)).toHaveLength(1);
    expect(refusalOf(await revoke(world, id))).toBe(notFound);
    expect((await accept(people.stranger, kept)).status).toBe(200);
  });

  test("an invitation can be revoked only while it is open, and only through the workspace to which it belongs", async () => {
    const world = await people.world();
    const other = await people.world({ members: [{ user: people.stranger, role: "owner" }] });
    await invite(other, {}, people.stranger);
    const [{ id } = { id: "" }] = await openIn(other, people.stranger);
    expect(refusalOf(await revoke(world, id))).toBe(notFound);
    expect(await openIn(other, people.stranger)).toHaveLength(1);
    expect(refusalOf(await revoke(world, randomUUID()))).toBe(notFound);

    const token = await invite(world);
    const [{ id: used } = { id: "" }] = await openIn(world);
    expect((await accept(people.stranger, token)).status).toBe(200);
    expect(refusalOf(await revoke(world, used))).toBe(notFound);
  });

  test("an invitation is never both revoked and accepted", async () => {
    for (let i = 0; i < 5; i += 1) {
      const world = await people.world();
      const token = await invite(world);
      const [{ id } = { id: "" }] = await openIn(world);
      const [revoked, accepted] = await Promise.all([revoke(world, id), accept(people.stranger, token)]);
      expect([
        [200, 400],
        [404, 200],
      ]).toContainEqual([revoked.status, accepted.status]);
    }
  });
});

describe("the holder of an invitation", () => {
  test("the holder of an invitation sees its workspace, role and recipient, with or without an account", async () => {
    const world = await people.world();
    const token = await invite(world, { role: "admin", email: "ada@people.example" });
    const [workspace] = await world.rows("select name from workspaces where id = ?", world.workspaceId);
    for (const session of [createSession(url), people.stranger]) {
      const { status, body } = await show(session, token);
      const data = { workspaceName: workspace?.name, role: "admin", email: "ada@people.example" };
      expect([status, body]).toEqual([200, { data }]);
    }
    expect(await openIn(world)).toHaveLength(1);
  });

  test("the holder of an invitation sees it only while it is valid, and only from this service's origin", async () => {
    const world = await people.world();
    const token = await invite(world);
    const nobody = createSession(url);
    expect((await show(nobody, token, { headers: { origin: "https://evil.example" } })).status).toBe(403);
    expect((await accept(people.stranger, token)).status).toBe(200);
    expect(refusalOf(await show(nobody, token))).toBe(isUsed);
    expect(refusalOf(await show(nobody, randomBytes(32).toString("base64url")))).toBe(isUsed);
    expect(invalidFields(await nobody.post("/api/invitations/show", {}))).toEqual(["token"]);
  });

  test("the holder of an invitation can sign up with any email address, and is a member immediately", async () => {
    const world = await people.world();
    const token = await invite(world, { role: "admin" });
    const newcomer = await signUp(url, { invitation: token });
    const programs = await newcomer.get<{ data: unknown[] }>(`/api/programs?workspaceId=${world.workspaceId}`);
    expect([programs.status, programs.body.data.length]).toEqual([200, 1]);
    expect(refusalOf(await accept(people.stranger, token))).toBe(isUsed);
  });

  test("the holder of a used invitation can't sign up, and no account is created", async () => {
    const world = await people.world();
    const token = await invite(world);
    expect((await accept(people.stranger, token)).status).toBe(200);
    const email = `${randomUUID()}@people.example`;
    const account = { name: "Late", email, password: "a long passphrase", invitation: token };
    expect(refusalOf(await createSession(url).post("/api/auth/sign-up/email", account))).toBe(isUsed);
    expect(await world.rows("select id from users where email = ?", email)).toEqual([]);
  });
});
