import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { noTerms } from "#domain/commission.ts";
import { startDatabase, type TestDatabase } from "../../harness/database.ts";
import { createWorld, type World } from "../../harness/world.ts";
import { type ChangeCall, type ChangeKind, ownLedger } from "../support/own-ledger.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
  return database.dispose;
});

const clock = { now: () => Date.now(), sleep: async () => {}, random: Math.random };

/** Runs the call on a new Ledger, which knows only the stored data. */
async function change<Call extends ChangeCall>(call: Call) {
  const ledger = ownLedger(database.url, clock);
  const task = ledger.submit(ledger.changeTask(call, Date.now()));
  const { meta: _, ...outcome } = await task.outcome;
  expect(ledger.faults).toEqual([]);
  return outcome;
}

const members = [{ user: { userId: "somebody" }, role: "owner" } as const];
const tables = [
  ...["programs", "program_keys", "partners", "referral_links", "commission_policies", "audit_entries"],
  ...["adjustments", "ledger_entries", "payment_details", "partner_groups", "coupons"],
];
const everything = async ({ rows }: World) =>
  JSON.stringify(await Promise.all(tables.map((table) => rows(`select * from ${table} order by id`))));

type OfPayouts =
  | `${"create" | "finalize" | "confirm" | "cancel" | "download"}-payout`
  | `${"fail" | "settle"}-line`
  | "mail-statements"
  | "request-details";
type OfSales = "decide-commissions" | "review-commissions" | "correct-sale" | "judge-first-sale" | "resolve-claim";
type OfKeysAndBonuses = "retire-key" | "update-key" | "end-bonus" | "dismiss-bonus" | "award-bonuses";
type OfAccess = "forget-account" | "accept-partner-invitation" | "end-partner-access" | "revoke-partner-invitations";
type OfJoining = "accept-terms" | "apply" | "decide-application" | "save-embed" | "create-embedded-link";
type OfWebhooks = `${"create" | "update" | "delete" | "rotate" | "replay"}-webhook` | "redeliver" | "settle-deliveries";
type OfShards =
  | `${"place" | "freeze" | "leave" | "adopt"}-program`
  | `${"abandon" | "confirm" | "finish"}-move`
  | "update-directory"
  | "set-place";
type Repeated = Exclude<
  ChangeKind,
  | OfPayouts
  | OfSales
  | OfKeysAndBonuses
  | OfAccess
  | OfJoining
  | OfShards
  | OfWebhooks
  | "settle-mails"
  | `${"erase" | "export"}-person`
  | "erase-partner"
  | "continue-erasure"
  | "begin-verification"
  | "finish-verification"
  | "report-reconciliation"
>;
type Given = { readonly [Kind in Repeated]: (world: World) => Extract<ChangeCall, { readonly kind: Kind }> };

const operation = () => ({ operationId: randomBytes(8).toString("hex"), at: Date.now(), actorId: "somebody" });
const importing = <Kind extends ChangeKind>(kind: Kind, { programId }: World) => ({
  ...{ ...operation(), kind, programId },
  ...{ source: "Elsewhere", isDryRun: false },
});
const secret = () => randomBytes(32).toString("base64url");
const sealed = { method: "other", last4: "ount", ciphertext: "sealed", digest: "digest", accountDigest: null } as const;
const policy = { ...noTerms, partnerId: null, type: "percent", rateBps: 500, scope: "lifetime", holdDays: 15 } as const;

const partnerRow = {
  ...{ name: "Anna", email: "anna@partners.example" },
  ...{ externalId: undefined, destinationUrl: undefined, group: undefined, status: undefined, payment: undefined },
};

const couponRow = { status: undefined, validFrom: undefined, validUntil: undefined };
const customerRow = { since: undefined, payPast: false, firstSaleAt: undefined, subscriptionId: undefined };

