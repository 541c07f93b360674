import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSession, type Session, signUp } from "../../harness/session.ts";
import { inviteOwner } from "../../scripts/operate/invite-owner.ts";
import { isolatedService } from "../support/isolated-service.ts";
import { navigate, oidcFixture, startProvider } from "../support/oidc-provider.ts";
import { partnerSide } from "../support/partner-side.ts";

const provider = await startProvider();
const excepted = "excepted@people.example";
const own = isolatedService({
  vars: {
    ...provider.vars,
    OIDC_REQUIRED: "on",
    OIDC_EXCEPT: ` ${excepted.toUpperCase()} ,other@people.example`,
    SIGN_UP: "invited",
  },
});
beforeAll(() => provider.serve(own.service.url));
afterAll(() => provider.stop());

const { newPerson, newBrowser, signIn, userOf, link } = oidcFixture(provider, () => own.service.url);

const codeOf = ({ status, body }: { status: number; body: object }) =>
  `${status} ${Reflect.get(body, "error")?.details.code ?? ""}`.trim();
const required = "403 oidc_required";

const ownerToken = async () => (await inviteOwner({ url: own.database.url }, own.service.url)).slice(-43);

const signInInvited = async (session: Session, person = newPerson()) => {
  const { body } = await session.post<{ data: { url: string } }>("/api/auth/oidc", { invitation: await ownerToken() });
  return navigate(session, await provider.signIn(body.data.url, person.sub));
};

test("the sign-in page shows that members must sign in at the provider", async () => {
  expect((await newBrowser().get("/api/auth/sign-up")).body).toMatchObject({ provider: { required: true } });
});

test("a new member signs up at the provider with the invitation, once", async () => {
  const session = newBrowser();
  const invitation = await ownerToken();
  const account = { name: "Ada", email: "ada@people.example", password: "a long passphrase", invitation };
  expect(codeOf(await session.post("/api/auth/sign-up/email", account))).toBe(required);
  expect(await signIn(session, newPerson())).toMatchObject({ status: 403, code: "sign_up_by_invitation" });
  const begin = async () =>
    (await session.post<{ data: { url: string } }>("/api/auth/oidc", { invitation, returnTo: "/app/a" })).body.data.url;
  const person = newPerson();
  expect(await navigate(session, await provider.signIn(await begin(), person.sub))).toMatchObject({
    location: "/app/",
  });
  const { body } = await session.post<{ data: { id: string } }>("/api/workspaces", { name: "Bakery" });
  expect((await session.get(`/api/workspaces/${body.data.id}/members`)).status).toBe(200);
  const late = await navigate(newBrowser(), await provider.signIn(await begin(), newPerson().sub));
  expect(late).toMatchObject({ status: 403, code: "oidc_failed" });
  const other = newBrowser();
  const again = await other.post<{ data: { url: string } }>("/api/auth/oidc", { invitation });
  const used = await navigate(other, await provider.signIn(again.body.data.url, newPerson().sub));
  expect(used).toMatchObject({ status: 403, code: "sign_up_by_invitation" });
});

test("if members must sign in at the provider, a session that began with a password can't read a workspace, but can link the account", async () => {
  const user = await own.user();
  const world = await own.world({ members: [{ user, role: "owner" }] });
  const members = (session: Session) => session.get(`/api/workspaces/${world.workspaceId}/members`);
  const program = (session: Session) => session.get(`/api/tracking/overview/${world.programId}`);
  expect(codeOf(await members(user))).toBe(required);
  expect(codeOf(await program(user))).toBe(required);
  expect(await isReadOnly(user)).toBe(false);
  const person = newPerson();
  expect(await link(user, person)).toMatchObject({ status: 302 });
  const session = newBrowser();
  await signIn(session, person);
  expect([(await members(session)).status, (await program(session)).status]).toEqual([200, 200]);
  const { email, password } = user;
  const byPassword = () => newBrowser().post("/api/auth/sign-in/email", { email, password });
  expect(codeOf(await byPassword())).toBe(required);
  const wrong = await newBrowser().post("/api/auth/sign-in/email", { email, password: "another passphrase" });
  expect(wrong.status).toBe(401);
});

