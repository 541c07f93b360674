import { beforeAll, expect, test } from "vitest";
import type { User } from "../../harness/session.ts";
import type { World } from "../../harness/world.ts";
import { eventually, isolatedService } from "../support/isolated-service.ts";
import { accepting, mailReceiver } from "../support/mail-receiver.ts";
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

test("each statement of a payout is sent once, even if the call is repeated", async () => {
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
  const replies = await Promise.all([mail(), mail(), mail()]);
  expect(replies.map(({ status }) => status)).toEqual([202, 202, 202]);
  const mailed = replies.flatMap((reply) => reply.body.data.outcomes.filter(({ result }) => result === "mailed"));
  expect(mailed).toHaveLength(2);
  expect(new Set(mailed.map(({ partnerId }) => partnerId))).toEqual(new Set([ada, bob]));
  await settled(world, 4);
  const [, statement] = mailer.to(email);
  expect(statement?.template).toBe("statement");
  expect(statement?.subject).toContain("€2.00");
  const page = `/partner/programs/${world.programId}/partners/${ada}/payouts?tab=statement&number=1`;
  expect(statement?.text).toContain(page);
  expect(statement?.text).toContain("Commissions: €2.00\nPaid: €2.00, reference ");

  // This also holds once the rows of the emails are deleted. A partner whose address is set later receives the email then.
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
  await settled(world, 1);
  const found = await owner.get<{ data: { lines: { statementMailedAt: string | null }[] } }>(payout);
  expect(found.body.data.lines.every(({ statementMailedAt }) => statementMailedAt !== null)).toBe(true);
  expect(await world.audit()).toEqual([]);
});
