import { randomBytes } from "node:crypto";
import { expect, onTestFinished } from "vitest";
import { addressDigests } from "#domain/email-digest.ts";
import { maskedEmail } from "#http/keyed-digest.ts";
import type { SaleCorrection } from "#operations/manage/correction.ts";
import type { SaleCall } from "#operations/track/sale.ts";
import { findCorrectableSale } from "#store/views/correctable-sale.ts";
import { databaseAt } from "../../harness/database-client.ts";
import { testSecrets } from "../../harness/service.ts";
import { createWorld, type World, type WorldSettings } from "../../harness/world.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { type ChangeCall, ownLedger } from "../support/own-ledger.ts";
import { daysAgo } from "../support/program-fixture.ts";

export const shopClock = { now: () => daysAgo(0), sleep: async () => {}, random: () => 0.5 };
export const partnerEmail = "partner@example.com";
export const address = (email: string) => maskedEmail(testSecrets.HASH_SECRET, email);

interface ShopSettings extends WorldSettings {
  /** Signals only flag the commissions of an exempt partner. */
  readonly isExempt?: boolean;
}

export type Shop = Awaited<ReturnType<typeof openShop>>;

/**
 * Opens a shop with one partner. Sales are approved at once unless a signal or a person holds them. Audits the books at
 * the end of the test.
 */
export async function openShop(databaseUrl: string, { isExempt = false, ...settings }: ShopSettings = {}) {
  const world = await createWorld(databaseUrl, { policies: [{ holdDays: 0 }], ...settings });
  const ledger = ownLedger(databaseUrl, shopClock);
  const calls = callsOf(world, ledger);
  onTestFinished(async () => {
    expect(await world.audit()).toEqual([]);
  });
  const by = (actorId = "owner", at = shopClock.now()) => ({
    ...{ operationId: randomBytes(8).toString("hex"), at, programId: world.programId, actorId },
  });
  const change = async (call: ChangeCall) => {
    const outcome = await ledger.submit(ledger.changeTask(call, shopClock.now())).outcome;
    if (!outcome.ok) throw new Error(`refused: ${JSON.stringify(outcome.refusal)} ${ledger.faults.map(String)}`);
    return outcome.answer as unknown;
  };
  const partnerId = world.partner.id;
  const soldAs = async (transactionId: string) => {
    const [found] = await world.rows(
      "select s.id, c.id as commission from sales s join commissions c on c.sale_id = s.id where s.program_id = ? and s.transaction_id = ?",
      ...[world.programId, transactionId],
    );
    return { saleId: Number(found?.id), commissionId: Number(found?.commission) };
  };
  const review = async (transactionId: string, at: number, asked: ReviewCall["review"]) => {
    const { commissionId } = await soldAs(transactionId);
    await change({ ...by("owner", at), kind: "review-commissions", commissionIds: [commissionId], review: asked });
  };
  const shop = {
    ...calls,
    world,
    by,
    change,
    soldAs,
    setEmail: (email: string) => change({ ...by(), kind: "update-partner", partnerId, changes: { email } }),
    setExternalId: (externalId: string) =>
      change({ ...by(), kind: "update-partner", partnerId, changes: { externalId } }),
    acceptInvitation: async (email: string) => {
      const tokenHash = randomBytes(32).toString("hex");
      const expiresAt = Date.now() + 60_000;
      await change({
        ...by(),
        kind: "invite-partners",
        role: "view",
        expiresAt,
        invitations: [{ partnerId, tokenHash }],
      });
      const accepted = {
        tokenHash,
        termsVersion: null,
        address: addressDigests(testSecrets.HASH_SECRET, email),
        isMember: false,
        isInviterGone: false,
      };
      await change({ ...by("account"), ...accepted, kind: "accept-partner-invitation" });
    },
    refer: (customerKey: string, email?: string) =>
      calls.lead("key", [calls.click(world.partner, daysAgo(1))], customerKey, {
        email: email === undefined ? null : address(email),
      }),
    sell: (transactionId: string, more: Partial<SaleCall> = {}) => calls.sale(transactionId, shopClock.now(), more),
    hold: (transactionId: string, at = shopClock.now()) =>
      review(transactionId, at, { action: "hold", reason: "r", partnerNote: null }),
    release: (transactionId: string, at = shopClock.now()) =>
      review(transactionId, at, { action: "release", note: null }),
    correct: async (transactionId: string, changes: SaleCorrection, at = shopClock.now()) => {
      const { saleId } = await soldAs(transactionId);
      const correctable = await findCorrectableSale(databaseAt(databaseUrl), world.programId, saleId);
      if (correctable === undefined) throw new Error(`there is no sale ${transactionId}`);
      const asked = { changes, reason: "r", isDryRun: false };
      await change({ ...by("owner", at), ...correctable, ...asked, kind: "correct-sale", clicks: [] });
    },
    raised: () => raisedIn(world),
  };
  if (isExempt) await change({ ...by(), kind: "update-partner", partnerId, changes: { isRiskExempt: true } });
  return shop;
}

type ReviewCall = Extract<ChangeCall, { readonly kind: "review-commissions" }>;

/** Returns each sale's commission state with its signals. */
async function raisedIn({ rows, programId }: World) {
  const found = await rows(
    `select s.transaction_id as sale, c.status || iif(c.held_at is null, '', ', held') as state,
       (select group_concat(g.code || ' ' || g.effect || iif(g.ended_at is null, '', ', ended'))
        from commission_signals g where g.commission_id = c.id) as signals
     from sales s join commissions c on c.sale_id = s.id where s.program_id = ? order by s.id`,
    programId,
  );
  return Object.fromEntries(
    found.map(({ sale, state, signals }) => [sale, signals === null ? state : `${state}: ${signals}`]),
  );
}
