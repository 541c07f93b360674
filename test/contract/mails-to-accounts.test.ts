import { beforeAll, expect, test } from "vitest";
import { MailRun } from "#deliver/mail-run.ts";
import { parseDataKeys } from "#domain/data-keys.ts";
import { databaseAt } from "../../harness/database-client.ts";
import type { User } from "../../harness/session.ts";
import { setVerified } from "../../harness/users.ts";
import type { World } from "../../harness/world.ts";
import { eventually, isolatedService } from "../support/isolated-service.ts";
import { mailReceiver } from "../support/mail-receiver.ts";

// Partners in these tests have no email address.

const mailer = await mailReceiver();
const own = isolatedService({ vars: mailer.vars, limits: {} });

let owner: User;
beforeAll(async () => {
  owner = await own.user("Olga");
});

const open = (count: number) =>
  own.world({ partners: Array.from({ length: count }, () => ({})), members: [{ user: owner, role: "owner" }] });

/** Gives the accounts access to the partner, in this order. */
const giveAccess = (world: World, partnerId: number | undefined, ...accounts: readonly User[]) =>
  world.write(
    ...accounts.map(({ userId }, i) => ({
      sql: `insert into partner_accounts (partner_id, account_id, program_id, role, created_at) values (?, ?, ?, 'view', ?)`,
      args: [partnerId ?? 0, userId, world.programId, i + 1],
    })),
  );
const endAccess = (world: World, { userId }: User) =>
  world.write({ sql: "delete from partner_accounts where account_id = ?", args: [userId] });

const addBonus = async (world: World, partnerId: number, reference: string) => {
  const bonus = { amountCents: 100, currency: "EUR", reason: "bonus", reference };
  const made = await owner.post(`/api/programs/${world.programId}/partners/${partnerId}/adjustments`, bonus);
  expect(made.status, made.text).toBe(201);
};

async function draft(world: World, reference: string): Promise<string> {
  for (const { id } of world.partners) await addBonus(world, id, reference);
  const payouts = `/api/programs/${world.programId}/payouts`;
  const created = await owner.post<{ data: { id: number } }>(payouts, { currency: "EUR" });
  return `${payouts}/${created.body.data.id}`;
}

const rowsOf = (world: World, template: string) =>
  world.rows("select * from mails where program_id = ? and template = ?", world.programId, template);
const sent = (world: World, count: number) =>
  eventually(
    () => world.rows("select * from mails where program_id = ?", world.programId),
    (rows) => rows.length === count && rows.every((row) => row.delivered_at !== null),
  );

interface Lines {
  readonly data: { readonly lines: readonly { readonly partnerId: number; readonly isMailable?: boolean }[] };
}
interface Outcomes {
  readonly data: { readonly outcomes: readonly { readonly partnerId: number; readonly result: string }[] };
}

async function resultsOf(payout: string): Promise<ReadonlyMap<number, string>> {
  const mailed = await owner.post<Outcomes>(`${payout}/statements/mail`, {});
  expect(mailed.status, mailed.text).toBe(202);
  return new Map(mailed.body.data.outcomes.map(({ partnerId, result }) => [partnerId, result]));
}

test("emails about a partner's payouts go to the earliest account with access and a verified address", async () => {
  const world = await open(2);
  const [una, mia, vic] = [await own.user("Una"), await own.user("Mia"), await own.user("Vic")];
  await setVerified(own.database.url, una, false);
  const [first, second] = world.partners.map(({ id }) => id);
  if (first === undefined || second === undefined) throw new Error("the world has two partners");
  await giveAccess(world, first, una, mia, vic);
  await giveAccess(world, second, una);
  const payout = await draft(world, "one");
  const { body } = await owner.get<Lines>(payout);
  expect(new Map(body.data.lines.map(({ partnerId, isMailable }) => [partnerId, isMailable]))).toEqual(
    new Map([
      [first, true],
      [second, false],
    ]),
  );

  // If confirming changes an amount, the email has the amount that was paid.
  await world.write({ sql: "update payout_lines set amount_cents = 50, adjustments_cents = 50" });
  expect((await owner.post(`${payout}/confirm`, {})).status).toBe(200);
  await sent(world, 1);
  expect(await resultsOf(payout)).toEqual(
    new Map([
      [first, "already_mailed"],
      [second, "no_address"],
    ]),
  );
  await setVerified(own.database.url, una, true);
  const results = await Promise.all([resultsOf(payout), resultsOf(payout)]);
  expect(results.map((each) => each.get(second)).toSorted()).toEqual(["already_mailed", "mailed"]);
  await sent(world, 2);
  const failing = { reason: "The bank sent it back", partnerNote: "Is your IBAN right?" };
  expect((await owner.post(`${payout}/lines/${first}/fail`, failing)).status).toBe(200);
  await sent(world, 3);

  const mails = [...mailer.to(mia.email), ...mailer.to(una.email)];
  expect(mails.map(({ template }) => template)).toEqual(["payout_paid", "statement", "line_failed"]);
  for (const { text, subject } of mails) expect(subject + text).toContain("€1.00");
  expect(mails[2]?.text).toContain("Is your IBAN right?");
  expect(mailer.to(vic.email)).toEqual([]);
});

