import { expect } from "vitest";
import type { JsonObject } from "../../harness/client.ts";
import type { WorldSettings } from "../../harness/world.ts";
import { openDashboard } from "./dashboard.ts";
import type { FixtureUsers } from "./users-fixture.ts";

export interface ImportedRow {
  readonly line: number;
  readonly result: string;
  readonly code?: string;
  readonly field?: string;
  readonly id?: number;
  readonly warnings?: readonly string[];
  readonly effects?: JsonObject;
}

export const told = (rows: readonly ImportedRow[]) =>
  rows.map(({ result, code, field }) => [result, code, field].filter(Boolean).join(" "));

/** Opens a program with calls that import customers for Alice. */
export async function customersShop(staff: FixtureUsers, settings: WorldSettings = {}) {
  const shop = await openDashboard(staff, settings);
  const { world, alice, bob } = shop;
  const send = (rows: readonly JsonObject[], options: JsonObject = {}) =>
    staff.owner.post<{ data: { rows: ImportedRow[] } }>(`/api/programs/${world.programId}/imports/rows`, {
      kind: "customers",
      source: "Former program",
      rows: rows.map((row, i) => ({ line: i + 1, partner_code: alice.code, ...row })),
      ...options,
    });
  const run = async (rows: readonly JsonObject[], options: JsonObject = {}) => {
    const { status, text, body } = await send(rows, options);
    expect(status, text).toBe(200);
    return body.data.rows;
  };
  const sell = (transaction_id: string, body: JsonObject = {}) =>
    shop.sale({ transaction_id, amount_cents: 4_900, customer_key: "cus_9", ...body });
  /** Returns all rows that an import can change. */
  const books = async () => {
    const names = ["customers", "sales", "commissions", "ledger_entries", "leads", "audit_entries", "pending_moves"];
    const tables = await Promise.all(
      names.map((name) =>
        name === "pending_moves"
          ? world.rows(
              "select m.* from pending_moves m join customers u on u.id = m.customer_id where u.program_id = ?",
              world.programId,
            )
          : world.rows(`select * from ${name} where program_id = ? order by id`, world.programId),
      ),
    );
    return JSON.stringify(tables);
  };
  const balance = async () => {
    const [row] = await world.rows(
      "select coalesce(sum(amount_cents), 0) as cents from ledger_entries where program_id = ? and partner_id = ?",
      world.programId,
      alice.id,
    );
    return Number(row?.cents);
  };
  return { ...shop, alice, bob, send, run, sell, books, balance };
}
