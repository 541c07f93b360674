import { beforeAll, expect, test } from "vitest";
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

const open = (partners: readonly object[]) =>
  own.world({ partners, members: [{ user: owner, role: "owner" }], policies: [{ holdDays: 0 }] });
const settled = (world: World, count: number) =>
  eventually(
    () => world.rows("select * from mails where program_id = ?", world.programId),
    (rows) => rows.length === count && rows.every((row) => row.delivered_at !== null),
  );

interface Outcomes {
  readonly data: { readonly outcomes: readonly { readonly partnerId: number; readonly result: string }[] };
}

test("the email about a payment contains its statement, and a repeated call mails only the statements that weren't sent", async () => {
  const world = await open([{}, {}, {}]);
  const shop = salesFixture(programFixture(world, own.api()));
  mailer.answerWith(accepting);
  const [ada, bob, cid] = world.partners.map(({ id }) => id);
  const setAddress = (id: number | undefined, email: string) => ({
    sql: "update partners set email = ?, email_hash = 'of an address' where id = ?",
    args: [email, id ?? 0],
  });
  const email = `st${ada}@example.com`;
  await world.change(setAddress(ada, email), setAddress(bob, `st${bob}@example.com`));
  await partnerSide(world, await own.user("Bob"), bob ?? 0);
  for (const [i, partner] of world.partners.entries()) {
    await shop.refer(`c${i}`, { partner });
    await shop.sell({ transaction_id: `t${i}`, customer_key: `c${i}`, amount_cents: 1_000 * (i + 1), currency: "EUR" });
  }
  const payouts = `/api/programs/${world.programId}/payouts`;
  const { body } = await owner.post<{ data: { id: number } }>(payouts, { currency: "EUR" });
  const payout = `${payouts}/${body.data.id}`;
  const mail = () => owner.post<Outcomes>(`${payout}/statements/mail`, {});
  expect((await mail()).status).toBe(409);
  expect((await owner.post(`${payout}/confirm`, {})).status).toBe(200);
  await settled(world, 2);
  const [statement] = mailer.to(email);
  expect(statement).toMatchObject({ template: "payout_paid", subject: expect.stringContaining("paid you €2.00") });
  expect(statement?.text).toContain("\n\nBrought forward: €0.00\nEarned: €2.00\nPaid: -€2.00, reference ");
  // The partner has no account, so a sign-in page would be of no use.
  expect(statement?.text).not.toContain("/partner/");
  expect(statement?.text).toContain("ask Test program for an invitation");
  const later = mailer.to(`st${bob}@example.com`).find(({ template }) => template === "payout_paid");
  const page = `/partner/programs/${world.programId}/partners/${bob}/payouts?tab=statement&number=1`;
  expect(later?.text).toContain(page);
  const replies = await Promise.all([mail(), mail(), mail()]);
  expect(replies.map(({ status }) => status)).toEqual([202, 202, 202]);
  const results = replies.flatMap((reply) => reply.body.data.outcomes.map(({ result }) => result));
  expect(results.toSorted()).toEqual([...Array(6).fill("already_mailed"), ...Array(3).fill("no_address")]);

  // Partners don't receive the email again, even after the rows of the emails are deleted. A partner whose address is
  // set later receives it then.
  await world.change({ sql: "delete from mails where program_id = ?", args: [world.programId] });
  await world.change(setAddress(cid, `st${cid}@example.com`));
  const { outcomes } = (await mail()).body.data;
  expect(new Map(outcomes.map(({ partnerId, result }) => [partnerId, result]))).toEqual(
    new Map([
      [ada, "already_mailed"],
      [bob, "already_mailed"],
      [cid, "mailed"],
    ]),
  );
  const [rest] = await settled(world, 1);
  expect(rest).toMatchObject({ template: "statement" });
  expect(mailer.to(`st${cid}@example.com`)[0]?.subject).toMatch(/^Statement 1 of .*: €6.00$/);
  const found = await owner.get<{ data: { lines: { statementMailedAt: string | null }[] } }>(payout);
  expect(found.body.data.lines.every(({ statementMailedAt }) => statementMailedAt !== null)).toBe(true);

  // The email about the second payment has the sums of its statement, although the refund and the returned payment
  // don't belong to the payment's own commissions.
  expect((await owner.post(`${payout}/lines/${ada}/fail`, { reason: "came back" })).status).toBe(200);
  await shop.giveBack("t0", { refund_amount_cents: 500 });
  await shop.sell({ transaction_id: "t9", customer_key: "c0", amount_cents: 2_000, currency: "EUR" });
  const second = await owner.post<{ data: { id: number } }>(payouts, { currency: "EUR" });
  expect((await owner.post(`${payouts}/${second.body.data.id}/confirm`, {})).status).toBe(200);
  await shop.sell({ transaction_id: "t10", customer_key: "c0", amount_cents: 1_000, currency: "EUR" });
  await settled(world, 3);
  const mailedLast = mailer.to(email).find(({ text }) => text.includes("your statement 2"));
  expect(mailedLast?.text).toMatch(
    /\n\nBrought forward: €0\.00\nEarned: €4\.00\nRefunded, declined or corrected: -€1\.00\nReturned payments: €2\.00\nPaid: -€5\.00, reference .*\nCarried forward: €0\.00\n\n/,
  );
  expect(await world.audit()).toEqual([]);
});
