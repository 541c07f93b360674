import { createHash, randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { Json } from "../../harness/client.ts";
import { createSession, type User } from "../../harness/session.ts";
import type { World } from "../../harness/world.ts";
import { sharedService, sharedUser } from "../support/shared-service.ts";
import { invalidFields, refusalOf, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile("suspended", "stranger");
const { url } = sharedService;

interface Workspace {
  readonly id: string;
  readonly name: string;
  readonly role: string;
}
interface Member {
  readonly id: string;
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  readonly role: string;
  readonly status: string;
}

const membersPath = ({ workspaceId }: Pick<World, "workspaceId">) => `/api/workspaces/${workspaceId}/members`;
const membersOf = async (world: Pick<World, "workspaceId">, user: User = people.owner) =>
  (await user.get<{ data: Member[] }>(membersPath(world))).body.data;
const accept = (user: User, token: string) =>
  user.post<{ data: { workspaceId: string; role: string } }>("/api/invitations/accept", { token });
const isUsed = "400 This invitation is invalid, expired or already used";
const lastOwner = "409 A workspace needs at least one active owner";

async function invite(world: World, role = "viewer", email = "somebody@people.example"): Promise<string> {
  const { status, text, body } = await people.owner.post<{ data: { inviteUrl: string } }>(membersPath(world), {
    email,
    role,
  });
  expect(status, text).toBe(201);
  return /token=([\w-]+)$/.exec(body.data.inviteUrl)?.[1] ?? "";
}

describe("a workspace", () => {
  test("a workspace is owned by its creator, who sees it and its members", async () => {
    const user = await sharedUser();
    const made = await user.post<{ data: Workspace }>("/api/workspaces", { name: "Bakery" });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      data: { id: expect.any(String), name: "Bakery", role: "owner", requireTwoFactor: false },
    });
    const { id } = made.body.data;
    expect((await user.get("/api/workspaces")).body).toEqual({
      data: [{ id, name: "Bakery", role: "owner", requireTwoFactor: false }],
      meta: { mayCreate: true },
    });
    expect(await membersOf({ workspaceId: id }, user)).toMatchObject([
      { userId: user.userId, email: user.email, role: "owner", status: "active" },
    ]);
    const programs = await user.get(`/api/programs?workspaceId=${id}`);
    expect([programs.status, programs.body]).toEqual([200, { data: [] }]);
  });

  test("a workspace is listed only for its active members", async () => {
    const { workspaceId } = await people.world();
    const list = async (user: User) =>
      (await user.get<{ data: Workspace[] }>("/api/workspaces")).body.data.find(({ id }) => id === workspaceId);
    expect(await list(people.viewer)).toMatchObject({ role: "viewer" });
    expect(await list(people.suspended)).toBeUndefined();
    expect(await list(people.stranger)).toBeUndefined();
  });

  test.each<[Json, string]>([
    [{}, "name"],
    [{ name: "" }, "name"],
    [{ name: "  " }, "name"],
    [{ name: 7 }, "name"],
    [{ name: "x".repeat(256) }, "name"],
    [{ name: "a\u0007b" }, "name"],
  ])("a workspace can't be created from %j", async (body, field) => {
    const reply = await people.stranger.post("/api/workspaces", body);
    expect([reply.status, invalidFields(reply)]).toEqual([400, [field]]);
  });

  test.each(["/api/workspaces", "/api/invitations/accept"])(
    "a call to create a workspace or accept an invitation requires a session and an origin: %s",
    async (path) => {
      const body = { name: "x", token: "x" };
      expect(refusalOf(await createSession(url).post(path, body))).toBe("401 Sign in first.");
      const elsewhere = { headers: { origin: "https://evil.example" } };
      expect((await people.stranger.post(path, body, elsewhere)).status).toBe(403);
      expect((await people.stranger.post(path, "{")).status).toBe(400);
      expect((await people.stranger.post(path, "[]")).status).toBe(400);
    },
  );
});

