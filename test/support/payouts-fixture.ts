import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";
import type { JsonObject } from "../../harness/client.ts";
import type { WorldSettings } from "../../harness/world.ts";
import { expectConsistentInTheEnd } from "./expect-ledger-consistent.ts";
import { programFixture } from "./program-fixture.ts";
import { type SalesFixture, salesFixture } from "./sales-fixture.ts";
import { sharedApi } from "./shared-service.ts";
import type { usersOfFile } from "./users-fixture.ts";

export interface Line {
  readonly partnerId: number;
  readonly name: string;
  readonly email?: string | null;
  readonly externalId: string | null;
  readonly amountCents: number;
  readonly commissions: number;
  readonly commissionsCents: number;
  readonly adjustmentsCents: number;
  readonly broughtForwardCents: number;
  readonly detailsChangedAt: string | null;
  readonly failedAt: string | null;
  readonly failureReason: string | null;
  readonly statementNumber: number | null;
}
export interface Payout {
  readonly id: number;
  readonly reference: string;
  readonly status: string;
  readonly currency: string;
  readonly minimumCents: number;
  readonly totalCents: number;
  readonly lineCount: number;
  readonly paidAt: string | null;
  readonly note: string | null;
  readonly until: string;
  readonly lines: readonly Line[];
  readonly skipped: readonly { partnerId: number; amountCents: number; reason: string }[];
  readonly changes: readonly { partnerId: number; beforeCents: number; afterCents: number; reason: string }[];
}
export interface PayoutReply {
  readonly data: Payout;
  readonly error?: { readonly message: string; readonly details: Record<string, unknown> };
}

type People = ReturnType<typeof usersOfFile>;

/**
 * Opens a program whose commissions are approved at once, with calls to its payouts. Checks the ledger at the end of
 * the file.
 */
export async function payoutsFixture(people: People, settings: WorldSettings = {}) {
  const world = await people.world({ partners: [{}, {}], policies: [{ holdDays: 0 }], ...settings });
  expectConsistentInTheEnd(world);
  const shop: SalesFixture = salesFixture(programFixture(world, sharedApi()));
  const path = `/api/programs/${world.programId}/payouts`;
  const commissions = `/api/programs/${world.programId}/commissions`;
  let sales = 0;
  let adjustments = 0;
  const post = (who: "owner" | "admin" | "viewer", to: string, body: JsonObject = {}) =>
    people[who].post<PayoutReply>(`${path}${to}`, body);
  return {
    ...shop,
    path,
    post,
    /**
     * Sells to a new customer of the partner for five times this commission, because the default rate is 20 percent.
     */
    earn: async (commissionCents: number, { partner = shop.alice, currency = "EUR" } = {}) => {
      sales += 1;
      const customer_key = `buyer-${sales}`;
      await shop.refer(customer_key, { partner });
      const transaction_id = `sale-${sales}`;
      const { body } = await shop.sell({ transaction_id, customer_key, amount_cents: commissionCents * 5, currency });
      return { transaction_id, commissionId: Number(body.commission_id) };
    },
    create: (body: JsonObject = {}) => post("admin", "", { currency: "EUR", ...body }),
    finalize: (id: number, body?: JsonObject) => post("admin", `/${id}/finalize`, body),
    confirm: (id: number, body?: JsonObject) => post("admin", `/${id}/confirm`, body),
    cancel: (id: number) => post("admin", `/${id}/cancel`),
    fail: (id: number, partnerId: number, reason = "account closed") =>
      post("admin", `/${id}/lines/${partnerId}/fail`, { reason }),
    get: async (id: number) => (await people.admin.get<PayoutReply>(`${path}/${id}`)).body.data,
    setEmail: (partnerId: number, email: string | null) =>
      people.admin.patch(`/api/programs/${world.programId}/partners/${partnerId}`, { email }),
    balances: () =>
      world.rows(
        `select partner_id, currency, pending_cents, payable_cents, in_payout_cents, paid_cents from partner_balances
         where program_id = ? order by partner_id, currency`,
        world.programId,
      ),
    /** Returns the status in the API's response, which can differ from the stored status. */
    statusOf: async (commissionId: number) =>
      (await people.viewer.get<{ data: { status: string } }>(`${commissions}/${commissionId}`)).body.data.status,
    approve: (commissionId: number) =>
      people.admin.post(`${commissions}/${commissionId}/approve`, { reason: "checked" }),
    reject: (commissionId: number) => people.admin.post(`${commissions}/${commissionId}/reject`, { reason: "fraud" }),
    /** Adjusts Alice's balance: a bonus, or a write-off if the amount is negative. */
    adjust: async (amountCents: number) => {
      adjustments += 1;
      const body = { amountCents, currency: "EUR", reason: "agreed", reference: `a${adjustments}` };
      const to = `/api/programs/${world.programId}/partners/${shop.alice.id}/adjustments`;
      expect((await people.admin.post(to, body)).status).toBe(201);
    },
    /** Returns Alice's amounts in euros. */
    accounts: async () => {
      const { pending_cents, payable_cents, in_payout_cents, paid_cents } = await shop.row(
        "select * from partner_balances where program_id = ? and currency = 'EUR' and partner_id = ?",
        world.programId,
        shop.alice.id,
      );
      return { pending: pending_cents, payable: payable_cents, inPayout: in_payout_cents, paid: paid_cents };
    },
  };
}

/** Returns an instant that is later than all earlier writes and earlier than all later ones, by the service's clock. */
export async function instantLater(): Promise<string> {
  await delay(5);
  const instant = new Date().toISOString();
  await delay(5);
  return instant;
}
