import { randomInt, randomUUID } from "node:crypto";
import type { InStatement } from "@libsql/client/http";
import type { SalesFixture } from "./sales-fixture.ts";

interface PayoutRow {
  readonly id: number;
  readonly lineId: number;
}

/** Reserves all entries of a partner's commission, as the Ledger does before a payout is final. */
export async function reserve(till: SalesFixture, commissionId: number, partnerId: number): Promise<PayoutRow> {
  const { programId } = till.world;
  const id = randomInt(2 ** 33, 2 ** 47);
  const lineId = randomInt(2 ** 33, 2 ** 47);
  const amount = "(select sum(amount_cents) from ledger_entries where commission_id = ?)";
  const statements: InStatement[] = [
    {
      sql: `insert into payouts (id, program_id, currency, reference, status, phase, until, minimum_cents, created_at,
        created_by, finalized_at, finalized_by) values (?, ?, 'EUR', ?, 'finalizing', 'reserving', 1, 1, 1, 'u', 1, 'u')`,
      args: [id, programId, randomUUID()],
    },
    {
      sql: `insert into payout_lines (id, program_id, payout_id, partner_id, currency, state, name, amount_cents, commissions)
        values (?, ?, ?, ?, 'EUR', 'reserving', 'name', ${amount}, 1)`,
      args: [lineId, programId, id, partnerId, commissionId],
    },
    {
      sql: `insert into payout_line_entries (entry_id, line_id, commission_id, amount_cents)
        select id, ?, commission_id, amount_cents from ledger_entries where commission_id = ?`,
      args: [lineId, commissionId],
    },
    { sql: "update commissions set line_id = ? where id = ?", args: [lineId, commissionId] },
  ];
  await till.world.write(...statements);
  return { id, lineId };
}
