import { randomUUID } from "node:crypto";
import { access, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import { createSession, signUp, type User } from "../../harness/session.ts";
import { addMember, type World } from "../../harness/world.ts";
import { inviteOwner } from "../../scripts/operate/invite-owner.ts";
import { isolatedService } from "../support/isolated-service.ts";
import { tributary } from "../support/tributary.ts";
import { refusalOf } from "../support/users-fixture.ts";

const own = isolatedService({ vars: { SIGN_UP: "invited" } });
afterEach(() => own.proxy.heal());

const byInvitation = "403 Sign-up is by invitation";

/** Creates the link that `npm run tributary -- invite-owner` prints. */
async function ownerLink(): Promise<string> {
  const env = { DATABASE_URL: own.database.url, BASE_URL: "https://tributary.example/" };
  const { stdout } = await tributary(["invite-owner"], env);
  return stdout.trim();
}
const ownerToken = async () => (await inviteOwner({ url: own.database.url }, own.service.url)).slice(-43);

const accountWith = (invitation?: string, email = `${randomUUID()}@people.example`) => ({
  name: "Ada",
  email,
  password: "a long passphrase",
  ...(invitation === undefined ? {} : { invitation }),
});
const ask = (account: ReturnType<typeof accountWith>) =>
  createSession(own.service.url).post("/api/auth/sign-up/email", account);
const signUpWith = (invitation: string) => signUp(own.service.url, { invitation });
const createWorkspace = (user: User) => user.post<{ data: { id: string } }>("/api/workspaces", { name: "Bakery" });
const mayCreate = async (user: User) =>
  (await user.get<{ meta: { mayCreate: boolean } }>("/api/workspaces")).body.meta.mayCreate;

async function founded() {
  const owner = await signUpWith(await ownerToken());
  const { body } = await createWorkspace(owner);
  const path = `/api/workspaces/${body.data.id}`;
  const invite = async (role: string) =>
    (
      await owner.post<{ data: { inviteUrl: string } }>(`${path}/members`, { role, email: "new@people.example" })
    ).body.data.inviteUrl.slice(-43);
  return { owner, path, invite, workspaceId: body.data.id };
}

const made = async (world: World, email: string) => ({
  users: await world.rows("select id from users where email = ?", email),
  accounts: await world.rows(
    "select accounts.id from accounts join users on users.id = accounts.user_id where email = ?",
    email,
  ),
  memberships: await world.rows(
    "select role from memberships join users on users.id = memberships.user_id where email = ?",
    email,
  ),
});

test("the file with the first sign-up link keeps the link at later starts, names this release's command, and is deleted once there is an account", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tributary-first-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "first-owner.txt");
  const start = () =>
    tributary(["invite-owner", "--first", file], { DATABASE_URL: own.database.url, BASE_URL: own.service.url });
  const stdout = `To create the first account, open the link in ${file}.\n`;
  expect(await start()).toEqual({ code: 0, stdout, stderr: "" });
  const written = await readFile(file, "utf8");
  const [advice = "", link = ""] = written.split("\n");
  await writeFile(file, `${advice.replace("npm run tributary --", "/opt/tributary/1/bin/tributary")}\n${link}\n`);
  expect(await start()).toEqual({ code: 0, stdout: "", stderr: "" });
  expect(await readFile(file, "utf8")).toBe(written);
  await signUpWith(link.slice(-43));
  expect(await start()).toEqual({ code: 0, stdout: "", stderr: "" });
  await expect(access(file)).rejects.toThrow("ENOENT");
});

test("the sign-up mode reports that an invitation is required", async () => {
  expect((await createSession(own.service.url).get("/api/auth/sign-up")).body).toEqual({
    signUp: "invited",
    sendsMail: false,
    provider: null,
  });
});

