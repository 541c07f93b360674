import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { parseDataKeys } from "#domain/data-keys.ts";
import { decryptData } from "#domain/encrypted-data.ts";
import { parseAccount } from "#domain/payee-account.ts";
import { paymentContext } from "#domain/payment-details.ts";
import { testClickKeys, testSecrets } from "../../harness/service.ts";
import { createWorld, type World } from "../../harness/world.ts";
import { auditLedger } from "../../scripts/audit/ledger.ts";
import { openClient } from "../../scripts/database/client.ts";
import { sampleBook } from "../../scripts/sample/book.ts";
import { planSample } from "../../scripts/sample/plan.ts";
import { seedSample } from "../../scripts/sample/seed.ts";
import { sampled } from "../support/breadth.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { isolatedService } from "../support/isolated-service.ts";
import { programFixture } from "../support/program-fixture.ts";

const reasons = [
  "attribution_window_expired",
  "below_minimum",
  "commission_duration_over",
  "currency_mismatch",
  "customer_not_found",
  "existing_customer",
  "invalid_click_id",
  "no_click",
  "no_commission_policy",
  "partner_inactive",
  "recurring_not_covered",
];

const dataKeys = parseDataKeys(testSecrets.DATA_KEYS) ?? expect.unreachable("the tests have no keys");

const database = isolatedDatabase({ engine: "sqld" });
const own = isolatedService();

const seed = (url: string, { workspaceId }: Pick<World, "workspaceId">, userId = "demo") =>
  seedSample(
    { url, authToken: undefined },
    { workspaceId, userId, clickKeys: testClickKeys, hashSecret: testSecrets.HASH_SECRET, dataKeys },
  );

const column = async ({ rows }: World, sql: string) => (await rows(sql)).map((row) => Object.values(row)[0]);
const samples = (world: World) => column(world, "select id from programs where name = 'Sample shop'");
const findings = (url: string) => auditLedger(openClient({ url, intMode: "string" }));

test("the sample program is created completely and only once, has commissions with every reason, and has each event and posting on the right day", {
  tags: "soak",
}, async () => {
  const { proxy, server } = database;
  const world = await createWorld(server.url);
  // The owner, who creates the program.
  await world.write(
    "insert into users (id, name, email, email_verified, created_at, updated_at) values ('demo', 'Demo', 'demo@tributary.example', 1, 1, 1)",
    {
      sql: "insert into memberships (id, workspace_id, user_id, role, status, created_at) values ('demo', ?, 'demo', 'owner', 'active', 1)",
      args: [world.workspaceId],
    },
  );
  const heal = proxy.inject({ kind: "refuse" }, { only: "writes", after: 1 });
  await expect(seed(proxy.url, world)).rejects.toThrow("unreachable");
  heal();
  for (const table of ["clicks", "sales", "audit_entries"]) {
    expect(await column(world, `select count(*) from ${table}`), table).toEqual([0]);
  }
  expect(await samples(world)).toEqual([]);

  // The response to the commit is lost.
  proxy.inject({ kind: "cut" }, { only: "writes", after: 1, times: 1 });
  expect(await seed(proxy.url, world)).toBe(true);
  expect(await seed(proxy.url, world)).toBe(false);
  expect(await samples(world)).toHaveLength(1);
  expect(await findings(server.url)).toEqual([]);

  expect(await column(world, "select distinct reason from commissions where reason is not null order by 1")).toEqual(
    reasons,
  );
  const states = ["approved", "pending", "rejected", "reversed", "void"];
  expect(await column(world, "select distinct status from commissions order by 1")).toEqual(states);
  expect(await column(world, "select distinct currency from sales order by 1")).toEqual(["EUR", "USD"]);
  const entries = ["earned", "paid", "rejected", "restored", "returned", "reversed"];
  expect(await column(world, "select distinct kind from ledger_entries order by 1")).toEqual(entries);
  expect(await column(world, "select status from payouts order by id")).toEqual(["paid", "paid"]);
  expect(await column(world, "select count(*) from payout_lines where state = 'failed'")).toEqual([1]);
  expect(await column(world, methodsPaid)).toEqual(["bank", "other", "paypal", "wise"]);
  const sealed = await world.rows("select program_id, seal_id, ciphertext, method, set_by from payment_details");
  for (const { program_id: programId, seal_id: sealId, ciphertext, method, set_by: setBy } of sealed) {
    const context = paymentContext({ programId: Number(programId), sealId: String(sealId) });
    const plain = JSON.parse((await decryptData(dataKeys, context, String(ciphertext))) ?? "null");
    expect(plain).toMatchObject({ method, account: parseAccount(plain.method, plain.account) });
    expect(setBy).toBe(method === "bank" ? "demo-partner" : "demo");
  }
  expect(await column(world, "select payer_iban is not null from programs where name = 'Sample shop'")).toEqual([1]);
  expect(await column(world, "select distinct email_verified from users")).toEqual([1]);
  const access = `select p.name from partner_accounts a join partners p on p.id = a.partner_id
    join account_partners h on h.account_id = a.account_id and h.partner_id = p.id where a.account_id = 'demo-partner'`;
  expect(await column(world, access)).toEqual(["Trailhead Weekly"]);
  expect(await column(world, "select version from partner_terms order by 1")).toEqual([1, 2]);
  expect(await column(world, "select status from applications")).toEqual(["pending", "pending"]);
  const applicants =
    "select u.email from applications a join users u on u.id = a.account_id join join_slugs s using (program_id) order by 1";
  expect(await column(world, applicants)).toEqual([
    "ida.example@fjord-and-fell.example",
    "noor.example@tent-talk.example",
  ]);
  expect(
    await column(world, "select count(*) from commissions where is_unconfirmed and status = 'pending'"),
  ).not.toEqual([0]);
  expect(await column(world, "select status from partners order by id")).toContain("paused");
  const decisions = "select distinct actor_id from audit_entries where action like 'commission.%'";
  expect(await column(world, decisions)).toEqual(["demo"]);

  const bought =
    "select p.code_key from commissions c join referral_links p on p.partner_id = c.partner_id where c.source = 'coupon'";
  expect(await column(world, bought)).toEqual(["canvas"]);
  const byHand = "select count(*) from commission_signals where code = 'by_hand' and ended_at is null";
  expect(await column(world, byHand)).toEqual([1]);

  // The sample customers are honest, so signals are false alarms.
  const [due] = await column(world, "select count(*) from commissions where status <> 'void'");
  const withSignal =
    "select count(distinct commission_id) from commission_signals where code <> 'by_hand' and effect =";
  const [held] = await column(world, `${withSignal} 'hold'`);
  const [flagged] = await column(world, `${withSignal} 'flag'`);
  expect(Number(due)).toBeGreaterThan(100);
  expect(Number(held)).toBeLessThanOrEqual(0.005 * Number(due));
  expect(Number(flagged)).toBeLessThanOrEqual(0.02 * Number(due));

  expect(await column(world, "select count(*) from ledger_entries where created_at <> occurred_at")).toEqual([0]);
  const approvals =
    "select count(*) from commissions where approved_by = 'hold' and approved_at <> hold_until and sale_id not in (select sale_id from refunds)";
  expect(await column(world, approvals)).toEqual([0]);
  const [clicks] = await column(world, "select count(distinct day) from clicks");
  expect(Number(clicks)).toBeGreaterThanOrEqual(89);
});

