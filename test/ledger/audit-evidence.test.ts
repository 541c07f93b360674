import { expect, test } from "vitest";
import { openDatabaseClient } from "../../harness/database-client.ts";
import { testSecrets } from "../../harness/service.ts";
import { auditAddresses } from "../../scripts/audit/addresses.ts";
import { auditLedger } from "../../scripts/audit/ledger.ts";
import { withClient } from "../../scripts/database/client.ts";
import { isolatedService } from "../support/isolated-service.ts";
import { programFixture } from "../support/program-fixture.ts";
import { reviewCalls } from "../support/review-calls.ts";
import { AuditCopy } from "./audit-copy.ts";

const own = isolatedService();

async function payOut() {
  const owner = await own.user();
  const world = await own.world({ members: [{ user: owner, role: "owner" }] });
  const path = `/api/programs/${world.programId}`;
  const post = async (to: string, body: object) => {
    const { status, text, body: answer } = await owner.post<{ data: { id: number } }>(path + to, { ...body });
    expect([200, 201], text).toContain(status);
    return answer.data;
  };
  const create = async (code: string) => {
    const { id } = await post("/partners", { name: code, code, externalId: code, email: `${code}@people.example` });
    await post(`/partners/${id}/adjustments`, {
      ...{ amountCents: 900, currency: "EUR", reason: "bonus", partnerNote: "Thank you", reference: "r" },
    });
    return id;
  };
  const [ann, ben] = [await create(`ann${world.programId}`), await create(`ben${world.programId}`)];
  const draft = await post("/payouts", { currency: "EUR" });
  await post(`/payouts/${draft.id}/finalize`, { expectedTotalCents: 1_800 });
  await post(`/payouts/${draft.id}/confirm`, {});
  const patch = async (id: number, email: string | null) => {
    const { status, text } = await owner.patch(`${path}/partners/${id}`, { email });
    expect(status, text).toBe(200);
  };
  const audit = () =>
    withClient({ url: own.database.url }, (client) => auditLedger(client, { programId: world.programId }));
  return { world, ann, ben, post, patch, audit };
}

test("the audit passes after a partner's address changed and a partner was erased, both after a payout", async () => {
  const { world, ann, ben, post, patch, audit } = await payOut();
  await patch(ann, "new@people.example");
  await patch(ann, null);
  await patch(ben, "other@people.example");
  expect(await audit()).toEqual([]);
  await post(`/partners/${ann}/erase`, { confirm: true });
  expect(await audit()).toEqual([]);
  const lines = await world.rows(
    `select evidence is not null as has_evidence, evidence_salt is not null as has_salt, email, external_id
     from payout_lines where program_id = ? order by partner_id = ? desc`,
    ...[world.programId, ann],
  );
  expect(lines).toEqual([
    { has_evidence: 1, has_salt: 0, email: null, external_id: null },
    {
      ...{ has_evidence: 1, has_salt: 1 },
      ...{ email: `ben${world.programId}@people.example`, external_id: `ben${world.programId}` },
    },
  ]);
});

test("the audit reports the salt of the evidence in a payout line of an erased partner as personal data", async () => {
  const { world, ann, post, audit } = await payOut();
  await post(`/partners/${ann}/erase`, { confirm: true });
  expect(await audit()).toEqual([]);
  const copy = await AuditCopy.of(openDatabaseClient(own.database.url));
  const found = await copy.rolledBack(async (within) => {
    within.exec(`update payout_lines set evidence_salt = 'x' where partner_id = ${ann}`);
    return auditLedger(copy.database, { programId: world.programId });
  });
  copy.close();
  const known = found.find(({ broken }) => broken === "erased partners with identifying data");
  expect(known?.rows).toMatchObject([{ partner: ann }]);
});

test.each(["evidence", "evidence_salt", "external_id"])(
  "the database rejects a change of the column %s in a line of a final payout",
  async (column) => {
    const { world } = await payOut();
    const sql = `update payout_lines set ${column} = 'x' where program_id = ?`;
    await expect(world.write({ sql, args: [world.programId] })).rejects.toThrow(
      "the lines of a final payout never change",
    );
  },
);

test("the audit accepts a payout that was finalized by an earlier release, which stored no evidence", async () => {
  const { world } = await payOut();
  const { programId } = world;
  const copy = await AuditCopy.of(openDatabaseClient(own.database.url));
  const found = await copy.rolledBack(async (within) => {
    within.exec(`
      update payout_lines set evidence = null, evidence_salt = null;
      update audit_entries set after = json_remove(after, '$.evidence', '$.skipped') where action = 'payout.finalized';
      update audit_entries set after = json_remove(after, '$.totalCents', '$.skipped') where action = 'payout.created';
      update audit_entries set after = json_remove(after, '$.email') where action = 'partner.created';
      update notes set kind = 'note' where kind = 'email';`);
    return auditLedger(copy.database, { programId });
  });
  copy.close();
  expect(found).toEqual([]);
});

test("the audit finds a partner's address that was changed by SQL, because the digest doesn't match the address even if the mask does", async () => {
  const { world, ann } = await payOut();
  const databases = [{ shard: 0, url: own.database.url }] as const;
  const found = () => auditAddresses(databases, testSecrets.HASH_SECRET);
  expect(await found()).toEqual([]);
  const set = (email: string) => world.write({ sql: "update partners set email = ? where id = ?", args: [email, ann] });
  await set("any@post.example");
  expect(await found()).toMatchObject([{ rows: [{ shard: 0, partner: ann }] }]);
  await set(`ann${world.programId}@people.example`);
});

test("a customer's attribution by a coupon stays final when a hold undoes the approval of the customer's commission", async () => {
  const coupons = [{ codes: ["ann10"], partner: 0 }];
  const world = await own.world({ partners: [{}, {}], coupons, policies: [{ holdDays: 0 }] });
  await programFixture(world, own.api()).sale({ customer_key: "c", transaction_id: "t", coupon_codes: ["ann10"] });
  await own.service.stop();
  await reviewCalls(world, own.database.url).hold("t");
  const { programId } = world;
  expect(
    await world.rows(
      `select c.status, c.approved_at, u.confirmed_at is not null as is_final from commissions c
       join customers u on u.program_id = c.program_id where c.program_id = ?`,
      programId,
    ),
  ).toEqual([{ status: "pending", approved_at: null, is_final: 1 }]);
  expect(await withClient({ url: own.database.url }, (client) => auditLedger(client, { programId }))).toEqual([]);
});
