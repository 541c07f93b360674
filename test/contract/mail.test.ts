import type { ServerResponse } from "node:http";
import { beforeAll, expect, test } from "vitest";
import type { Json } from "../../harness/client.ts";
import type { User } from "../../harness/session.ts";
import type { World } from "../../harness/world.ts";
import { eventually, isolatedService } from "../support/isolated-service.ts";
import { accepting, mailReceiver } from "../support/mail-receiver.ts";
import { partnerSide } from "../support/partner-side.ts";
import { programFixture } from "../support/program-fixture.ts";
import { salesFixture } from "../support/sales-fixture.ts";

const mailer = await mailReceiver();
const own = isolatedService({ vars: mailer.vars });

let owner: User;
beforeAll(async () => {
  owner = await own.user("Olga");
});

interface Invited {
  readonly data: { readonly inviteUrl: string; readonly mailedTo: string | null };
}

const open = (partners: readonly object[] = [{}]) =>
  own.world({ partners, members: [{ user: owner, role: "owner" }], policies: [{ holdDays: 0 }] });
const pathOf = ({ programId }: World) => `/api/programs/${programId}`;
const mailsOf = (world: World) =>
  world.rows("select * from mails where program_id = ? order by created_at, id", world.programId);
const settled = (world: World, count: number) =>
  eventually(
    () => mailsOf(world),
    (rows) => rows.length === count && rows.every((row) => row.delivered_at !== null),
  );

let addresses = 0;
/** Sets the email address of the world's first partner. */
async function withAddress(world: World): Promise<string> {
  addresses += 1;
  const email = `ada-${addresses}-${world.programId}@example.com`;
  await world.change({
    sql: "update partners set email = ?1, email_hash = iif(?1 is null, null, 'of an address') where id = ?2",
    args: [email, world.partner.id],
  });
  return email;
}
const invite = (world: World, body: Json = {}) =>
  owner.post<Invited>(`${pathOf(world)}/partners/${world.partner.id}/invitations`, body);

test("an invitation is sent once and signed, and its row doesn't contain the address or the link in plain text", async () => {
  const world = await open();
  const email = await withAddress(world);
  mailer.answerWith((reply) => void reply.writeHead(500).end());
  const { status, body } = await invite(world);
  expect([status, body.data.mailedTo]).toEqual([201, `a•••@example.com`]);
  await eventually(
    async () => mailer.to(email),
    (mails) => mails.length === 1,
  );
  const [waiting] = await eventually(
    () => mailsOf(world),
    (rows) => rows[0]?.attempts === 1,
  );
  const token = new URL(body.data.inviteUrl).hash.split("token=")[1] ?? "";
  for (const secret of [email, token, "Test program"]) expect(JSON.stringify(waiting)).not.toContain(secret);
  expect(waiting?.content).not.toBeNull();

  mailer.answerWith(accepting);
  const [row] = await settled(world, 1);
  expect(row).toMatchObject({
    template: "partner_invitation",
    attempts: 2,
    content: null,
    due_at: null,
    failed_at: null,
  });
  const mails = mailer.to(email);
  expect(mails).toHaveLength(2);
  expect(new Set(mails.map(({ id }) => id))).toEqual(new Set([`mail_${row?.id}`]));
  expect(mails.every(({ isSigned }) => isSigned)).toBe(true);
  expect(mails[0]).toMatchObject({ template: "partner_invitation", to: email });
  expect(mails[0]?.text).toContain(body.data.inviteUrl);
});

test("no email is sent to a partner without an address, or if the call has mail: false", async () => {
  const world = await open();
  expect((await invite(world)).body.data.mailedTo).toBeNull();
  await withAddress(world);
  expect((await invite(world, { mail: false })).body.data.mailedTo).toBeNull();
  expect(await mailsOf(world)).toEqual([]);
});

test.each<[string, (reply: ServerResponse) => unknown]>([
  ["a redirect", (reply) => reply.writeHead(302, { location: "/elsewhere" }).end()],
  ["a broken connection", (reply) => reply.destroy()],
])("an attempt to send an email fails if the mail hook responds with %s", { tags: "soak" }, async (_, answer) => {
  const world = await open();
  const email = await withAddress(world);
  mailer.answerWith(answer);
  await invite(world);
  const [row] = await eventually(
    () => mailsOf(world),
    (rows) => Number(rows[0]?.attempts) > 0,
  );
  expect(row).toMatchObject({ delivered_at: null, failed_at: null });
  mailer.answerWith(accepting);
  await settled(world, 1);
  expect(mailer.to(email)).toHaveLength(2);
});

test("a pending email is sent after a restart of the process, without any API call", async () => {
  const world = await open();
  const email = await withAddress(world);
  // The receiver never responds.
  mailer.answerWith(() => {});
  await invite(world);
  await eventually(
    async () => mailer.to(email),
    (mails) => mails.length === 1,
  );
  await own.service.kill();
  mailer.answerWith(accepting);
  await own.service.restart();
  await settled(world, 1);
  expect(new Set(mailer.to(email).map(({ id }) => id)).size).toBe(1);
});

