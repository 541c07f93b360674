import { sql } from "drizzle-orm";
import { shownStatusOf } from "#store/payout-ranges.ts";
import { readAll } from "#store/statement.ts";
import type { DatabaseClient, Row } from "../../harness/database-client.ts";
import type { World } from "../../harness/world.ts";
import { laterSums, paidEntry } from "./later-sums.ts";

export interface Accounts {
  pending: number;
  payable: number;
  inPayout: number;
  paid: number;
}

export interface Shown {
  readonly accounts: readonly Accounts[];
  readonly commissions: readonly string[];
  readonly payouts: readonly (readonly string[])[];
}

const shownStatuses = readAll<Record<string, never>, { id: number; status: string }>((db) =>
  db.select({ id: sql<number>`c.id`, status: shownStatusOf("c") }).from(sql`commissions c`),
);

/** Reads each program from the database into the model's representation. */
export async function readShown(
  url: string,
  client: DatabaseClient,
  worlds: readonly World[],
): Promise<readonly Shown[]> {
  const [balances, commissions, payouts, lines] = await client.batch(
    [
      "select * from partner_balances",
      `with shown(id, status) as (${shownStatuses({}).sql})
       select c.*, shown.status as shown from commissions c join shown on shown.id = c.id order by c.id`,
      "select * from payouts order by id",
      `select l.*, ${paidEntry} from payout_lines l order by l.partner_id`,
    ],
    "read",
  );
  const later = await laterSums(url, lines?.rows ?? []);
  const of = (result: { readonly rows: readonly Row[] } | undefined, { programId }: World) =>
    (result?.rows ?? []).filter((row) => row.program_id === programId);
  return worlds.map((world) => {
    const partnerOf = (row: Row) => world.partners.findIndex(({ id }) => id === row.partner_id);
    const linesOf = (id: unknown) => of(lines, world).filter((line) => line.payout_id === id);
    return {
      accounts: world.partners.map((_, index) => {
        const row = of(balances, world).find((balance) => partnerOf(balance) === index);
        const cents = (name: string) => Number(row?.[name] ?? 0);
        return {
          pending: cents("pending_cents"),
          payable: cents("payable_cents"),
          inPayout: cents("in_payout_cents"),
          paid: cents("paid_cents"),
        };
      }),
      commissions: of(commissions, world).map(
        (row) => `${partnerOf(row)} ${row.shown} ${row.amount_cents}${row.held_at === null ? "" : " held"}`,
      ),
      payouts: of(payouts, world).map(({ id, status, settled_by: settledBy, ...sums }) => [
        settledBy === "person"
          ? String(status)
          : [status, settledBy, sums.settled_cents, sums.given_back_cents, sums.returned_cents].join(" "),
        ...linesOf(id)
          .toSorted((a, b) => partnerOf(a) - partnerOf(b))
          .map((line) =>
            [
              partnerOf(line),
              line.state,
              line.settlement_id ?? "-",
              line.late_settlement_id ?? "-",
              line.amount_cents,
              line.commissions,
              line.commissions_cents,
              line.adjustments_cents,
              later.get(line) ?? 0,
            ].join(" "),
          ),
      ]),
    };
  });
}