test("a session that began with a password can't list or create workspaces, or accept an invitation to one", async () => {
  const owner = newBrowser();
  await signInInvited(owner);
  const { body } = await owner.post<{ data: { id: string } }>("/api/workspaces", { name: "Bakery" });
  const user = await own.user();
  const invited = await owner.post<{ data: { inviteUrl: string } }>(`/api/workspaces/${body.data.id}/members`, {
    email: user.email,
    role: "admin",
  });
  const token = invited.body.data.inviteUrl.slice(-43);
  const accept = (session: Session) => session.post("/api/invitations/accept", { token });
  expect(codeOf(await user.get("/api/workspaces"))).toBe(required);
  expect(codeOf(await user.get("/api/locations"))).toBe(required);
  expect(codeOf(await user.post("/api/workspaces", { name: "Bakery" }))).toBe(required);
  expect(codeOf(await accept(user))).toBe(required);
  expect((await user.get("/api/notifications")).status).toBe(200);
  const person = newPerson();
  await link(user, person);
  expect((await user.post("/api/auth/sign-out")).status).toBe(200);
  await signIn(user, person);
  expect((await accept(user)).body).toMatchObject({ data: { workspaceId: body.data.id, role: "admin" } });
  expect((await user.get("/api/workspaces")).body).toMatchObject({ data: [{ name: "Bakery" }] });
});

const isReadOnly = async (session: Session) =>
  (await session.get<{ data: { readOnly: boolean } }>("/api/auth/identity")).body.data.readOnly;

describe("a session that a linked member began with a password", () => {
  /** A member whose account was linked in one session while another session, which began with a password, was open. */
  const linkedMember = async () => {
    const user = await own.user();
    const world = await own.world({ members: [{ user, role: "owner" }], partners: [{}] });
    const side = await partnerSide(world, user, world.partner.id);
    const { email, password } = user;
    const other = newBrowser();
    expect((await other.post("/api/auth/sign-in/email", { email, password })).status).toBe(200);
    const person = newPerson();
    expect(await link(user, person)).toMatchObject({ status: 302 });
    return { user, side, other, person };
  };

  test("a linked member's session that began with a password ends when another session links the account", async () => {
    const { user, other, person } = await linkedMember();
    expect([await userOf(other), (await userOf(user))?.user.id]).toEqual([null, user.userId]);
    const session = newBrowser();
    await signIn(session, person);
    expect((await userOf(session))?.user.id).toBe(user.userId);
    expect((await userOf(user))?.user.id).toBe(user.userId);
  });

  test("a linked member's session that began with a password can't change anything in the account, or access a partner", async () => {
    const { user, side, person } = await linkedMember();
    const { password } = user;
    const calls = [
      user.delete("/api/auth/identity"),
      user.post("/api/auth/oidc/link", {}),
      user.post("/api/auth/oidc/confirm", {}),
      user.post("/api/auth/totp", { password }),
      user.post("/api/auth/totp/confirm", { code: "123456" }),
      user.post("/api/auth/totp/recovery-codes", { password, code: "123456" }),
      user.delete("/api/auth/totp", { body: { password, code: "123456" } }),
      user.post("/api/auth/change-password", { currentPassword: password, newPassword: "quite another passphrase" }),
      user.post("/api/auth/reauthenticate", { password }),
      user.post("/api/auth/update-user", { name: "Ben" }),
      user.post("/api/auth/revoke-other-sessions", {}),
      user.delete("/api/auth/user", { body: { password } }),
      user.put("/api/notifications", { all: "off" }),
      user.get("/api/partner/programs"),
      user.get(`${side}/overview`),
    ];
    expect(new Set((await Promise.all(calls)).map(codeOf))).toEqual(new Set([required]));
    const session = newBrowser();
    await signIn(session, person);
    expect((await session.get(`${side}/overview`)).status).toBe(200);
    expect((await session.delete("/api/auth/identity")).status).toBe(200);
  });

  test("a linked member's session that began with a password can read what the Account page shows, and can sign out", async () => {
    const { user } = await linkedMember();
    const paths = ["/api/auth/identity", "/api/auth/list-sessions", "/api/auth/activity", "/api/notifications"];
    for (const path of paths) expect((await user.get(path)).status, path).toBe(200);
    expect(await isReadOnly(user)).toBe(true);
    expect((await user.post("/api/auth/sign-out")).status).toBe(200);
    expect(await userOf(user)).toBeNull();
  });

  test("a linked member's session that began with a password gets no more rights when the member is suspended", async () => {
    const { user, side, person } = await linkedMember();
    const { write } = await own.world();
    await write({ sql: "update memberships set status = 'suspended' where user_id = ?", args: [user.userId] });
    const { email, password } = user;
    const calls = [
      user.delete("/api/auth/identity"),
      user.post("/api/auth/change-password", { currentPassword: password, newPassword: "quite another passphrase" }),
      user.get(`${side}/overview`),
      newBrowser().post("/api/auth/sign-in/email", { email, password }),
    ];
    expect(new Set((await Promise.all(calls)).map(codeOf))).toEqual(new Set([required]));
    const session = newBrowser();
    await signIn(session, person);
    expect((await session.get(`${side}/overview`)).status).toBe(200);
    expect(await isReadOnly(session)).toBe(false);
  });
});

