import { expect, test } from "vitest";
import type { Json } from "../../harness/client.ts";
import { createSession, type Session } from "../../harness/session.ts";
import type { World } from "../../harness/world.ts";
import { parseCsv } from "../support/parse-csv.ts";
import { sharedService, sharedUser } from "../support/shared-service.ts";
import { refusedAs, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

interface Invitation {
  readonly inviteUrl: string;
  readonly expiresAt: string;
}
interface Accepted {
  readonly programId: number;
  readonly partnerId: number;
  readonly role: string;
}

const newWorld = () => people.world({ partners: [{ name: "Anna" }, { name: "Bob" }] });
const programOf = ({ programId }: World) => `/api/programs/${programId}`;
const partnerOf = (world: World, i = 0) => world.partners[i]?.id ?? expect.unreachable();
const tokenOf = (url: string) => new URLSearchParams(url.split("?")[1]).get("token") ?? "";

async function invite(world: World, { i = 0, role = "manage", user = people.admin } = {}) {
  const path = `${programOf(world)}/partners/${partnerOf(world, i)}/invitations`;
  const reply = await user.post<{ data: Invitation }>(path, { role });
  return { reply, token: reply.status === 201 ? tokenOf(reply.body.data.inviteUrl) : "" };
}
const accept = (user: Session, token: string) =>
  user.post<{ data: Accepted }>("/api/partner/invitations/accept", { token });
const mine = async (user: typeof people.admin) =>
  (await user.get<{ data: unknown[]; meta: { unavailable: number } }>("/api/partner/programs")).body;
const accessTo = async (world: World, i = 0) =>
  (
    await people.admin.get<{ data: { accountId: string }[]; meta: { invitedUntil: string | null } }>(
      `${programOf(world)}/partners/${partnerOf(world, i)}/access`,
    )
  ).body;

test("an invitation gives one account access to a partner, and accepting it again returns the same response", async () => {
  const world = await newWorld();
  const [anna, other] = [await sharedUser(), await sharedUser()];
  const { reply, token } = await invite(world, { role: "view" });
  expect([reply.status, token]).toEqual([201, expect.stringMatching(/^svcp_[0-9a-z]+_[A-Za-z0-9_-]{43}$/)]);
  expect(reply.body.data.inviteUrl).toMatch(/^http.+\/partner\/#\/invitation\?token=svcp_/);
  const stored = await world.rows("select * from partner_invitations where program_id = ?", world.programId);
  expect(JSON.stringify(stored)).not.toContain(token);

  const nobody = createSession(sharedService.url);
  const preview = await nobody.post("/api/partner/invitations/preview", { token });
  expect(preview.body).toEqual({
    data: { programName: expect.any(String), partnerName: "Anna", email: null, role: "view", terms: null },
  });
  expect(refusedAs(await accept(nobody, token))).toEqual([401, "Sign in first."]);

  const { programId } = world;
  const granted = { data: { programId, partnerId: partnerOf(world), role: "view" } };
  const replies = await Promise.all([1, 2, 3].map(() => accept(anna, token)));
  for (const { status, body } of [...replies, await accept(anna, token)])
    expect([status, body]).toEqual([200, granted]);
  expect(refusedAs(await accept(other, token))).toEqual([400, "invitation_invalid"]);
  expect(refusedAs(await nobody.post("/api/partner/invitations/preview", { token }))[0]).toBe(400);

  expect(await mine(anna)).toEqual({
    data: [
      {
        ...{ programId, partnerId: partnerOf(world), programName: expect.any(String), name: "Anna" },
        ...{ role: "view", status: "active", isPaused: false, currency: "EUR", termsPending: false },
      },
    ],
    meta: { unavailable: 0, applications: [] },
  });
  expect((await mine(other)).data).toEqual([]);
  const { data, meta } = await accessTo(world);
  expect(data).toEqual([
    { accountId: anna.userId, email: anna.email, role: "view", since: expect.stringMatching(/Z$/) },
  ]);
  expect(meta).toEqual({ invitedUntil: null });
});

test("a partner sees whether the program has paused them or is paused as a whole", async () => {
  const world = await newWorld();
  const anna = await sharedUser();
  await accept(anna, (await invite(world)).token);
  const shown = async () => (await mine(anna)).data;
  const change = async (path: string, status: string) =>
    expect((await people.admin.patch(`${programOf(world)}${path}`, { status })).status).toBe(200);
  await change("", "paused");
  expect(await shown()).toMatchObject([{ status: "paused", isPaused: false }]);
  await change(`/partners/${partnerOf(world)}`, "paused");
  await change("", "active");
  expect(await shown()).toMatchObject([{ status: "paused", isPaused: true }]);
});

test("a refused acceptance of an invitation writes nothing, and existing access stays listed", async () => {
  const world = await newWorld();
  const [anna, other] = [await sharedUser(), await sharedUser()];
  const { token } = await invite(world);
  expect((await accept(anna, token)).status).toBe(200);
  expect(refusedAs(await accept(other, token))).toEqual([400, "invitation_invalid"]);
  const { token: second } = await invite(world);
  expect((await accept(other, second)).status).toBe(200);
  expect(refusedAs(await accept(anna, second))).toEqual([400, "invitation_invalid"]);
  const ended = await people.admin.delete(`${programOf(world)}/partners/${partnerOf(world)}/access/${other.userId}`);
  expect(ended.status).toBe(200);
  expect(refusedAs(await accept(anna, second))).toEqual([400, "invitation_invalid"]);
  expect((await mine(anna)).data).toHaveLength(1);
  const stranger = await sharedUser();
  expect(refusedAs(await accept(stranger, second))).toEqual([400, "invitation_invalid"]);
  const listed = await world.rows("select account_id from account_partners where program_id = ?", world.programId);
  expect(listed.map(({ account_id }) => account_id)).not.toContain(stranger.userId);
});

test("one of several accounts receives access to a partner if they accept in parallel", async () => {
  const world = await newWorld();
  const users = await Promise.all([1, 2, 3, 4].map(() => sharedUser()));
  const { token } = await invite(world);
  const statuses = await Promise.all(users.map(async (user) => (await accept(user, token)).status));
  expect(statuses.toSorted()).toEqual([200, 400, 400, 400]);
  expect((await accessTo(world)).data).toHaveLength(1);
  const listed = await Promise.all(users.map(async (user) => (await mine(user)).data.length));
  expect(listed).toEqual(statuses.map((status) => (status === 200 ? 1 : 0)));
});

test("a new invitation to a partner invalidates the older one, and removing access takes effect immediately", async () => {
  const world = await newWorld();
  const [anna, bob] = [await sharedUser(), await sharedUser()];
  const { token: old } = await invite(world);
  const { token } = await invite(world);
  expect((await accessTo(world)).meta.invitedUntil).toMatch(/Z$/);
  expect(refusedAs(await accept(anna, old))[0]).toBe(400);
  expect((await accept(anna, token)).status).toBe(200);
  const { token: second } = await invite(world);
  expect((await accept(bob, second)).status).toBe(200);
  expect((await accessTo(world)).data).toHaveLength(2);

  const path = `${programOf(world)}/partners/${partnerOf(world)}/access/${anna.userId}`;
  expect(refusedAs(await people.viewer.delete(path))[0]).toBe(403);
  expect((await people.admin.delete(path)).status).toBe(200);
  expect(refusedAs(await people.admin.delete(path))).toEqual([404, "Account not found"]);
  expect((await mine(anna)).data).toEqual([]);
  expect((await mine(bob)).data).toHaveLength(1);
  expect(refusedAs(await accept(anna, token))[0]).toBe(400);
});

test("an expired, forged or unknown invitation token gives no access to a partner", async () => {
  const world = await newWorld();
  const user = await sharedUser();
  const { token } = await invite(world);
  await world.write({
    sql: "update partner_invitations set expires_at = ? where program_id = ?",
    args: [Date.now() - 1, world.programId],
  });
  const [, programPart = ""] = token.split("_");
  for (const wrong of [
    token,
    `svcp_${programPart}_${"A".repeat(43)}`,
    `svcp_zzzzzzz_${"A".repeat(43)}`,
    "svcp_",
    "x",
  ]) {
    expect(refusedAs(await accept(user, wrong))[0]).toBe(400);
    expect(refusedAs(await user.post("/api/partner/invitations/preview", { token: wrong }))[0]).toBe(400);
  }
  expect(await world.rows("select * from partner_accounts where program_id = ?", world.programId)).toEqual([]);
});

test("one call invites all partners without an account and returns a file of links, and revoking the invitations invalidates the links", async () => {
  const world = await newWorld();
  const [anna, bob] = [await sharedUser(), await sharedUser()];
  expect((await accept(anna, (await invite(world)).token)).status).toBe(200);
  const path = `${programOf(world)}/partners/invitations`;
  const file = async (body: Json) => parseCsv((await people.admin.post(path, body)).text);
  const [head, line, ...others] = await file({});
  expect([head, line, others]).toEqual([
    ["name", "email", "invite_url"],
    ["Bob", expect.anything(), expect.any(String)],
    [],
  ]);
  expect(await file({ partnerIds: [partnerOf(world, 0)] })).toHaveLength(1);
  expect(refusedAs(await people.admin.post(path, { days: 15 }))[0]).toBe(400);
  expect((await people.admin.delete(path)).status).toBe(200);
  expect((await people.admin.delete(path)).status).toBe(200);
  expect(refusedAs(await accept(bob, tokenOf(line?.[2] ?? "")))[0]).toBe(400);
  expect((await accessTo(world)).data).toHaveLength(1);
  const entries = await world.rows(
    "select action from audit_entries where program_id = ? and action like 'partner_%' order by id",
    world.programId,
  );
  expect(entries.map(({ action }) => action)).toEqual([
    "partner_invitation.created",
    "partner_access.granted",
    "partner_invitation.created",
    "partner_invitation.revoked",
  ]);

  const listed = async () => (await people.admin.get<{ data: Json[] }>(path)).body.data;
  expect(await listed()).toMatchObject([{ name: "Bob", hasAddress: false, isMailed: false }]);
  const email = { email: "bob@shop.example" };
  expect((await people.admin.patch(`${programOf(world)}/partners/${partnerOf(world, 1)}`, email)).status).toBe(200);
  expect(await listed()).toMatchObject([{ name: "Bob", hasAddress: true, isMailed: false }]);
});

test("an account with access to a partner receives the role of a further invitation it accepts, which is then invalid for other accounts", async () => {
  const world = await newWorld();
  const [anna, other] = [await sharedUser(), await sharedUser()];
  expect((await accept(anna, (await invite(world, { role: "view" })).token)).status).toBe(200);
  const { token } = await invite(world, { role: "manage" });
  expect((await accept(anna, token)).body).toMatchObject({ data: { role: "manage" } });
  expect(refusedAs(await accept(other, token))).toEqual([400, "invitation_invalid"]);
  expect((await accessTo(world)).data).toMatchObject([{ accountId: anna.userId, role: "manage" }]);
  expect(await world.audit()).toEqual([]);
});

test("an account that is invited again after its access was removed can accept the same terms again", async () => {
  const world = await newWorld();
  const anna = await sharedUser();
  await people.admin.post(`${programOf(world)}/terms`, { text: "Be kind." });
  const acceptTerms = (token: string) => anna.post("/api/partner/invitations/accept", { token, termsVersion: 1 });
  for (const role of ["view", "manage"]) {
    expect((await acceptTerms((await invite(world, { role })).token)).status).toBe(200);
    const path = `${programOf(world)}/partners/${partnerOf(world)}/access/${anna.userId}`;
    if (role === "view") expect((await people.admin.delete(path)).status).toBe(200);
  }
  expect((await mine(anna)).data).toHaveLength(1);
  expect(await world.audit()).toEqual([]);
});

test("an account's list of partners is complete even if it is read while the account accepts an invitation, and a lost entry returns once the account reads that partner", async () => {
  const world = await newWorld();
  const anna = await sharedUser();
  const { token } = await invite(world);
  const [accepted] = await Promise.all([accept(anna, token), ...[1, 2, 3, 4].map(() => mine(anna))]);
  expect(accepted.status).toBe(200);
  expect((await mine(anna)).data).toHaveLength(1);
  await world.write({ sql: "delete from account_partners where account_id = ?", args: [anna.userId] });
  const side = `/api/partner/programs/${world.programId}/partners/${partnerOf(world)}/overview`;
  expect((await anna.get(side)).status).toBe(200);
  const entries = await world.rows("select partner_id from account_partners where account_id = ?", anna.userId);
  expect(entries).toEqual([{ partner_id: partnerOf(world) }]);
});