test("a change of a partner's email address sends an email to the previous address", async () => {
  const world = await open();
  const email = await withAddress(world);
  mailer.answerWith(accepting);
  const change = (to: string) => owner.patch(`${pathOf(world)}/partners/${world.partner.id}`, { email: to });
  await change(email);
  expect(await mailsOf(world)).toEqual([]);
  await change(`other-${email}`);
  await settled(world, 1);
  expect(mailer.to(email)).toMatchObject([{ template: "details_changed" }]);
  expect(mailer.to(`other-${email}`)).toEqual([]);
});

test("setting or clearing payment details sends the partner one email, and setting the same details sends none", async () => {
  const world = await open();
  const email = await withAddress(world);
  mailer.answerWith(accepting);
  const [ada, bob] = [await own.user("Ada"), await own.user("Bob")];
  const side = await partnerSide(world, ada, world.partner.id);
  await partnerSide(world, bob, world.partner.id);
  const details = { method: "paypal", account: "ada@pay.example", holder: "Ada" };
  const ownersPath = `${pathOf(world)}/partners/${world.partner.id}`;
  for (const password of ["wrong", ada.password, ada.password])
    await ada.put(`${side}/payment`, { ...details, password });
  await settled(world, 1);
  for (let repeat = 0; repeat < 2; repeat += 1) {
    expect((await owner.put(`${ownersPath}/payment`, { ...details, account: "eve@pay.example" })).status).toBe(200);
  }
  await settled(world, 2);
  await ada.put(`${side}/payment`, { ...details, password: ada.password });
  await settled(world, 3);
  const end = (account: User) => owner.delete(`${ownersPath}/access/${account.userId}`);
  expect((await end(bob)).status).toBe(200);
  expect((await end(ada)).status).toBe(200);
  await settled(world, 4);

  const mails = mailer.to(email);
  expect(mails.map(({ template, subject }) => [template, subject.startsWith("Your payment details at ")])).toEqual(
    Array.from({ length: 4 }, () => ["details_changed", true]),
  );
  for (const secret of ["ada@pay.example", "eve@pay.example"]) expect(JSON.stringify(mails)).not.toContain(secret);
  expect(await world.audit()).toEqual([]);
});

test("an applicant receives an email about the application, and one about the decision", async () => {
  const world = await open();
  mailer.answerWith(accepting);
  const slug = `shop-${world.programId}`;
  const page = { mode: "approval", slug, headline: "Earn", description: "", questions: [] };
  expect((await owner.put(`${pathOf(world)}/join`, page)).status).toBe(200);
  const applicants = [await own.user("Ada"), await own.user("Bob")];
  await world.write({ sql: "update users set email_verified = 1", args: [] });
  for (const applicant of applicants) {
    for (const status of [201, 200]) {
      expect((await applicant.post(`/api/join/${slug}`, { name: "Ada", answers: {} })).status).toBe(status);
    }
  }
  // Two mails are sent at a time, in any order.
  await settled(world, 2);
  const { body } = await owner.get<{ data: { id: number }[] }>(`${pathOf(world)}/applications`);
  const [declined, approved] = body.data.map(({ id }) => id);
  for (let repeat = 0; repeat < 2; repeat += 1) {
    await owner.post(`${pathOf(world)}/applications/${approved}/approve`, {});
    await owner.post(`${pathOf(world)}/applications/${declined}/decline`, { partnerNote: "Too far away" });
  }
  const rows = await settled(world, 4);
  expect(rows.map(({ template }) => template).sort()).toEqual([
    ...["application_approved", "application_declined", "application_received", "application_received"],
  ]);
  const [first, second] = applicants.map(({ email }) => mailer.to(email).map(({ template }) => template));
  expect([first, second]).toEqual([
    ["application_received", "application_approved"],
    ["application_received", "application_declined"],
  ]);
  expect(mailer.to(applicants[1]?.email ?? "")[1]?.text).toContain("> Too far away");
});

test("an application on an open join page sends an approval email, and requires a verified address", async () => {
  const world = await open();
  mailer.answerWith(accepting);
  const slug = `shop-${world.programId}`;
  const page = { mode: "open", slug, headline: "Earn", description: "", questions: [] };
  await owner.patch(pathOf(world), { leadAuth: "server_required" });
  expect((await owner.put(`${pathOf(world)}/join`, page)).status).toBe(200);
  const [applicant, unverified] = [await own.user("Ada"), await own.user("Bob")];
  const verify = (verified: number, { userId }: { readonly userId: string }) =>
    world.write({ sql: "update users set email_verified = ? where id = ?", args: [verified, userId] });
  await verify(1, applicant);
  await verify(0, unverified);
  const applyAs = (user: typeof applicant) => user.post(`/api/join/${slug}`, { name: "Ada", answers: {} });
  expect((await applyAs(unverified)).body.error.details).toEqual({ code: "email_unverified" });
  for (const status of [201, 200]) expect((await applyAs(applicant)).status).toBe(status);
  expect((await settled(world, 1)).map(({ template }) => template)).toEqual(["application_approved"]);
  expect(mailer.to(applicant.email).map(({ template }) => template)).toEqual(["application_approved"]);
});