const lastPayout = "payout_id = (select max(id) from payouts)";
const methodsPaid = `select method from payout_lines l join payment_details d on d.id = l.payment_id where l.${lastPayout} order by 1`;

/** The random traffic depends on the weekday. */
test.each(sampled([1, 2, 3, 4, 5, 6, 7]))(
  "the sample program has commissions with every reason, and pays by every method in its last payout, if it is created on 2026-12-0%i",
  async (day) => {
    const folder = await mkdtemp(join(tmpdir(), "tributary-sample-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, "book");
    await writeFile(file, await sampleBook(Date.parse(`2026-12-0${day}T12:00:00Z`)));
    const book = new DatabaseSync(file, { readOnly: true });
    onTestFinished(() => book.close());
    const values = (sql: string) =>
      book
        .prepare(sql)
        .all()
        .flatMap((row) => Object.values(row));
    expect(values(methodsPaid)).toEqual(["bank", "other", "paypal", "wise"]);
    expect(values(`select count(*) from payout_lines where state = 'failed' and ${lastPayout}`)).toEqual([1]);
    expect(values("select distinct reason from commissions where reason is not null order by 1")).toEqual(reasons);
  },
);

test("the sample program is the same on every call of a day", () => {
  const now = Date.parse("2026-03-29T12:00:00Z");
  expect(planSample(now)).toEqual(planSample(now));
  const later = planSample(now + 3_600_000);
  expect(planSample(now)).toEqual(later.slice(0, planSample(now).length));
});

test("creating the sample program while the service is in use loses no calls, and the running Ledger continues", {
  tags: "soak",
}, async () => {
  const user = await own.user();
  const world = await own.world({ members: [{ user, role: "owner" }], partners: [{}, {}] });
  const { sale, click, alice } = programFixture(world, own.api());
  const sell = () => sale({ customer_key: "c1", click_id: click(alice) });
  await sell();
  let isSeeding = true;
  const seeding = seed(own.database.url, world, user.userId).finally(() => {
    isSeeding = false;
  });
  // The first attempt to create the program is discarded, because the Ledger writes.
  for (let i = 0; i < 20 && isSeeding; i += 1) await sell();
  expect(await seeding).toBe(true);
  await sell();
  const [sold] = await column(world, `select count(*) from sales where program_id = ${world.programId}`);
  expect(Number(sold)).toBeGreaterThan(2);
  expect(await findings(own.database.url)).toEqual([]);

  const [programId] = await samples(world);
  const { data } = (await user.get<{ data: { metrics: object } }>(`/api/tracking/performance/${programId}?period=90d`))
    .body;
  expect(data).toBeDefined();
  const renewal =
    "select id from commissions where program_id = ? and status = 'pending' and not is_unconfirmed limit 1";
  const [pending] = await world.rows(renewal, Number(programId));
  const approved = await user.post(`/api/programs/${programId}/commissions/${pending?.id}/approve`, {});
  expect(approved.status, approved.text).toBe(200);
  const payouts = `/api/programs/${programId}/payouts`;
  const draft = await user.post<{ data: { id: number } }>(payouts, { currency: "EUR", minimumCents: 1 });
  const payout = `${payouts}/${draft.body.data.id}`;
  expect((await user.post(`${payout}/finalize`, {})).status).toBe(200);
  for (const format of ["paypal", "wise", "sepa"]) {
    const file = await user.get(`${payout}?format=${format}`);
    expect(file.status, file.text).toBe(200);
  }
  const landing = `https://sample-shop.example/?aff=polder`;
  const visit = await own.api().click({ affiliate_url: landing, program_id: Number(programId) });
  expect(visit.body).toMatchObject({ success: true, partner_code: "polder" });
  expect(await findings(own.database.url)).toEqual([]);
});
