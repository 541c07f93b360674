import { beforeAll, expect, test } from "vitest";
import type { Reply } from "../../harness/client.ts";
import type { User } from "../../harness/session.ts";
import { setVerified } from "../../harness/users.ts";
import type { World } from "../../harness/world.ts";
import { eventually, isolatedService } from "../support/isolated-service.ts";
import { mailReceiver } from "../support/mail-receiver.ts";
import { partnerSide } from "../support/partner-side.ts";

const mailer = await mailReceiver();
const own = isolatedService({ vars: mailer.vars, limits: {} });

let owner: User;
beforeAll(async () => {
  owner = await own.user("Olga");
});

async function open(user: User, partners: readonly object[] = [{}]): Promise<World> {
  const world = await own.world({ partners, members: [{ user, role: "owner" }] });
  await world.write({
    sql: "update partners set email = 'p' || id || '@example.com', email_hash = 'h' where program_id = ?",
    args: [world.programId],
  });
  return world;
}
const partnersOf = ({ programId }: World) => `/api/programs/${programId}/partners`;
interface Outcomes {
  readonly data: { readonly outcomes: readonly { readonly result: string }[] };
}

async function invitationsMailed(user: User, world: World, ip?: string): Promise<number> {
  const { body } = await user.post<Outcomes>(`${partnersOf(world)}/invitations`, { mail: true }, { ip });
  return body.data.outcomes.filter(({ result }) => result === "mailed").length;
}

const pathOf = (world: World) => `${partnersOf(world)}/${world.partner.id}`;
const paypal = { method: "paypal", account: "ann@pay.example", holder: "Ann" };
const verify = (user: User, isVerified = true) => setVerified(own.database.url, user, isVerified);
const refusedFor = (code: string) => ({ status: 403, body: { error: { details: { code } } } });

const many = (count: number) => Array.from({ length: count }, (_, i) => ({ name: `P${i}` }));
async function payoutOf(world: World, user: User): Promise<string> {
  const path = `/api/programs/${world.programId}`;
  const partners = await world.rows("select id from partners where program_id = ? order by id", world.programId);
  for (const { id } of partners) {
    const bonus = { amountCents: 100, currency: "EUR", reason: "bonus", reference: `r${id}` };
    const made = await user.post(`${path}/partners/${id}/adjustments`, bonus);
    expect(made.status, made.text).toBe(201);
  }
  const draft = await user.post<{ data: { id: number } }>(`${path}/payouts`, { currency: "EUR" });
  return `${path}/payouts/${draft.body.data.id}`;
}
const mailedLines = async (world: World) =>
  (
    await world.rows(
      "select l.partner_id as id from mails m join payout_lines l on l.id = m.payout_line_id where m.program_id = ?",
      world.programId,
    )
  ).map(({ id }) => Number(id));

test("an account with an unverified address can't cause emails to strangers, and can do everything else", async () => {
  const eve = await own.user("Eve");
  const world = await open(eve, [{ name: "Ann" }, { name: "Bob" }]);
  await verify(eve, false);
  const invite = (body: { mail?: boolean }) => eve.post(`${pathOf(world)}/invitations`, body);
  expect(await invite({})).toMatchObject(refusedFor("email_unverified"));
  expect(await eve.post(`${partnersOf(world)}/invitations`, { mail: true })).toMatchObject(
    refusedFor("email_unverified"),
  );
  expect(await eve.put(`${pathOf(world)}/payment`, paypal)).toMatchObject(refusedFor("email_unverified"));
  expect(await eve.patch(pathOf(world), { email: "new@example.com" })).toMatchObject(refusedFor("email_unverified"));
  expect(await invite({ mail: false })).toMatchObject({ status: 201, body: { data: { mailedTo: null } } });
  expect((await eve.post(`${partnersOf(world)}/invitations`, {})).status).toBe(200);
  const ann = await own.user("Ann");
  await partnerSide(world, ann, world.partner.id);

  // The payout can be confirmed. No partner receives an email, because Eve may control a partner's account, too.
  const payout = await payoutOf(world, eve);
  expect((await eve.post(`${payout}/confirm`, { expectedTotalCents: 200 })).status).toBe(200);
  expect(await mailedLines(world)).toEqual([]);
  expect(await eve.post(`${payout}/statements/mail`, {})).toMatchObject(refusedFor("email_unverified"));
  expect((await eve.delete(`${pathOf(world)}/access/${ann.userId}`)).status).toBe(200);

  await verify(eve);
  expect((await invite({})).status).toBe(201);
});

test("a partner's account with an unverified address can't change details if that sends an email to a stranger", async () => {
  const world = await open(owner);
  const ann = await own.user("Ann");
  const side = await partnerSide(world, ann, world.partner.id);
  await verify(ann, false);
  const set = () => ann.put(`${side}/payment`, { ...paypal, password: ann.password });
  expect(await set()).toMatchObject(refusedFor("email_unverified"));
  await verify(ann);
  expect((await set()).status).toBe(200);
});

