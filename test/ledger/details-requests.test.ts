import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { dateUtc } from "#domain/calendar.ts";
import { detailsRequestId } from "#store/details-requests.ts";
import { startDatabase, type TestDatabase } from "../../harness/database.ts";
import { createWorld } from "../../harness/world.ts";
import { ownLedger } from "../support/own-ledger.ts";
import { daysAgo } from "../support/program-fixture.ts";

const now = daysAgo(0);
const clock = { now: () => now, sleep: async () => {}, random: () => 0.5 };

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.dispose());

/** Ada has an address, Bob an account, and Cid neither. */
async function open() {
  const world = await createWorld(database.url, { partners: [{}, {}, {}] });
  const { programId, partners } = world;
  const [ada = 0, bob = 0, cid = 0] = partners.map(({ id }) => id);
  const access =
    "insert into partner_accounts (partner_id, account_id, program_id, role, created_at) values (?, ?, ?, ?, ?)";
  await world.change(
    { sql: "update partners set email = 'Ada@example.com', email_hash = 'of an address' where id = ?", args: [ada] },
    ...[ada, bob].map((id) => ({ sql: access, args: [id, `account-${id}`, programId, "manage", now] })),
  );
  const ledger = ownLedger(database.url, clock);
  const requestTo = (partnerId: number, to: string, accountId?: string) => ({
    partnerId,
    to,
    ...(accountId !== undefined && { accountId }),
    row: {
      id: detailsRequestId({ programId, partnerId, day: dateUtc(now) }),
      programId,
      template: "details_requested",
      content: "sealed",
      payoutLineId: null,
      origin: null,
      attempts: 0,
      dueAt: now,
      deliveredAt: null,
      failedAt: null,
      createdAt: now,
    },
  });
  const ask = (requests: readonly object[], operationId = randomBytes(8).toString("hex")) => {
    const call = { kind: "request-details", operationId, at: now, programId, actorId: "one", requests };
    return ledger.submit(ledger.changeTask(call as never, now)).outcome;
  };
  const written = async () => {
    const mails = await world.rows("select id from mails where program_id = ? order by id", programId);
    const entries = await world.rows(
      "select subject from audit_entries where program_id = ? and action = 'payment_details.requested' order by id",
      programId,
    );
    return { mails: mails.length, entries: entries.map(({ subject }) => subject) };
  };
  return { world, ledger, ada, bob, cid, requestTo, ask, written };
}

const isSameSet = (one: readonly number[], other: readonly number[]): boolean =>
  one.length === other.length && new Set([...one, ...other]).size === one.length;

test("partners get one email that requests payment details, even if the request is repeated or a member sends another on the same day", async () => {
  const { ledger, ada, bob, requestTo, ask, written } = await open();
  const both = [requestTo(ada, "ada@example.com"), requestTo(bob, "bob@example.com", `account-${bob}`)];
  const operationId = randomBytes(8).toString("hex");
  const asked = { ok: true, answer: { asked: expect.toSatisfy((ids) => isSameSet(ids, [ada, bob])) } };
  expect(await ask(both, operationId)).toMatchObject(asked);
  expect(await ask(both, operationId)).toMatchObject(asked);
  expect(await ask(both)).toMatchObject(asked);
  expect(await written()).toEqual({ mails: 2, entries: ["2 partners"] });
  expect(ledger.faults).toEqual([]);
});

test("no request for payment details goes to a former address, to an account without access or to a partner who has given details", async () => {
  const { world, ada, bob, cid, requestTo, ask, written } = await open();
  const requests = [
    requestTo(ada, "former@example.com"),
    requestTo(bob, "eve@example.com", "account-of-another"),
    requestTo(cid, "cid@example.com"),
  ];
  expect(await ask(requests)).toMatchObject({ ok: true, answer: { asked: [] } });
  await world.write({
    sql: `insert into payment_details (id, program_id, partner_id, method, last4, ciphertext, digest, seal_id, set_by, created_at)
      values (?, ?, ?, 'other', 'ount', 'sealed', 'digest', 'seal', 'account', ?)`,
    args: [ada, world.programId, ada, now],
  });
  expect(await ask([requestTo(ada, "ada@example.com")])).toMatchObject({ ok: true, answer: { asked: [] } });
  expect(await written()).toEqual({ mails: 0, entries: [] });
});