describe("members of a workspace", () => {
  test("members of a workspace are listed with their email address, including suspended members", async () => {
    const world = await people.world();
    const { admin, suspended } = people;
    expect(await membersOf(world, people.viewer)).toContainEqual({
      id: expect.any(String),
      userId: admin.userId,
      email: admin.email,
      name: "admin",
      role: "admin",
      status: "active",
      twoFactor: false,
    });
    expect(await membersOf(world)).toContainEqual(
      expect.objectContaining({ userId: suspended.userId, status: "suspended" }),
    );
  });

  test("members of a workspace can have their role and status changed in one call", async () => {
    const world = await people.world();
    const { viewer } = people;
    const { id = "" } = (await membersOf(world)).find(({ userId }) => userId === viewer.userId) ?? {};
    const change = (body: Json) => people.owner.patch<{ data: Member }>(`${membersPath(world)}/${id}`, body);
    const audit = async () => (await viewer.get(`/api/programs/${world.programId}/audit`)).status;

    expect(await audit()).toBe(403);
    expect((await change({ role: "admin" })).body).toEqual({
      data: expect.objectContaining({ id, role: "admin", status: "active" }),
    });
    expect(await audit()).toBe(200);
    expect((await change({ status: "suspended", role: null })).body.data).toMatchObject({
      role: "admin",
      status: "suspended",
    });
    expect(refusalOf(await viewer.get(membersPath(world)))).toBe("403 You are not an active member of this workspace");
    expect((await change({})).body.data).toMatchObject({ role: "admin", status: "suspended" });
    expect((await change({ status: "active", role: "viewer" })).status).toBe(200);
    expect(await audit()).toBe(403);
  });

  test("members of a workspace lose access as soon as they are removed, and can't be removed twice", async () => {
    const world = await people.world();
    const { id } = (await membersOf(world)).find(({ userId }) => userId === people.admin.userId) ?? {};
    const removed = await people.owner.delete(`${membersPath(world)}/${id}`);
    expect([removed.status, removed.body]).toMatchObject([200, { data: { id } }]);
    expect((await people.admin.get(membersPath(world))).status).toBe(403);
    expect(refusalOf(await people.owner.delete(`${membersPath(world)}/${id}`))).toBe("404 Member not found");
    expect(await membersOf(world)).toHaveLength(3);
  });

  test.each<[Json, string[]]>([
    [{ role: "king" }, ["role"]],
    [{ role: 1, status: "gone" }, ["role", "status"]],
  ])("a workspace member can't be changed to %j", async (body, fields) => {
    const world = await people.world();
    const { id } = (await membersOf(world))[1] ?? {};
    const reply = await people.owner.patch(`${membersPath(world)}/${id}`, body);
    expect([reply.status, invalidFields(reply)]).toEqual([400, fields]);
  });
});