test("a pending email isn't sent to an account that has lost its access", async () => {
  const world = await open(1);
  const [mia, vic] = [await own.user("Mia"), await own.user("Vic")];
  await giveAccess(world, world.partner.id, mia, vic);
  const payout = await draft(world, "one");
  expect((await owner.post(`${payout}/confirm`, {})).status).toBe(200);
  await sent(world, 1);
  expect(mailer.to(mia.email)).toHaveLength(1);

  const dueAt = Date.now() + 3_600_000;
  const database = databaseAt(own.database.url);
  const dataKeys = parseDataKeys(`1:${Buffer.alloc(32).toString("base64url")}`);
  if (dataKeys === undefined) throw new Error("the key is invalid");
  const sendAgain = async (home = database) => {
    await world.write({
      sql: "update mails set due_at = ?, delivered_at = null, failed_at = null where program_id = ?",
      args: [dueAt, world.programId],
    });
    const failed: boolean[] = [];
    const run = new MailRun({
      database,
      home,
      hook: { url: mailer.vars.MAIL_HOOK, secret: mailer.vars.MAIL_HOOK_SECRET, fetcher: undefined },
      dataKeys,
      clock: { now: () => dueAt, random: () => 0.5 },
      settle: async (outcomes) => void failed.push(...outcomes.map(({ failedAt }) => failedAt !== null)),
      deleteOld: async () => {},
    });
    await run.run();
    return failed;
  };
  await endAccess(world, mia);
  // While the home database is unreachable, the email stays pending.
  expect(await sendAgain(databaseAt("http://127.0.0.1:1"))).toEqual([false]);
  expect(mailer.to(vic.email)).toEqual([]);
  expect(await sendAgain()).toEqual([false]);
  expect(mailer.to(vic.email).map(({ template }) => template)).toEqual(["payout_paid"]);
  await endAccess(world, vic);
  expect(await sendAgain()).toEqual([true]);
  expect([mia, vic].map(({ email }) => mailer.to(email).length)).toEqual([1, 1]);
});

test("an account receives at most ten emails of a kind a day, which don't count as emails to strangers", async () => {
  const world = await open(22);
  const mia = await own.user("Mia");
  const ids = world.partners.map(({ id }) => id);
  for (const id of ids) await giveAccess(world, id, mia);
  const counted = async () => await world.rows("select key, count from rate_limits where key like '%mail%' order by 1");
  const before = await counted();
  const payout = await draft(world, "one");
  expect((await owner.post(`${payout}/confirm`, { expectedTotalCents: 1 })).status).toBe(409);
  expect(await counted()).toEqual(before);
  expect((await owner.post(`${payout}/confirm`, {})).status).toBe(200);
  expect(await rowsOf(world, "payout_paid")).toHaveLength(10);
  const results = await resultsOf(payout);
  const outcomes = ids.map((id) => results.get(id));
  expect(outcomes.filter((result) => result === "mailed")).toHaveLength(10);
  expect(outcomes.filter((result) => result === "over_limit")).toHaveLength(2);
  expect((await owner.post(`${await draft(world, "two")}/confirm`, {})).status).toBe(200);
  expect(await rowsOf(world, "payout_paid")).toHaveLength(10);
  expect(await counted()).toEqual(before);
});
