import { expect } from "vitest";
import type { User } from "../../harness/session.ts";
import type { WorldSettings } from "../../harness/world.ts";
import { programFixture } from "./program-fixture.ts";
import { type SalesFixture, salesFixture } from "./sales-fixture.ts";
import { sharedApi } from "./shared-service.ts";
import type { FixtureUsers } from "./users-fixture.ts";

export interface StatementEntry {
  readonly day: string;
  readonly postedOn: string;
  readonly saleOn: string | null;
  readonly ref: string | null;
  readonly kind: string;
  readonly amountCents: number;
  readonly payoutReference: string | null;
}

export interface Statement {
  readonly data: {
    readonly from: string;
    readonly to: string;
    readonly currency: string;
    readonly number: number | null;
    readonly name: string;
    readonly paidOn: string | null;
    readonly returnedOn: string | null;
    readonly creditedOn: string | null;
    readonly changedLater: { readonly amountCents: number; readonly lastOn: string } | null;
    readonly issuer: object | null;
    readonly address: string | null;
    readonly taxId: string | null;
    readonly openingCents: number;
    readonly entries: readonly StatementEntry[];
    readonly earnedCents: number;
    readonly refundedCents: number;
    readonly adjustedCents: number;
    readonly paidCents: number;
    readonly closingCents: number;
    readonly pendingCents?: number;
    readonly payableCents?: number;
    readonly inPayoutCents?: number;
  };
  readonly meta: { readonly timezone: string; readonly otherCurrencies: readonly string[] };
}

export const sumOf = (entries: readonly StatementEntry[]): number =>
  entries.reduce((sum, { amountCents }) => sum + amountCents, 0);

/** Opens a program without hold periods, with the customer c1 referred by Alice. */
export async function openShop(people: FixtureUsers, settings: WorldSettings = {}): Promise<SalesFixture> {
  const world = await people.world({ partners: [{}, {}], policies: [{ holdDays: 0 }], ...settings });
  const shop = salesFixture(programFixture(world, sharedApi()));
  await shop.refer("c1");
  return shop;
}

export const statementPath = ({ world, alice }: SalesFixture, partnerId: number | string = alice.id): string =>
  `/api/programs/${world.programId}/partners/${partnerId}/statement`;

/**
 * Reads a statement. Checks that the opening balance plus all entries equals the closing balance, and that the opening
 * balance plus the statement's sums does too.
 */
export async function readStatement(user: User, shop: SalesFixture, query = ""): Promise<Statement> {
  const { status, text, body } = await user.get<Statement>(statementPath(shop) + query);
  expect(status, text).toBe(200);
  const { openingCents, entries, closingCents } = body.data;
  expect(openingCents + sumOf(entries)).toBe(closingCents);
  const { earnedCents, refundedCents, adjustedCents, paidCents } = body.data;
  expect(openingCents + earnedCents + refundedCents + adjustedCents + paidCents).toBe(closingCents);
  return body;
}

export interface Posting {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly amountCents: number;
  /** The day of the event. The default is the UTC day of `at`. */
  readonly day?: string;
}

/** Writes adjustments of Alice directly to the database, because the Ledger posts nothing in the past. */
export async function post({ world, alice }: SalesFixture, postings: readonly Posting[]): Promise<void> {
  const rows = JSON.stringify(postings);
  // Higher than the Ledger's newest id, even if the Ledger has started again after an earlier call of this function.
  const base = 2 ** 47 + Date.now() * 1_000 + (world.programId % 900);
  const numbered = `select key + ${base} as id, value ->> '$.at' as at,
    value ->> '$.amountCents' as cents, value ->> '$.day' as day from json_each(?)`;
  const args = [world.programId, alice.id];
  await world.write(
    {
      sql: `insert into notes (id, program_id, kind, subject, text)
        select id, ?, 'reason', 'partner ' || ?, 'posted' from (${numbered})`,
      args: [...args, rows],
    },
    {
      sql: `insert into adjustments (id, program_id, partner_id, amount_cents, currency, reason_id, reference, created_by, created_at)
        select id, ?, ?, cents, 'EUR', id, id, 'user', at from (${numbered})`,
      args: [...args, rows],
    },
    {
      sql: `insert into ledger_entries (id, program_id, is_test, partner_id, kind, amount_cents, currency, occurred_at,
          created_at, day, adjustment_id)
        select id, ?, 0, ?, 'adjusted', cents, 'EUR', at, at,
          coalesce(day, strftime('%Y-%m-%d', at / 1000, 'unixepoch')), id from (${numbered})`,
      args: [...args, rows],
    },
  );
}
