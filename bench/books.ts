import { randomBytes } from "node:crypto";
import { type ClickKeyRing, mintClickId } from "#domain/click-id.ts";
import type { World } from "../harness/world.ts";
import { policyJson } from "../scripts/audit/policy-columns.ts";

const atOnce = 10_000;
const dayMs = 24 * 3_600_000;
const holdMs = 15 * dayMs;
const base = 10 ** 9;

// The ledger entry of a sale has an even number. The odd number after it is for the approval of an earlier sale, whose
// hold ended at that time.
const entryNumber = "id * 2";

const byClick = { source: "'click'", partner_id: "partner_id" };

function approval(now: number, sales: number) {
  const isOver = `at + ${holdMs} <= ${now}`;
  const newestSale = `min(id + ${Math.floor((sales * holdMs) / (90 * dayMs))}, ${base + sales - 1})`;
  return {
    status: `iif(${isOver}, 'approved', 'pending')`,
    approved_at: `iif(${isOver}, at + ${holdMs}, null)`,
    approved_by: `iif(${isOver}, 'hold', null)`,
    payable_number: `iif(${isOver}, ${newestSale} * 2 + 1, null)`,
  };
}

export const buyerKey = (n: number): string => `buyer-${base + n}`;

/**
 * Returns a function that makes a statement, which inserts a row for each event. `columns` maps each column to SQL over
 * the values of an event, which the table `e` contains.
 */
const insertOf =
  (events: readonly (readonly unknown[])[]) => (table: string, columns: Readonly<Record<string, string>>) => ({
    sql: `with e as (
      select json_extract(value, '$[0]') as id, json_extract(value, '$[1]') as at, json_extract(value, '$[2]') as click_id,
        json_extract(value, '$[3]') as partner_id, json_extract(value, '$[4]') as link_id,
        json_extract(value, '$[5]') as code, strftime('%Y-%m-%d', json_extract(value, '$[1]') / 1000, 'unixepoch') as day
      from json_each(?1)
    )
    insert into ${table} (${Object.keys(columns).join(", ")}) select ${Object.values(columns).join(", ")} from e`,
    args: [JSON.stringify(events)],
  });

/**
 * Loads customers with a click, a lead and a sale each, spread evenly over the partners and the last 90 days, with the
 * rows that the service would write.
 */
export async function loadBooks(world: World, ring: ClickKeyRing, sales: number): Promise<void> {
  const { programId, partners, rows, write } = world;
  const [policy] = await rows(
    `select p.id, ${policyJson("p")} as policy from commission_policies p where p.program_id = ?`,
    programId,
  );
  const now = Date.now();
  const instantOf = (i: number) => Math.floor(now - 60_000 - ((sales - i) * 90 * dayMs) / sales);
  for (let from = 1; from <= sales; from += atOnce) {
    const events = Array.from({ length: Math.min(atOnce, sales - from + 1) }, (_, n) => {
      const at = instantOf(from + n);
      const { id, linkId, code } = partners[(from + n) % partners.length] ?? world.partner;
      const token = { programId, isTest: false, linkId, at };
      return [base + from + n, at, mintClickId(ring, token, randomBytes(8).toString("hex")), id, linkId, code];
    });
    const insert = insertOf(events);
    const row = { id: "id", program_id: String(programId), is_test: "0", created_at: "at" };
    const event = { ...row, occurred_at: "at", day: "day" };
    const attribution = { partner_id: "partner_id", click_id: "click_id", click_age_days: "0", window_days: "60" };
    const key = "'buyer-' || id";
    await write(
      insert("clicks", {
        ...event,
        click_id: "click_id",
        link_id: "link_id",
        partner_id: "partner_id",
        source: "'browser'",
        is_bot: "0",
        is_prefetch: "0",
        visitor: "'buyer-' || id",
      }),
      insert("customers", {
        ...row,
        ...attribution,
        ...byClick,
        customer_key: key,
        link_id: "link_id",
        click_at: "at",
        evidence: "'key'",
        model: "'last_click'",
        window_until: "'lead'",
        bound_at: "at",
        bound_by: "'lead'",
        confirmed_at: "at",
        first_sale_at: "at",
        first_attributed_sale_at: "at",
        one_time_commission_id: "id",
      }),
      insert("customer_clicks", {
        customer_id: "id",
        click_id: "click_id",
        link_id: "link_id",
        click_at: "at",
        evidence: "'key'",
        is_nameless: "0",
        has_settled_in_browser: "0",
        shown_at: "at",
      }),
      insert("leads", {
        ...event,
        ...attribution,
        operation_id: "click_id",
        customer_id: "id",
        customer_key: key,
        is_provisional: "0",
        evidence: "'key'",
        partner_code: "code",
        explanation: `json_object('decidedAt', at, 'reason', null, 'model', 'last_click', 'windowDays', 60,
          'windowUntil', 'lead', 'candidates', json_array(json_object('outcome', 'chosen', 'ageDays', 0,
            'windowDays', 60, 'clickId', click_id, 'at', at, 'partnerCode', code)))`,
      }),
      insert("sales", {
        ...event,
        transaction_id: "'sold-' || id",
        operation_id: "click_id",
        customer_id: "id",
        sent_customer_key: key,
        amount_cents: "10000",
        currency: "'EUR'",
        sale_type: "'payment'",
        is_recurring: "0",
        refunded_cents: "0",
        partner_id: "partner_id",
        partner_code: "code",
        click_age_days: "0",
        window_days: "60",
      }),
      insert("commissions", {
        ...row,
        ...byClick,
        sale_id: "id",
        policy_id: String(policy?.id),
        is_unconfirmed: "0",
        ...approval(now, sales),
        initial_cents: "2000",
        amount_cents: "0",
        currency: "'EUR'",
        hold_until: `at + ${holdMs}`,
        explanation: `json_object('decidedAt', at,
          'sale', json_object('transactionId', 'sold-' || id, 'amountCents', 10000, 'currency', 'EUR', 'occurredAt', at),
          'partner', json_object('id', partner_id, 'code', code), 'click', json_object('id', click_id, 'at', at),
          'considered', null, 'clickAgeDays', 0, 'windowDays', 60, 'evidence', 'key', 'model', 'last_click',
          'windowUntil', 'lead', 'bound', json_object('by', 'lead', 'at', at), 'decision', 'earned',
          'policy', json('${policy?.policy}'), 'baseCents', 10000, 'uncappedCents', 2000, 'capped', json('false'),
          'rounding', 'half_up', 'amountCents', 2000, 'holdUntil', at + ${holdMs})`,
      }),
      insert("ledger_entries", {
        ...event,
        id: entryNumber,
        commission_id: "id",
        partner_id: "partner_id",
        kind: "'earned'",
        amount_cents: "2000",
        currency: "'EUR'",
      }),
    );
  }
}