const calls: Given = {
  "create-program": ({ workspaceId }) => ({
    ...operation(),
    kind: "create-program",
    secret: secret(),
    program: { workspaceId, name: "Bakery", websiteUrl: null, currency: "EUR", timezone: "UTC" },
  }),
  "update-program": ({ programId }) => ({
    ...operation(),
    kind: "update-program",
    programId,
    isOwner: true,
    changes: { name: "Renamed", cookieWindowDays: 7 },
  }),
  "rotate-key": ({ programId }) => ({
    ...operation(),
    ...{ kind: "rotate-key", programId, keyId: null, graceHours: null, secret: secret() },
  }),
  "create-key": ({ programId }) => ({
    ...operation(),
    ...{ kind: "create-key", programId, secret: secret() },
    grant: { name: "Backend", scopes: ["track"], book: "both" },
  }),
  "create-bonus": ({ programId }) => ({
    ...{ ...operation(), kind: "create-bonus", programId, from: null },
    terms: { metric: "sales", period: "month", threshold: 10, amountCents: 5_000, currency: "EUR" },
  }),
  "create-unit": ({ programId }) => ({
    ...{ ...operation(), kind: "create-unit", programId },
    unit: { code: "MONTHS", digits: 0, one: "free month", other: "free months" },
  }),
  "create-group": ({ programId }) => ({ ...operation(), kind: "create-group", programId, name: "Silver" }),
  "update-group": ({ programId, groups: [gold] }) => ({
    ...operation(),
    ...{ kind: "update-group", programId, groupId: gold?.id ?? 0, name: "Platinum" },
  }),
  "add-to-group": ({ programId, partner, groups: [gold] }) => ({
    ...operation(),
    kind: "add-to-group",
    programId,
    groupId: gold?.id ?? 0,
    partnerIds: [partner.id],
  }),
  "create-coupon": ({ programId, partner }) => ({
    ...operation(),
    ...{ kind: "create-coupon", programId, partnerId: partner.id, codes: ["BEN10", "promo_1"] },
    ...{ status: "active", validFrom: null, validUntil: null },
  }),
  "open-claim": ({ programId, partner }) => ({
    ...{ ...operation(), kind: "open-claim", programId, partnerId: partner.id },
    ...{ day: "2026-11-14", amountCents: 4_900, currency: "EUR", reference: "order 1", note: "By phone" },
    mostToday: null,
  }),
  "set-offer": ({ programId }) => ({ ...operation(), kind: "set-offer", programId, groupId: null, offer: "none" }),
  "update-coupon": ({ programId, coupons: [coupon] }) => ({
    ...operation(),
    ...{ kind: "update-coupon", programId, couponId: coupon?.id ?? 0, changes: { status: "paused" } },
  }),
  "create-partner": ({ programId }) => ({
    ...operation(),
    kind: "create-partner",
    programId,
    name: "Anna",
    email: null,
    externalId: null,
    code: "Anna",
    destinationUrl: null,
  }),
  "create-link": ({ programId, partner }) => ({
    ...operation(),
    kind: "create-link",
    programId,
    partnerId: partner.id,
    code: "further",
    madeBy: "owner",
  }),
  "invite-partners": ({ programId, partner }) => ({
    ...operation(),
    kind: "invite-partners",
    programId,
    role: "manage",
    expiresAt: Date.now() + 86_400_000,
    invitations: [{ partnerId: partner.id, tokenHash: "a".repeat(64) }],
  }),
  "save-join-page": ({ programId }) => ({
    ...operation(),
    kind: "save-join-page",
    programId,
    page: { mode: "approval", slug: "bakery", headline: "Join", description: "", questions: "[]", groupId: null },
  }),
  "create-terms": ({ programId }) => ({ ...operation(), kind: "create-terms", programId, text: "Be kind." }),
  "view-as-partner": ({ programId, partner }) => ({
    ...operation(),
    kind: "view-as-partner",
    programId,
    partnerId: partner.id,
    timezone: "UTC",
  }),
  "update-link": ({ programId, partner }) => ({
    ...operation(),
    kind: "update-link",
    programId,
    code: partner.code,
    status: "paused",
  }),
  "import-partners": (world) => ({
    ...importing("import-partners", world),
    mayUpdate: true,
    rows: [
      { ...partnerRow, line: 1, codes: ["imported", "imported-too"] },
      { ...partnerRow, line: 2, codes: [world.partner.code, "one-more"] },
      { ...partnerRow, line: 3, codes: ["imported"] },
    ],
  }),
  "import-customers": (world) => ({
    ...importing("import-customers", world),
    rows: [
      { ...customerRow, line: 1, customerKey: "a", partnerCode: world.partner.code },
      { ...customerRow, line: 2, customerKey: "b", partnerCode: world.partner.code.toUpperCase(), subscriptionId: "s" },
      { ...customerRow, line: 3, customerKey: "a", partnerCode: world.partner.code, firstSaleAt: 1 },
      { ...customerRow, line: 4, customerKey: "c", partnerCode: world.partner.code, subscriptionId: "s" },
    ],
  }),
  "assign-customer": ({ programId, partner }) => ({
    ...operation(),
    ...{ kind: "assign-customer", programId, customerKey: "assigned", partnerId: partner.id },
    since: null,
    payPast: false,
    reason: "Told us on the phone",
  }),
  "import-coupons": (world) => ({
    ...importing("import-coupons", world),
    mayUpdate: true,
    rows: [
      { ...couponRow, line: 1, code: "ALICE10", partnerCode: world.partner.code },
      { ...couponRow, line: 2, code: "alice10", partnerCode: world.partner.code.toUpperCase() },
      { ...couponRow, line: 3, code: "BOB10", partnerCode: "nobody" },
    ],
  }),
  "import-balances": (world) => ({
    ...importing("import-balances", world),
    rows: [
      { line: 1, partnerCode: world.partner.code, currency: "EUR", amountCents: 1_250, reference: "r" },
      { line: 2, partnerCode: world.partner.code.toUpperCase(), currency: "EUR", amountCents: 1_250, reference: "r" },
      { line: 3, partnerCode: "nobody", currency: "EUR", amountCents: 1, reference: "r" },
    ],
  }),
  "update-partner": ({ programId, partner }) => ({
    ...operation(),
    kind: "update-partner",
    programId,
    partnerId: partner.id,
    changes: { status: "paused" },
  }),
  "create-adjustment": ({ programId, partner }) => ({
    ...operation(),
    kind: "create-adjustment",
    programId,
    partnerId: partner.id,
    amountCents: -500,
    currency: "EUR",
    reason: "Write-off",
    partnerNote: null,
    reference: "r",
  }),
  "set-policy": ({ programId }) => ({ ...operation(), kind: "set-policy", programId, policy }),
  "set-payment-details": ({ programId, partner }) => ({
    ...operation(),
    kind: "set-payment-details",
    programId,
    ...{ partnerId: partner.id, actsAs: "owner" },
    sealed: { ...sealed, sealId: operation().operationId },
  }),
};