test("members whose email address is in OIDC_EXCEPT can still sign in with their password", async () => {
  const invitation = await ownerToken();
  const user = await signUp(own.service.url, { email: excepted, invitation });
  expect((await user.get("/api/workspaces")).status).toBe(200);
  const { body } = await user.post<{ data: { id: string } }>("/api/workspaces", { name: "Bakery" });
  expect((await user.get(`/api/workspaces/${body.data.id}/members`)).status).toBe(200);
  await link(user, newPerson());
  const session = createSession(own.service.url);
  const { password } = user;
  expect((await session.post("/api/auth/sign-in/email", { email: excepted, password })).status).toBe(200);
  expect((await session.delete("/api/auth/identity")).status).toBe(200);
});

test("partners can still use their passwords if members must sign in at the provider", async () => {
  const world = await own.world({ partners: [{}] });
  const partner = await own.user();
  const side = await partnerSide(world, partner, world.partner.id);
  expect((await partner.get(`${side}/overview`)).status).toBe(200);
  await link(partner, newPerson());
  expect(await isReadOnly(partner)).toBe(false);
  const session = newBrowser();
  const { email, password } = partner;
  expect((await session.post("/api/auth/sign-in/email", { email, password })).status).toBe(200);
  expect((await session.get(`${side}/overview`)).status).toBe(200);
  expect((await session.delete("/api/auth/identity")).status).toBe(200);
});

test("an owner can't view a partner's pages in a session that began with a password", async () => {
  const user = await own.user();
  const world = await own.world({ members: [{ user, role: "owner" }], partners: [{}] });
  const path = `/api/partner/programs/${world.programId}/partners/${world.partner.id}/overview?as=owner`;
  expect(codeOf(await user.get(path))).toBe(required);
});

test("a second factor that the provider checked is enough for an owner of a workspace that requires two-factor authentication", async () => {
  const session = newBrowser();
  await signInInvited(session);
  const { body } = await session.post<{ data: { id: string } }>("/api/workspaces", { name: "Bakery" });
  const path = `/api/workspaces/${body.data.id}`;
  const { write } = await own.world();
  await write({ sql: "update workspaces set require_two_factor = 1 where id = ?", args: [body.data.id] });
  expect(codeOf(await session.patch(path, { name: "B" }))).toBe("403 two_factor_required");
  const id = (await userOf(session))?.session.id ?? "";
  await write({ sql: "update sessions set has_provider_factor = 1 where id = ?", args: [id] });
  expect((await session.patch(path, { name: "B" })).status).toBe(200);
});