describe("the last owner of a workspace", () => {
  const ownId = async (world: World, user: User) =>
    (await membersOf(world, user)).find(({ userId }) => userId === user.userId)?.id;

  test.each<[string, Json | undefined]>([
    ["can't be demoted", { role: "admin" }],
    ["can't be suspended", { status: "suspended" }],
    ["can't be demoted and suspended", { role: "viewer", status: "suspended" }],
    ["can't be removed", undefined],
  ])("the last owner of a workspace %s", async (_what, body) => {
    const world = await people.world();
    const path = `${membersPath(world)}/${await ownId(world, people.owner)}`;
    const reply = body === undefined ? await people.owner.delete(path) : await people.owner.patch(path, body);
    expect(refusalOf(reply)).toBe(lastOwner);
    expect((await membersOf(world)).filter(({ role, status }) => role === "owner" && status === "active")).toHaveLength(
      1,
    );
  });

  test("the last owner of a workspace can be set to the role and status they already have", async () => {
    const world = await people.world();
    const path = `${membersPath(world)}/${await ownId(world, people.owner)}`;
    expect((await people.owner.patch(path, { role: "owner", status: "active" })).status).toBe(200);
  });

  test("the last owner of a workspace can be demoted once there is another owner, who is then the last", async () => {
    const world = await people.world({
      members: [
        { user: people.owner, role: "owner" },
        { user: people.stranger, role: "owner" },
      ],
    });
    const path = `${membersPath(world)}/${await ownId(world, people.owner)}`;
    expect((await people.owner.patch(path, { role: "admin" })).status).toBe(200);
    expect(
      refusalOf(await people.stranger.delete(`${membersPath(world)}/${await ownId(world, people.stranger)}`)),
    ).toBe(lastOwner);
  });

  test.each([
    ["demotes the other", (user: User, path: string) => user.patch(path, { role: "viewer" })],
    ["suspends the other", (user: User, path: string) => user.patch(path, { status: "suspended" })],
    ["removes the other", (user: User, path: string) => user.delete(path)],
  ])("one owner of a workspace remains when each of two owners %s in parallel", async (_what, act) => {
    const two = [people.owner, people.stranger];
    for (let i = 0; i < 5; i += 1) {
      const world = await people.world({ members: two.map((user) => ({ user, role: "owner" })) });
      const ids = await Promise.all(two.map((user) => ownId(world, user)));
      const replies = await Promise.all(two.map((user, n) => act(user, `${membersPath(world)}/${ids[1 - n]}`)));
      const owners = await world.rows(
        "select id from memberships where workspace_id = ? and role = 'owner' and status = 'active'",
        world.workspaceId,
      );
      expect(owners, replies.map(({ text }) => text).join()).toHaveLength(1);
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    }
  });

  test("one owner of a workspace remains when all owners are removed in parallel", async () => {
    const three = [people.owner, people.stranger, people.admin];
    const world = await people.world({ members: three.map((user) => ({ user, role: "owner" })) });
    const ids = await Promise.all(three.map((user) => ownId(world, user)));
    const replies = await Promise.all(three.map((user, n) => user.delete(`${membersPath(world)}/${ids[n]}`)));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 200, 409]);
  });
});