describe("a change request that the runtime resends", () => {
  it.each(Object.keys(calls) as Repeated[])("a resent change counts once, with the same response: %s", async (kind) => {
    const world = await createWorld(database.url, { members, groups: [{}], coupons: [{ codes: ["ANNA5"] }] });
    const call = calls[kind](world);
    const before = await everything(world);
    const first = await change(call);
    expect(first.ok).toBe(true);
    const after = await everything(world);
    expect(after).not.toBe(before);
    expect(await change(call)).toEqual(first);
    expect(await everything(world)).toBe(after);
  });

  it("a change request that the runtime resends reports the original outcome of an import, even if partners were created or renamed since", async () => {
    const world = await createWorld(database.url);
    const late = { ...calls["create-partner"](world), code: "late" };
    const balances = calls["import-balances"](world);
    const rows = balances.rows.map((row) => (row.partnerCode === "nobody" ? { ...row, partnerCode: "late" } : row));
    const first = await change({ ...balances, rows });
    expect(first).toMatchObject({ answer: { outcomes: [{ result: "created" }, {}, { code: "unknown_partner" }] } });
    await change(late);
    expect(await change({ ...balances, rows })).toEqual(first);

    const partners = calls["import-partners"](world);
    const imported = await change(partners);
    await change({ ...calls["update-partner"](world), changes: { name: "Renamed since" } });
    const before = await everything(world);
    expect(await change(partners)).toEqual(imported);
    expect(await everything(world)).toBe(before);
  });

  it("a change request that the runtime resends gets its first response, even if the first request used up the limit of programs", async () => {
    const world = await createWorld(database.url, { members });
    await world.write({
      sql: `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 98)
        insert into programs (id, workspace_id, name, currency, timezone, lead_auth, attribution_model,
          attribution_window_days, payout_mode, status, created_at)
        select id + n, workspace_id, name, currency, timezone, lead_auth, attribution_model, attribution_window_days,
          payout_mode, status, created_at from programs, numbers where id = ?`,
      args: [world.programId],
    });
    const call = calls["create-program"](world);
    const first = await change(call);
    expect(first.ok).toBe(true);
    expect(await change({ ...call, ...operation() })).toMatchObject({
      refusal: { code: "cap_reached", cap: "programs" },
    });
    expect(await change(call)).toEqual(first);
  });

  it("a change request that the runtime resends gets its first response, even if another change followed", async () => {
    const world = await createWorld(database.url);
    const call = calls["update-partner"](world);
    await change(call);
    await change({ ...call, ...operation(), changes: { status: "active" } });
    const after = await everything(world);
    expect(await change(call)).toEqual({ ok: true, answer: undefined });
    expect(await everything(world)).toBe(after);
  });
});

it("a resent archive request doesn't archive a program that was restored in the meantime", async () => {
  const world = await createWorld(database.url);
  const archived = { ...calls["update-program"](world), changes: { status: "archived" } as const };
  expect(await change(archived)).toMatchObject({ ok: true });
  expect(await change(archived)).toMatchObject({ ok: true });
  await change({ ...archived, ...operation(), changes: { status: "active" } });
  const after = await everything(world);
  expect(await change(archived)).toEqual({ ok: true, answer: undefined });
  expect(await everything(world)).toBe(after);
  expect(
    await world.rows("select action from audit_entries where program_id = ? order by id", world.programId),
  ).toEqual([{ action: "program.archived" }, { action: "program.restored" }]);
});

describe("settings changed by services whose clocks disagree", () => {
  it("settings changed by services whose clocks disagree apply in the order of the changes: the last policy is in force, and the last key is the newest", async () => {
    const world = await createWorld(database.url);
    const { programId } = world;
    const ahead = Date.now() + 60_000;
    await change({ ...calls["set-policy"](world), at: ahead });
    const set = await change({ ...calls["set-policy"](world), policy: { ...policy, rateBps: 600 } });
    expect(set).toMatchObject({ answer: { version: 3, effectiveFrom: ahead } });

    await change({ ...calls["rotate-key"](world), at: ahead });
    await change(calls["rotate-key"](world));
    await change({ ...calls["rotate-key"](world), at: ahead + 1 });
    const keys = await world.rows(
      "select retires_at from program_keys where program_id = ? order by created_at, id",
      programId,
    );
    const [, , third, fourth] = keys.slice(-4).map(({ retires_at: at }) => (at === null ? null : Number(at)));
    expect(third).toBe(ahead + 1 + 24 * 3_600_000);
    expect(fourth).toBeNull();
  });
});
