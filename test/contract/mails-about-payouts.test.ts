import { beforeAll, expect, test } from "vitest";
import type { Reply } from "../../harness/client.ts";
import type { User } from "../../harness/session.ts";
import { setVerified } from "../../harness/users.ts";
import type { World } from "../../harness/world.ts";
import { embedded } from "../support/embedded.ts";
import { eventually, isolatedService } from "../support/isolated-service.ts";
import { mailReceiver } from "../support/mail-receiver.ts";
import { partnerSide } from "../support/partner-side.ts";

const mailer = await mailReceiver();
const own = isolatedService({ vars: mailer.vars, limits: {} });

let owner: User;
beforeAll(async () => {
  owner = await own.user("Olga");
});

const many = (count: number) => Array.from({ length: count }, (_, i) => ({ name: `P${i}` }));
const open = (user: User, count = 1) => own.world({ partners: many(count), members: [{ user, role: "owner" }] });
const setAddress = (world: World, id: number | undefined, email: string) =>
  world.write({ sql: "update partners set email = ?, email_hash = 'h' where id = ?", args: [email, id ?? 0] });
const setAddresses = (world: World, email: string) =>
  world.write({
    sql: "update partners set email = ?, email_hash = 'h' where program_id = ?",
    args: [email, world.programId],
  });

const pathOf = ({ programId }: World) => `/api/programs/${programId}`;

async function draft(user: User, world: World, reference: string): Promise<string> {
  for (const { id } of world.partners) {
    const bonus = { amountCents: 100, currency: "EUR", reason: "bonus", reference };
    const made = await user.post(`${pathOf(world)}/partners/${id}/adjustments`, bonus);
    expect(made.status, made.text).toBe(201);
  }
  const created = await user.post<{ data: { id: number } }>(`${pathOf(world)}/payouts`, { currency: "EUR" });
  return `${pathOf(world)}/payouts/${created.body.data.id}`;
}

const mailed = async (world: World, template = "payout_paid") =>
  (
    await world.rows(
      `select l.partner_id as id from mails m join payout_lines l on l.id = m.payout_line_id
        where m.program_id = ? and m.template = ? order by 1`,
      world.programId,
      template,
    )
  ).map(({ id }) => Number(id));

test("a partner's address counts as a stranger's unless it is that of the partner's own verified account", async () => {
  const rita = await own.user("Rita");
  const full = await open(rita, 200);
  await full.write({
    sql: "update partners set email = 'f' || id || '@example.com', email_hash = 'h' where program_id = ?",
    args: [full.programId],
  });
  const invited = await rita.post(`${pathOf(full)}/partners/invitations`, { mail: true });
  expect(invited.status, invited.text).toBe(202);

  const world = await open(rita, 5);
  const [ann, bob, cid, dan, eve] = world.partners.map(({ id }) => id);
  const accounts = await Promise.all(["Ann", "Bob", "Cid", "Dan"].map((name) => own.user(name)));
  const [accountOfAnn, accountOfBob, accountOfCid, accountOfDan] = accounts;
  if (!accountOfAnn || !accountOfBob || !accountOfCid || !accountOfDan) throw new Error("no accounts");
  await partnerSide(world, accountOfAnn, ann ?? 0);
  await setAddress(world, ann, accountOfAnn.email.toUpperCase());
  // An account with access, and an address that isn't this account's.
  await partnerSide(world, accountOfBob, bob ?? 0);
  await setAddress(world, bob, "victim@example.com");
  await partnerSide(world, accountOfCid, cid ?? 0);
  await setAddress(world, cid, accountOfDan.email);
  await partnerSide(world, accountOfDan, dan ?? 0);
  await setAddress(world, dan, accountOfDan.email);
  await setVerified(own.database.url, accountOfDan, false);
  await setAddress(world, eve, accountOfAnn.email);
  const payout = await draft(rita, world, "one");
  expect((await rita.post(`${payout}/confirm`, { expectedTotalCents: 500 })).status).toBe(200);
  expect(await mailed(world)).toEqual([ann]);
  const statements = await rita.post<{ data: { outcomes: { partnerId: number; result: string }[] } }>(
    `${payout}/statements/mail`,
    {},
  );
  const results = new Map(statements.body.data.outcomes.map(({ partnerId, result }) => [partnerId, result]));
  expect([ann, bob, cid, dan, eve].map((id) => results.get(id ?? 0))).toEqual([
    "already_mailed",
    ...Array.from({ length: 4 }, () => "over_limit"),
  ]);
  for (const id of [ann, bob]) {
    const failed = await rita.post(`${payout}/lines/${id}/fail`, { reason: "came back" });
    expect(failed.status, failed.text).toBe(200);
  }
  expect(await mailed(world, "line_failed")).toEqual([ann]);
});

