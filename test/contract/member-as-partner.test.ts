import { expect, test } from "vitest";
import type { JsonObject, Reply } from "../../harness/client.ts";
import type { Session } from "../../harness/session.ts";
import type { World } from "../../harness/world.ts";
import { expectConsistentInTheEnd } from "../support/expect-ledger-consistent.ts";
import { sharedUser } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile("suspended");

const told = ({ status, body: { error } }: Reply<unknown>) => [status, error?.details?.code ?? error?.details ?? null];
const ofMember = [403, "member_of_workspace"];

async function openShop() {
  const world = await people.world({ partners: [{ name: "Anna" }] });
  expectConsistentInTheEnd(world);
  const path = `/api/programs/${world.programId}`;
  const invite = (user: Session, body: JsonObject = {}) =>
    user.post<{ data: { inviteUrl: string } }>(`${path}/partners/${world.partner.id}/invitations`, body);
  return {
    ...{ world, path, invite },
    token: async (user: Session, body?: JsonObject) =>
      (await invite(user, body)).body.data.inviteUrl.split("token=")[1] ?? "",
    join: `member-${world.programId}`,
  };
}
const accept = (user: Session, token: string) => user.post("/api/partner/invitations/accept", { token });
const joinWorkspace = (world: World, userId: string) =>
  world.write({
    sql: "insert into memberships (id, workspace_id, user_id, role, status, created_at) values (?1, ?2, ?1, 'viewer', 'active', 1)",
    args: [userId, world.workspaceId],
  });

test("a member can become a partner of the workspace's program only by an owner's invitation with member: true", async () => {
  const { world, path, invite, token } = await openShop();
  const usual = await token(people.owner);
  for (const member of [people.admin, people.viewer, people.owner, people.suspended]) {
    expect(told(await accept(member, usual))).toEqual(ofMember);
  }
  expect((await people.admin.get(`${path}/partners/${world.partner.id}/access`)).text).toContain('"data":[]');
  expect(told(await invite(people.admin, { member: true }))).toEqual([403, { needed: "owner" }]);
  const meant = await token(people.owner, { member: true });
  expect((await accept(people.admin, meant)).status).toBe(200);
  expect((await accept(people.admin, meant)).status).toBe(200);
  const [entry] = await world.rows(
    "select after from audit_entries where program_id = ? and action = 'partner_invitation.created' order by id desc limit 1",
    world.programId,
  );
  expect(JSON.parse(String(entry?.after))).toMatchObject({ member: true });
});

test("an invitation with member: true also works for people who aren't members, and doesn't make a later invitation without it work for members", async () => {
  const { token } = await openShop();
  await token(people.owner, { member: true });
  const usual = await token(people.owner);
  expect(told(await accept(people.admin, usual))).toEqual(ofMember);
  const meant = await token(people.owner, { member: true });
  expect((await accept(await sharedUser(), meant)).status).toBe(200);
});

test("a member can't apply on the join page, and an application from before their membership can't be approved", async () => {
  const { world, path, join } = await openShop();
  const page = { mode: "approval", slug: join, headline: "", description: "", questions: [] };
  expect((await people.owner.put(`${path}/join`, page)).status).toBe(200);
  const apply = (user: Session) => user.post(`/api/join/${join}`, { name: "Eve", answers: {} });
  expect(told(await apply(people.admin))).toEqual(ofMember);

  const applicant = await sharedUser();
  expect((await apply(applicant)).status).toBe(201);
  await joinWorkspace(world, applicant.userId);
  expect((await apply(applicant)).status).toBe(200);
  const { body } = await people.admin.get<{ data: { id: number }[] }>(`${path}/applications`);
  const [{ id } = { id: 0 }] = body.data;
  expect(told(await people.admin.post(`${path}/applications/${id}/approve`, {}))).toEqual(ofMember);
  const many = await people.admin.post<{ data: JsonObject[] }>(`${path}/applications/approve`, { ids: [id] });
  expect(many.body.data).toMatchObject([{ id, result: "refused", code: "member_of_workspace" }]);
  expect((await people.admin.post(`${path}/applications/${id}/decline`, {})).status).toBe(200);
});

test("the details of a partner and of a payout show who set the payment details, and when", async () => {
  const { world, path } = await openShop();
  const details = { method: "paypal", account: "anna@partners.example", holder: "Anna" };
  const at = `${path}/partners/${world.partner.id}`;
  expect((await people.owner.put(`${at}/payment`, details)).status).toBe(200);
  const by = { setBy: people.owner.email, setAt: expect.stringMatching(/Z$/) };
  expect((await people.admin.get(at)).body).toMatchObject({ data: { payment: { ...by, earlierAccount: null } } });
  const replaced = { ...details, account: "ada@partners.example" };
  expect((await people.owner.put(`${at}/payment`, replaced)).status).toBe(200);
  const earlierAccount = { method: "paypal", last4: "a•••@partners.example" };
  expect((await people.admin.get(at)).body).toMatchObject({ data: { payment: { ...by, earlierAccount } } });
  const bonus = { amountCents: 500, currency: "EUR", reason: "r", reference: "b" };
  await people.owner.post(`${at}/adjustments`, bonus);
  const { body } = await people.admin.post<{ data: { id: number; lines: JsonObject[] } }>(`${path}/payouts`, {
    currency: "EUR",
  });
  const line = { paymentSetBy: by.setBy, paymentSetAt: by.setAt };
  expect(body.data.lines).toMatchObject([line]);
  const payout = `${path}/payouts/${body.data.id}`;
  expect((await people.admin.get(payout)).body).toMatchObject({ data: { lines: [line] } });
  expect((await people.viewer.get(payout)).text).not.toContain("paymentSet");
});
