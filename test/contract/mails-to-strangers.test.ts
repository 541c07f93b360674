import { beforeAll, expect, test } from "vitest";
import type { User } from "../../harness/session.ts";
import { setVerified } from "../../harness/users.ts";
import type { World } from "../../harness/world.ts";
import { isolatedService } from "../support/isolated-service.ts";
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

test("an account with an unverified address mails no strangers, and everything else works", async () => {
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

  // A payout isn't held up, and partners with an account are mailed.
  const payout = await payoutOf(world, eve);
  expect((await eve.post(`${payout}/confirm`, { expectedTotalCents: 200 })).status).toBe(200);
  expect(await mailedLines(world)).toEqual([world.partner.id]);
  expect((await eve.delete(`${pathOf(world)}/access/${ann.userId}`)).status).toBe(200);

  await verify(eve);
  expect((await invite({})).status).toBe(201);
});

test("an account of a partner with an unverified address can't change details that cause an email to a stranger", async () => {
  const world = await open(owner);
  const ann = await own.user("Ann");
  const side = await partnerSide(world, ann, world.partner.id);
  await verify(ann, false);
  const set = () => ann.put(`${side}/payment`, { ...paypal, password: ann.password });
  expect(await set()).toMatchObject(refusedFor("email_unverified"));
  await verify(ann);
  expect((await set()).status).toBe(200);
});

test("a key mails no strangers unless an owner of its workspace has a verified address", async () => {
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

test("users at one client address mail 400 strangers a day together", async () => {
  const ip = "198.51.100.20";
  const sent: number[] = [];
  for (let i = 0; i < 3; i += 1) {
    const user = await own.user("Rita");
    const world = await open(
      user,
      Array.from({ length: 150 }, (_, place) => ({ name: `P${place}` })),
    );
    sent.push(await invitationsMailed(user, world, ip));
    const details = await user.put(`${pathOf(world)}/payment`, paypal, { ip });
    expect(details.status, details.text).toBe(200);
  }
  expect(sent).toEqual([150, 150, 100]);
});

test("a confirmation that is refused or repeated doesn't count toward the limit", async () => {
  const rita = await own.user("Rita");
  const count = 110;
  const world = await open(
    rita,
    Array.from({ length: count }, (_, i) => ({ name: `P${i}` })),
  );
  const payout = await payoutOf(world, rita);
  const confirm = (expectedTotalCents: number) => rita.post(`${payout}/confirm`, { expectedTotalCents });
  expect((await confirm(1)).status).toBe(409);
  expect((await confirm(count * 100)).status).toBe(200);
  expect(await mailedLines(world)).toHaveLength(count);
  expect((await confirm(count * 100)).status).toBe(200);
  const other = await open(
    rita,
    Array.from({ length: 90 }, (_, i) => ({ name: `Q${i}` })),
  );
  expect(await invitationsMailed(rita, other)).toBe(90);
});