describe("a new account", () => {
  test("a new account requires the token of an open invitation", async () => {
    const world = await own.world();
    const { owner, path, invite } = await founded();
    const [used, revoked] = [await invite("viewer"), await invite("viewer")];
    await signUpWith(used);
    const open = await owner.get<{ data: { id: string }[] }>(`${path}/invitations`);
    expect((await owner.delete(`${path}/invitations/${open.body.data[0]?.id}`)).status).toBe(200);
    const expired = await ownerToken();
    await world.write({
      sql: "update sign_up_tokens set expires_at = ? where used_at is null",
      args: [Date.now() - 1],
    });
    const check = (token: string) => createSession(own.service.url).post("/api/auth/sign-up/check", { token });
    const users = async () => (await world.rows("select count(*) as n from users"))[0]?.n;
    const before = await users();
    for (const token of [undefined, "guess", used, revoked, expired]) {
      expect(refusalOf(await ask(accountWith(token)))).toBe(byInvitation);
      if (token !== undefined) {
        expect(refusalOf(await check(token))).toBe("400 This invitation is invalid, expired or already used");
      }
      // Without an invitation, the response doesn't reveal which addresses have accounts.
      expect(refusalOf(await ask(accountWith(token, owner.email)))).toBe(byInvitation);
    }
    for (const token of [await invite("viewer"), await ownerToken()]) expect((await check(token)).status).toBe(200);
    expect(await users()).toBe(before);
  });

  test("a new account receives the membership that the invitation grants", async () => {
    const { owner, path, invite } = await founded();
    const newcomer = await signUpWith(await invite("admin"));
    const members = await newcomer.get<{ data: unknown[] }>(`${path}/members`);
    expect(members.body.data).toContainEqual(
      expect.objectContaining({ userId: newcomer.userId, role: "admin", status: "active" }),
    );
    const audit = await owner.get<{ data: unknown[] }>(`${path}/audit`);
    expect(audit.body.data[0]).toMatchObject({ action: "account.signed_in", actor: newcomer.userId });
    expect(audit.body.data[1]).toMatchObject({
      action: "invitation.accepted",
      actor: newcomer.userId,
      after: { role: "admin", newAccount: true },
    });
    expect(audit.body.data).toHaveLength(4);
  });

  test("a new account is created once by parallel sign-ups with the same token", async () => {
    const { path, owner, invite } = await founded();
    for (const token of [await invite("viewer"), await ownerToken()]) {
      const replies = await Promise.all([1, 2, 3, 4].map(() => ask(accountWith(token))));
      expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 403, 403, 403]);
    }
    expect((await owner.get<{ data: unknown[] }>(`${path}/members`)).body.data).toHaveLength(2);
  });

  test("signing up with an existing account's email address doesn't use up the invitation", async () => {
    const { owner, invite } = await founded();
    for (const token of [await invite("viewer"), await ownerToken()]) {
      expect(refusalOf(await ask(accountWith(token, owner.email)))).toBe(
        "409 An account with this email already exists. Sign in.",
      );
      expect((await ask(accountWith(token))).status).toBe(200);
    }
  });

  test("a new account is created once if the database's response is lost, and completely or not at all if a write fails", {
    tags: "soak",
  }, async () => {
    const world = await own.world();
    const { owner, path, invite } = await founded();
    const token = await invite("viewer");
    const account = accountWith(token);
    // Limits are off, so the first write creates the account and the second the session.
    own.proxy.inject({ kind: "refuse" }, { only: "writes" });
    expect((await ask(account)).status).toBe(503);
    own.proxy.heal();
    expect(await made(world, account.email)).toEqual({ users: [], accounts: [], memberships: [] });

    own.proxy.inject({ kind: "cut" }, { only: "writes", times: 1 });
    expect((await ask(account)).status).toBe(200);
    const { users, accounts, memberships } = await made(world, account.email);
    expect([users.length, accounts.length, memberships]).toEqual([1, 1, [{ role: "viewer" }]]);
    expect((await owner.get<{ data: unknown[] }>(`${path}/audit`)).body.data).toHaveLength(4);
  });
});