test("an address without a verified account receives at most ten emails a day about payouts of all programs", async () => {
  const rita = await own.user("Rita");
  const worlds = [await open(owner, 6), await open(rita, 6)];
  const [first, second] = worlds;
  if (!first || !second) throw new Error("no worlds");
  for (const world of worlds) await setAddresses(world, "flooded@example.com");
  const payout = await draft(owner, first, "one");
  const counted = async () =>
    (await first.rows("select sum(count) as n from rate_limits")).map(({ n }) => Number(n))[0];
  const before = await counted();
  // Refused confirmations don't count.
  for (let i = 0; i < 2; i += 1)
    expect((await owner.post(`${payout}/confirm`, { expectedTotalCents: 1 })).status).toBe(409);
  await eventually(counted, (n) => n === before, 10_000);
  expect((await owner.post(`${payout}/confirm`, { expectedTotalCents: 600 })).status).toBe(200);
  expect(await mailed(first)).toHaveLength(6);
  const other = await draft(rita, second, "one");
  expect((await rita.post(`${other}/confirm`, { expectedTotalCents: 600 })).status).toBe(200);
  expect(await mailed(second)).toHaveLength(4);
});

test("confirming a draft payout sends emails to all partners whom it pays, including those who were left out of the draft before", async () => {
  const world = await open(owner, 2);
  const [kept, skipped] = world.partners.map(({ id }) => id);
  for (const id of [kept, skipped]) await setAddress(world, id, `p${id}@example.com`);
  const setStatus = (status: string) =>
    world.write({ sql: "update partners set status = ? where id = ?", args: [status, skipped ?? 0] });
  await setStatus("paused");
  const payout = await draft(owner, world, "one");
  await setStatus("active");
  const confirmed = await owner.post(`${payout}/confirm`, { expectedTotalCents: 200 });
  expect(confirmed.status, confirmed.text).toBe(200);
  expect(await mailed(world)).toEqual([kept, skipped].toSorted((a = 0, b = 0) => a - b));
});

const paypal = (i: number) => ({ method: "paypal", account: `ann${i}@pay.example`, holder: "Ann" });

test("an address receives at most ten emails a day about changed details from all programs", async () => {
  const worlds = [await open(owner), await open(owner)];
  for (const world of worlds) await setAddresses(world, "details@example.com");
  const statuses: number[] = [];
  for (let i = 0; i < 11; i += 1) {
    const world = worlds[i % 2];
    if (world === undefined) throw new Error("no world");
    const set = await owner.put(`${pathOf(world)}/partners/${world.partner.id}/payment`, paypal(i));
    statuses.push(set.status);
  }
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 200), 429]);
});

test("an email about changed details counts as one to a stranger unless the address is that of an account with access", async () => {
  const rita = await own.user("Rita");
  const world = await open(rita);
  const { id } = world.partner;
  const [ann, other] = [await own.user("Ann"), await own.user("Other")];
  await setAddress(world, id, ann.email);
  await partnerSide(world, other, id);
  const counters = async () =>
    new Map((await world.rows("select key, count from rate_limits")).map(({ key, count }) => [key, Number(count)]));
  const countedBy = async (call: () => Promise<Reply<unknown>>): Promise<number> => {
    const before = await counters();
    const { status, text } = await call();
    expect(status, text).toBe(200);
    return [...(await counters())].filter(([key, count]) => count > (before.get(key) ?? 0)).length;
  };
  const set = (i: number) => rita.put(`${pathOf(world)}/partners/${id}/payment`, paypal(i));
  // The first change adds to four limits: by address, user, workspace and client. The second adds only to the address's.
  expect(await countedBy(() => set(1))).toBe(4);
  await partnerSide(world, ann, id);
  expect(await countedBy(() => set(2))).toBe(1);
});

test("a partner created by the embedded page gets emails about payouts as soon as an account has access to the partner", async () => {
  const world = await open(owner);
  const page = await embedded(own.api(), world, { external_id: "u", email: "u@product.example" });
  expect((await page.createLink()).status).toBe(201);
  const [made] = await world.rows(
    "select id from partners where program_id = ? and external_id = 'u'",
    world.programId,
  );
  const id = Number(made?.id);
  const pay = async (reference: string) => {
    const bonus = { amountCents: 100, currency: "EUR", reason: "bonus", reference };
    expect((await owner.post(`${pathOf(world)}/partners/${id}/adjustments`, bonus)).status).toBe(201);
    const created = await owner.post<{ data: { id: number } }>(`${pathOf(world)}/payouts`, { currency: "EUR" });
    const payout = `${pathOf(world)}/payouts/${created.body.data.id}`;
    const { body } = await owner.get<{ data: { lines: { isMailable: boolean; isMailedWhenPaid: boolean }[] } }>(payout);
    expect((await owner.post(`${payout}/confirm`, { expectedTotalCents: 100 })).status).toBe(200);
    return { payout, lines: body.data.lines };
  };
  const { payout: first, lines } = await pay("one");
  expect(lines).toMatchObject([{ isMailable: true, isMailedWhenPaid: false }]);
  expect(await mailed(world)).toEqual([]);
  await partnerSide(world, await own.user("Uma"), id);
  expect((await pay("two")).lines).toMatchObject([{ isMailable: true, isMailedWhenPaid: true }]);
  expect(await mailed(world)).toEqual([id]);
  expect((await owner.post(`${first}/lines/${id}/fail`, { reason: "closed" })).status).toBe(200);
  expect(await mailed(world, "line_failed")).toEqual([id]);
});