describe("an invitation to a workspace", () => {
  test("an invitation to a workspace is a link, and the first user who accepts it becomes a member", async () => {
    const world = await people.world();
    const body = { email: "new@people.example", role: "admin" };
    const invited = await people.owner.post<{ data: { inviteUrl: string } }>(membersPath(world), body);
    expect(invited.body).toEqual({ data: { status: "invited", inviteUrl: expect.any(String) } });
    const { inviteUrl } = invited.body.data;
    expect(inviteUrl.startsWith(`${url}/app/#/`)).toBe(true);
    expect(inviteUrl).toMatch(/token=[A-Za-z0-9_-]{43}$/);

    const token = inviteUrl.slice(-43);
    const { status, body: accepted } = await accept(people.stranger, token);
    expect([status, accepted]).toEqual([200, { data: { workspaceId: world.workspaceId, role: "admin" } }]);
    expect((await people.stranger.get(`/api/programs/${world.programId}/audit`)).status).toBe(200);
    expect(refusalOf(await accept(people.stranger, token))).toBe(isUsed);
  });

  test("creating an invitation to a workspace returns the same response whether or not the email address has an account", async () => {
    const world = await people.world();
    const ask = async (email: string) => {
      const { status, text } = await people.owner.post(membersPath(world), { email, role: "viewer" });
      return `${status} ${text.replace(/token=[\w-]+/, "token=")}`;
    };
    const answers = [people.stranger.email, people.viewer.email, people.owner.email, "nobody@nowhere.example"].map(ask);
    expect(new Set(await Promise.all(answers)).size).toBe(1);
  });

  test("an invitation to a workspace is stored without its token", async () => {
    const world = await people.world();
    const token = await invite(world, "viewer");
    const rows = await world.rows("select * from invitations where workspace_id = ?", world.workspaceId);
    const kept = JSON.stringify(rows);
    expect(rows).toHaveLength(1);
    expect(kept).toContain(createHash("sha256").update(token).digest("hex"));
    expect(kept).not.toContain(token);
  });

  test("an invitation to a workspace can be accepted once, even by parallel calls", async () => {
    const world = await people.world();
    const followers = [people.stranger, ...(await Promise.all([1, 2, 3].map(() => sharedUser())))];
    const token = await invite(world);
    const replies = await Promise.all([...followers, ...followers].map((user) => accept(user, token)));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 7 }, () => 400)]);
    expect(await membersOf(world)).toHaveLength(5);
  });

  test("a user who accepts several invitations to a workspace in parallel gets only one membership", async () => {
    const world = await people.world();
    const tokens = await Promise.all([1, 2, 3].map(() => invite(world)));
    const replies = await Promise.all(tokens.map((token) => accept(people.stranger, token)));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    const unused = await world.rows(
      "select id from invitations where workspace_id = ? and accepted_at is null",
      world.workspaceId,
    );
    expect(unused).toHaveLength(2);
  });

  test("accepting an invitation to a workspace neither promotes a member nor reactivates a suspended one", async () => {
    const world = await people.world();
    const token = await invite(world, "owner");
    for (const member of [people.viewer, people.suspended, people.owner]) {
      expect(refusalOf(await accept(member, token))).toBe("409 You are already a member of this workspace");
    }
    expect(await membersOf(world)).toContainEqual(
      expect.objectContaining({ userId: people.viewer.userId, role: "viewer" }),
    );
    expect((await accept(people.stranger, token)).body.data.role).toBe("owner");
  });

  test("an invitation to a workspace expires after seven days", async () => {
    const world = await people.world();
    const token = await invite(world);
    const days = (n: number) => Date.now() - n * 24 * 3_600_000;
    const [row] = await world.rows(
      "select expires_at - created_at as ms from invitations where workspace_id = ?",
      world.workspaceId,
    );
    expect(row?.ms).toBe(7 * 24 * 3_600_000);
    const expire = (at: number) =>
      world.write({
        sql: "update invitations set expires_at = ? where workspace_id = ?",
        args: [at, world.workspaceId],
      });
    await expire(days(0) - 1_000);
    expect(refusalOf(await accept(people.stranger, token))).toBe(isUsed);
    await expire(days(-1));
    expect((await accept(people.stranger, token)).status).toBe(200);
  });

  test("an invitation to a workspace becomes invalid when its creator stops being an owner", async () => {
    const world = await people.world({
      members: [
        { user: people.owner, role: "owner" },
        { user: people.admin, role: "owner" },
      ],
    });
    const token = await invite(world, "owner");
    const { id } = (await membersOf(world)).find(({ userId }) => userId === people.owner.userId) ?? {};
    expect((await people.admin.delete(`${membersPath(world)}/${id}`)).status).toBe(200);
    expect(refusalOf(await accept(people.owner, token))).toBe(isUsed);
    expect(refusalOf(await accept(people.stranger, token))).toBe(isUsed);
  });

  test.each<[Json, string[]]>([
    [{}, ["email", "role"]],
    [{ email: "nobody", role: "viewer" }, ["email"]],
    [{ email: "a@b.example" }, ["role"]],
    [{ email: "a@b.example", role: "Owner" }, ["role"]],
  ])("an invitation to a workspace can't be created from %j", async (body, fields) => {
    const world = await people.world();
    const reply = await people.owner.post(membersPath(world), body);
    expect([reply.status, invalidFields(reply)]).toEqual([400, fields]);
  });

  test.each<[Json]>([[{}], [{ token: 1 }], [{ token: "" }]])("an invitation isn't accepted with %j", async (body) => {
    const reply = await people.stranger.post("/api/invitations/accept", body);
    expect([reply.status, invalidFields(reply)]).toEqual([400, ["token"]]);
  });

  test("an invitation to a workspace can't be accepted with an invalid token", async () => {
    expect(refusalOf(await accept(people.stranger, randomBytes(32).toString("base64url")))).toBe(isUsed);
  });
});