describe("a workspace", () => {
  test("a workspace can be created by the first owner, who signs up with the operator's link", async () => {
    const link = await ownerLink();
    expect(link).toMatch(/^https:\/\/tributary\.example\/app\/#\/sign-up\?token=[\w-]{43}$/);
    const world = await own.world();
    const [row] = await world.rows("select * from sign_up_tokens order by created_at desc limit 1");
    expect(Number(row?.expires_at) - Number(row?.created_at)).toBe(24 * 3_600_000);
    expect(JSON.stringify(row)).not.toContain(link.slice(-43));

    const owner = await signUpWith(link.slice(-43));
    expect(await mayCreate(owner)).toBe(true);
    expect((await createWorkspace(owner)).status).toBe(201);
    expect((await createWorkspace(owner)).status).toBe(201);
  });

  test("a workspace can be created by active owners only", async () => {
    const { owner, path, invite } = await founded();
    const second = await signUpWith(await invite("owner"));
    const admin = await signUpWith(await invite("admin"));
    expect((await createWorkspace(second)).status).toBe(201);
    const third = await signUpWith(await invite("owner"));
    const { body } = await owner.get<{ data: { id: string; userId: string }[] }>(`${path}/members`);
    const { id } = body.data.find(({ userId }) => userId === third.userId) ?? {};
    await owner.patch(`${path}/members/${id}`, { status: "suspended" });
    const world = await own.world();
    for (const user of [admin, third]) {
      expect(await mayCreate(user)).toBe(false);
      expect(refusalOf(await createWorkspace(user))).toBe(`${byInvitation}: only owners create workspaces`);
      expect(
        await world.rows(
          "select id from memberships where user_id = ? and role = 'owner' and status = 'active'",
          user.userId,
        ),
      ).toEqual([]);
    }
  });
});

test("the log contains no sign-up token", async () => {
  const token = await ownerToken();
  await ask(accountWith(token));
  const log = JSON.stringify(own.service.logs);
  expect(log).toContain("/api/auth/sign-up/email");
  expect(log).not.toContain(token);
});

test("a partner's invitation lets one account sign up, and the same sign-up sent again returns 409", async () => {
  const world = await own.world({ partners: [{ name: "Anna" }] });
  const { owner } = await founded();
  await addMember(own.database.url, world.workspaceId, { user: owner, role: "admin" });
  const path = `/api/programs/${world.programId}/partners/${world.partner.id}/invitations`;
  const invite = async () => {
    const { body } = await owner.post<{ data: { inviteUrl: string } }>(path, {});
    return body.data.inviteUrl.replace(/^.*token=/, "");
  };
  const token = await invite();
  const replies = await Promise.all([1, 2, 3, 4].map(() => ask(accountWith(token))));
  expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400]);
  const used = "400 This invitation is invalid, expired or already used";
  const exists = "409 An account with this email already exists. Sign in.";
  // The response doesn't reveal which other addresses have accounts.
  expect(refusalOf(await ask(accountWith(token, owner.email)))).toBe(used);
  const next = accountWith(await invite());
  const same = await Promise.all([1, 2, 3].map(() => ask(next)));
  expect(same.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
  expect(refusalOf(await ask({ ...next, email: next.email.toUpperCase() }))).toBe(exists);
  const partner = createSession(own.service.url);
  expect((await partner.post("/api/auth/sign-in/email", next)).status).toBe(200);
  expect((await partner.post("/api/partner/invitations/accept", { token: next.invitation ?? "" })).status).toBe(200);
});

test("an account signed up with a partner's invitation has no workspaces", async () => {
  const world = await own.world({ partners: [{ name: "Anna" }] });
  const { owner } = await founded();
  await addMember(own.database.url, world.workspaceId, { user: owner, role: "admin" });
  const path = `/api/programs/${world.programId}/partners/${world.partner.id}/invitations`;
  const { body } = await owner.post<{ data: { inviteUrl: string } }>(path, {});
  const token = new URLSearchParams(body.data.inviteUrl.split("?")[1]).get("token") ?? "";
  const forged = `${token.slice(0, -43)}${"A".repeat(43)}`;
  expect(refusalOf(await ask(accountWith(forged)))).toBe(byInvitation);
  const partner = await signUpWith(token);
  expect((await partner.post("/api/partner/invitations/accept", { token })).status).toBe(200);
  expect(refusalOf(await ask(accountWith(token)))).toBe(byInvitation);
  expect(await mayCreate(partner)).toBe(false);
  const refused = await createWorkspace(partner);
  expect([refused.status, refused.body.error.details]).toEqual([403, { code: "no_workspaces" }]);
});

test("an open join page lets a person without an invitation sign up", async () => {
  const world = await own.world();
  const { owner } = await founded();
  await addMember(own.database.url, world.workspaceId, { user: owner, role: "admin" });
  const page = { mode: "approval", slug: "open-shop", headline: "", description: "", questions: [] };
  const join = (joinPage: string) =>
    createSession(own.service.url).post("/api/auth/sign-up/email", { ...accountWith(), joinPage });
  expect(refusalOf(await join("open-shop"))).toBe(byInvitation);
  await owner.put(`/api/programs/${world.programId}/join`, page);
  expect((await join("open-shop")).status).toBe(200);
  expect(refusalOf(await join("another-shop"))).toBe(byInvitation);
  await owner.patch(`/api/programs/${world.programId}`, { leadAuth: "server_required" });
  await owner.put(`/api/programs/${world.programId}/join`, { ...page, mode: "open" });
  expect((await join("open-shop")).status).toBe(200);
  await owner.put(`/api/programs/${world.programId}/join`, { ...page, mode: "closed" });
  expect(refusalOf(await join("open-shop"))).toBe(byInvitation);
});