async function newPayout(world: World) {
  const payouts = `${pathOf(world)}/payouts`;
  const { body } = await owner.post<{ data: { id: number } }>(payouts, { currency: "EUR", minimumCents: 1 });
  return { payouts, body };
}

test("a pending email about a payment isn't sent if the payment has failed", async () => {
  const world = await open([{}, {}]);
  const shop = salesFixture(programFixture(world, own.api()));
  const email = await withAddress(world);
  await shop.refer("c");
  await shop.sell({ transaction_id: "t", customer_key: "c", amount_cents: 1_000, currency: "EUR" });
  const { payouts, body } = await newPayout(world);
  mailer.answerWith((reply) => void reply.writeHead(503, { "retry-after": "3600" }).end());
  await owner.post(`${payouts}/${body.data.id}/confirm`, {});
  await eventually(
    () => mailsOf(world),
    (rows) => rows[0]?.attempts === 1,
  );
  mailer.answerWith(accepting);
  const path = `${payouts}/${body.data.id}/lines/${world.partner.id}/fail`;
  expect((await owner.post(path, { reason: "wrong account" })).status).toBe(200);
  expect(await settled(world, 1)).toMatchObject([{ template: "line_failed" }]);
  expect(mailer.to(email).map(({ template }) => template)).toEqual(["payout_paid", "line_failed"]);
});

test("one address receives at most ten emails a day about payouts, for any number of partners", {
  tags: "soak",
}, async () => {
  const world = await open(Array.from({ length: 13 }, () => ({})));
  const shop = salesFixture(programFixture(world, own.api()));
  mailer.answerWith(accepting);
  const email = `many-${world.programId}@example.com`;
  await world.change({
    sql: "update partners set email = ?1, email_hash = 'of an address' where program_id = ?2",
    args: [email, world.programId],
  });
  const pay = async (count: number) => {
    for (const [i, partner] of world.partners.slice(0, count).entries()) {
      const customer = `${count}-${i}`;
      await shop.refer(customer, { partner });
      await shop.sell({ transaction_id: customer, customer_key: customer, amount_cents: 1_000, currency: "EUR" });
    }
    const { payouts, body } = await newPayout(world);
    expect((await owner.post(`${payouts}/${body.data.id}/confirm`, {})).status).toBe(200);
  };
  await pay(4);
  await settled(world, 4);
  await pay(13);
  await settled(world, 10);
  expect(mailer.to(email)).toHaveLength(10);
});

test("partners with an address receive an email about a payout, and one about a failed payment", async () => {
  const world = await open([{}, {}, {}]);
  const shop = salesFixture(programFixture(world, own.api()));
  mailer.answerWith(accepting);
  const emails = world.partners.map(({ id }, i) => (i === 2 ? null : `p${id}@example.com`));
  const sql = "update partners set email = ?1, email_hash = iif(?1 is null, null, 'of an address') where id = ?2";
  await world.change(...world.partners.map(({ id }, i) => ({ sql, args: [emails[i] ?? null, id] })));
  for (const [i, partner] of world.partners.entries()) {
    await shop.refer(`c${i}`, { partner });
    await shop.sell({ transaction_id: `t${i}`, customer_key: `c${i}`, amount_cents: 1_000 * (i + 1), currency: "EUR" });
  }
  const { payouts, body } = await newPayout(world);
  const confirm = () => owner.post(`${payouts}/${body.data.id}/confirm`, {});
  expect((await Promise.all([confirm(), confirm(), confirm()])).map(({ status }) => status)).toEqual([200, 200, 200]);
  await settled(world, 2);
  expect(mailer.to(emails[0] ?? "")).toMatchObject([{ template: "payout_paid" }]);
  expect(mailer.to(emails[0] ?? "")[0]?.subject).toContain("paid you €2.00");
  expect(mailer.to(emails[1] ?? "")[0]?.subject).toContain("paid you €4.00");

  const fail = { reason: "looks like fraud", partnerNote: "Your bank refused it" };
  const line = `${payouts}/${body.data.id}/lines/${world.partners[0]?.id}/fail`;
  expect((await Promise.all([owner.post(line, fail), owner.post(line, fail)])).map(({ status }) => status)).toEqual([
    200, 200,
  ]);
  await settled(world, 3);
  const [, failed] = mailer.to(emails[0] ?? "");
  expect(failed?.template).toBe("line_failed");
  expect(failed?.text).toContain("> Your bank refused it");
  expect(failed?.text).not.toContain("fraud");
  expect(await world.audit()).toEqual([]);
});