test("an API key can cause emails to strangers only if an owner of the key's workspace has a verified address", async () => {
  const eve = await own.user("Eve");
  const world = await open(eve);
  await verify(eve, false);
  const change = (email: string) =>
    own.api().request("PATCH", `/api/v1/programs/me/partners/${world.partner.id}`, { key: world.key, body: { email } });
  const refused = await change("second@example.com");
  expect([refused.status, refused.text]).toEqual([403, expect.stringContaining("email_unverified")]);
  await verify(eve);
  expect((await change("second@example.com")).status).toBe(200);
});

test("all users at one client IP address can send emails to at most 400 strangers a day", async () => {
  const ip = "198.51.100.20";
  const sent: number[] = [];
  for (let i = 0; i < 3; i += 1) {
    const user = await own.user("Rita");
    const world = await open(user, many(150));
    sent.push(await invitationsMailed(user, world, ip));
    const details = await user.put(`${pathOf(world)}/payment`, paypal, { ip });
    expect(details.status, details.text).toBe(200);
  }
  expect(sent).toEqual([150, 150, 100]);
});

test("a refused or repeated confirmation of a payout doesn't count toward the limit of emails to strangers", async () => {
  const rita = await own.user("Rita");
  const count = 110;
  const world = await open(rita, many(count));
  const payout = await payoutOf(world, rita);
  const confirm = (expectedTotalCents: number) => rita.post(`${payout}/confirm`, { expectedTotalCents });
  expect((await confirm(1)).status).toBe(409);
  expect((await confirm(count * 100)).status).toBe(200);
  expect(await mailedLines(world)).toHaveLength(count);
  expect((await confirm(count * 100)).status).toBe(200);
  const other = await open(rita, many(90));
  expect(await invitationsMailed(rita, other)).toBe(90);
});

test("a change of details that is refused or sends no email doesn't count toward the limits of emails to strangers", async () => {
  const rita = await own.user("Rita");
  const world = await open(rita, [{ name: "Ann" }, { name: "Bob" }]);
  const [ann, bob] = world.partners;
  const pathTo = (partner = ann) => `${partnersOf(world)}/${partner?.id}`;
  await world.write({ sql: "update partners set external_id = 'crm-2' where id = ?", args: [bob?.id ?? 0] });
  const guest = await own.user("Guest");
  await partnerSide(world, guest, ann?.id ?? 0);
  await world.write({ sql: "update partners set email = 'ann@example.com' where id = ?", args: [ann?.id ?? 0] });

  const counters = async () =>
    new Map((await world.rows("select key, count from rate_limits")).map(({ key, count }) => [key, Number(count)]));
  /** Expects the call to increase this many counters. One of them counts the emails to the address. */
  const expectCounted = async (higher: number, status: number, call: () => Promise<Reply<unknown>>) => {
    const before = await counters();
    const answer = await call();
    expect(answer.status, answer.text).toBe(status);
    const now = async () => [...(await counters())].filter(([key, count]) => count > (before.get(key) ?? 0)).length;
    await eventually(now, (n) => n === higher, 10_000);
  };
  await expectCounted(1, 409, () => rita.patch(pathTo(), { email: "new@example.com", externalId: "crm-2" }));
  await expectCounted(1, 200, () => rita.delete(`${pathTo()}/access/${guest.userId}`));
  await expectCounted(4, 200, () => rita.patch(pathTo(), { email: "new@example.com" }));
});

test("refused invitations don't count toward the email limit that users at one IP address share", async () => {
  const ip = "198.51.100.21";
  const eve = await own.user("Eve");
  const full = await open(eve, many(200));
  expect(await invitationsMailed(eve, full, ip)).toBe(200);
  for (const { id } of full.partners.slice(0, 5)) {
    const { status } = await eve.post(`${partnersOf(full)}/${id}/invitations`, {}, { ip });
    expect(status).toBe(429);
  }
  const rita = await own.user("Rita");
  const world = await open(rita, many(200));
  expect(await invitationsMailed(rita, world, ip)).toBe(200);
});

test("concurrent calls together don't exceed the limit of emails to strangers", async () => {
  const eve = await own.user("Eve");
  const worlds: World[] = [];
  for (let i = 0; i < 5; i += 1) worlds.push(await open(eve, many(150)));
  const invite = (world: World) => invitationsMailed(eve, world);
  const sum = (counts: readonly number[]) => counts.reduce((all, n) => all + n, 0);
  const [last, ...first] = worlds;
  const atOnce = sum(await Promise.all(first.map(invite)));
  expect(atOnce).toBeGreaterThan(0);
  expect(atOnce + (last === undefined ? 0 : await invite(last))).toBeLessThanOrEqual(200);
});
