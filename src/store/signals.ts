import { eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import type { Book } from "#domain/book.ts";
import { dayMs } from "#domain/calendar.ts";
import type { AddressHashes } from "#domain/email-digest.ts";
import type { CustomerId, ProgramId, SaleId } from "#domain/ids.ts";
import type { Review } from "#domain/review-reason.ts";
import { type FlagCode, flagOf, type RaisedCode, reviewCodes, type SignalCode, settingOf } from "#domain/risk.ts";
import { partnersOfAddress, partnersOfSimilar } from "./customers.ts";
import { heldBy } from "./payout-ranges.ts";
import { commissionSignals } from "./schema/commission-signals.ts";
import { commissions } from "./schema/commissions.ts";
import { customerClicks, customers } from "./schema/customers.ts";
import { notes } from "./schema/notes.ts";
import { partners } from "./schema/partners.ts";
import { programs } from "./schema/programs.ts";
import { sales } from "./schema/sales.ts";
import { change, everyColumn, given, insert, lookUpFirst, readAll, unencoded, type Write, write } from "./statement.ts";

export type SignalRow = typeof commissionSignals.$inferSelect;

export const insertSignal = insert<SignalRow>((db) =>
  db.insert(commissionSignals).values(everyColumn(commissionSignals)),
);

const codes = sql`json_each(${sql.raw(`'${JSON.stringify(reviewCodes)}'`)})`;

/**
 * The instant of the last manual hold. A commission can have many manual holds, but only the last one can be active.
 */
const lastByHand = (commissionId: SQL): SQL => sql`(
  select max(m.raised_at) from ${commissionSignals} m where m.commission_id = ${commissionId} and m.code = 'by_hand')`;

/**
 * The instant from which signals of a code can be active: the last manual hold for the code `by_hand`, and 0 for all
 * other codes.
 */
const countsSince = (commissionId: SQL): SQL => sql`iif(json_each.value = 'by_hand', ${lastByHand(commissionId)}, 0)`;

/** Ends all holds of a commission after a member's decision. Signals that only flag it remain. */
export const endHolds = change(["commissionId", "at"], (db, wanted, { commissionId, at }) =>
  db
    .update(commissionSignals)
    .set({ endedAt: sql`reviewed.at`, endedBy: sql`'person'` })
    .from(
      sql`(select ${commissionId} as id, json_each.value as code, ${countsSince(commissionId)} as since, min(${at}) as at
        from ${wanted} cross join ${codes} group by 1, 2) as reviewed`,
    )
    .where(
      sql`${commissionSignals.commissionId} = reviewed.id and ${commissionSignals.code} = reviewed.code
        and ${commissionSignals.raisedAt} >= reviewed.since
        and ${commissionSignals.effect} = 'hold' and ${commissionSignals.endedAt} is null`,
    ),
);

/** After a sale has moved to another partner: ends the signals that refer to the former partner. */
export const endSignalsOfMove = change(["commissionId", "at"], (db, wanted, { commissionId, at }) =>
  db
    .update(commissionSignals)
    .set({ endedAt: sql`${at}`, endedBy: sql`'move'` })
    .from(wanted)
    .where(
      sql`${commissionSignals.commissionId} = ${commissionId} and ${commissionSignals.endedAt} is null
          and ${commissionSignals.partnerId} is not null`,
    ),
);

/** The last manual hold of a commission: its instant, and whether it is active. */
export const handHold = lookUpFirst(["programId", "id"], (db, wanted, key) =>
  db
    .select({
      isLive: sql<boolean>`g.ended_at is null`.mapWith(Boolean),
      lastAt: sql<number>`g.raised_at`,
    })
    .from(wanted)
    .crossJoin(sql`${commissionSignals} g`)
    .where(
      sql`g.commission_id = ${key.id} and g.code = 'by_hand' and g.raised_at = ${lastByHand(key.id)}
        and g.program_id = ${key.programId}`,
    ),
);

/**
 * The signals that a correction copies from the sale and its earlier corrections, each in its latest state. They are
 * read from all versions, because a commission of amount 0 has only some of them. Of manual holds, only the last of
 * each version is copied.
 */
export const signalsToCarry = readAll<{ programId: ProgramId; saleId: SaleId }, SignalRow>((db) =>
  db
    .select(getTableColumns(commissionSignals))
    .from(sql`${sales} o`)
    .crossJoin(sales)
    .innerJoin(commissions, eq(commissions.saleId, sales.id))
    .crossJoin(codes)
    .crossJoin(commissionSignals)
    .where(
      sql`o.id = ${given("saleId")} and o.program_id = ${given("programId")}
        and (${sales.id} = coalesce(o.corrected_sale_id, o.id) or ${sales.correctedSaleId} = coalesce(o.corrected_sale_id, o.id))
        and ${commissionSignals.commissionId} = ${commissions.id} and ${commissionSignals.code} = json_each.value
        and ${commissionSignals.raisedAt} >= ${countsSince(sql`${commissions.id}`)}
        and not exists (select 1 from ${sales} n join ${commissions} c on c.sale_id = n.id
          join ${commissionSignals} g on g.commission_id = c.id
          where n.corrected_sale_id = coalesce(o.corrected_sale_id, o.id) and n.correction > coalesce(${sales.correction}, 0)
            and g.code = ${commissionSignals.code} and g.raised_at = ${commissionSignals.raisedAt})`,
    ),
);

interface Later<Code extends RaisedCode = SignalCode> {
  readonly code: Code;
  readonly evidence: SQL;
  /** SQL that joins the program `pr` and the commissions `c` to which the signal may apply. */
  readonly found: SQL;
  readonly condition: SQL;
}

const settingIn = (code: SignalCode): SQL => sql`pr.${sql.identifier(programs[settingOf[code]].name)}`;

/**
 * The instant for a new signal: now, or later if the commission already has a signal with this code at the same or a
 * later instant.
 */
const raisedLast = (code: RaisedCode): SQL => sql`max(${unencoded("at")}, coalesce((
  select max(g.raised_at) + 1 from ${commissionSignals} g
  where g.commission_id = c.id and g.code = ${sql.raw(`'${code}'`)}), 0))`;

/**
 * Like `raiseLater`, for an address that is similar instead of equal. It flags commissions and never holds them, and
 * skips those that have the signal for an equal address.
 */
const flagLater = <Values extends { at: number }>({ code, evidence, found, condition }: Later<FlagCode>) =>
  write<Values>((db) =>
    db.insert(commissionSignals).select(sql`
      select c.id, c.program_id, c.is_test, ${sql.raw(`'${code}'`)}, 'flag', ${evidence}, null, c.partner_id,
        ${raisedLast(code)}, null, null, null
      from ${found} cross join ${partners} p on p.id = c.partner_id
      where ${settingIn(flagOf[code])} <> 'off' and c.status in ('pending', 'approved', 'reversed') and ${condition}
        and not exists (select 1 from ${commissionSignals} g
          where g.commission_id = c.id and g.code in ('${sql.raw(code)}', '${sql.raw(flagOf[code])}') and g.partner_id = c.partner_id)`),
  );

/**
 * Raises a signal that becomes known after commissions were decided. It only flags commissions that a person approved
 * or that are in a live payout line, and holds the others. If the program's setting is `flag` or the partner is exempt,
 * it only flags all of them.
 */
function raiseLater<Values extends { at: number }>({ code, evidence, found, condition }: Later) {
  const setting = settingIn(code);
  const name = sql.raw(`'${code}'`);
  const isFlag = sql`(${setting} = 'flag' or p.is_risk_exempt or c.approved_by is 'person' or ${heldBy("c")} is not null)`;
  const reviewUntil = sql`iif(${isFlag}, null, ${unencoded("at")} + pr.review_days * ${sql.raw(String(dayMs))})`;
  const raisedAt = raisedLast(code);
  const raise = write<Values>((db) =>
    db.insert(commissionSignals).select(sql`
      select c.id, c.program_id, c.is_test, ${name}, iif(${isFlag}, 'flag', 'hold'), ${evidence}, null, c.partner_id,
        ${raisedAt}, ${reviewUntil}, null, null
      from ${found} cross join ${partners} p on p.id = c.partner_id
      where ${setting} <> 'off' and c.status in ('pending', 'approved', 'reversed') and ${condition}
        and not exists (select 1 from ${commissionSignals} g
          where g.commission_id = c.id and g.code = ${name} and g.partner_id = c.partner_id)`),
  );
  const hold = write<Values>((db) =>
    db
      .update(commissions)
      .set({
        status: sql`iif(${commissions.status} = 'approved', 'pending', ${commissions.status})`,
        heldAt: sql`min(coalesce(${commissions.heldAt}, raised.raised_at), raised.raised_at)`,
        // Null if one of the two is null: a commission's holds end automatically only if all of them have an end.
        reviewUntil: sql`iif(${commissions.heldAt} is null, raised.review_until, max(${commissions.reviewUntil}, raised.review_until))`,
        approvedAt: null,
        approvedBy: null,
        payableNumber: null,
      })
      .from(
        sql`(select g.commission_id, g.raised_at, g.review_until from ${found} cross join ${commissionSignals} g
          on g.commission_id = c.id and g.code = ${name} and g.partner_id = c.partner_id
          where g.effect = 'hold' and g.ended_at is null) raised`,
      )
      .where(sql`${commissions.id} = raised.commission_id`),
  );
  return (values: Values): readonly Write[] => [raise(values), hold(values)];
}

const salesOfCustomer = sql`cross join ${sales} s on s.customer_id = u.id cross join ${commissions} c on c.sale_id = s.id`;

const selfReferral = {
  code: "self_referral",
  evidence: sql`'{}'`,
  condition: sql`p.id in (${partnersOfAddress(sql`pr.id`, unencoded("emailHash"))})`,
} as const;

const similarSelfReferral = {
  code: "self_referral_similar",
  evidence: sql`'{}'`,
  condition: sql`p.id in (${partnersOfSimilar(sql`pr.id`, unencoded("similarHash"))})`,
} as const;

type OfCustomer = { customerId: CustomerId; at: number };
const ofCustomer = sql`${customers} u cross join ${programs} pr on u.id = ${unencoded("customerId")} and pr.id = u.program_id ${salesOfCustomer}`;
const raiseExact = raiseLater<OfCustomer & { emailHash: string }>({ ...selfReferral, found: ofCustomer });
const flagSimilar = flagLater<OfCustomer & { similarHash: string }>({ ...similarSelfReferral, found: ofCustomer });

/** Raises signals for a customer if an address that has just become known is equal or similar to their partner's. */
export const raiseSelfReferral = ({ customerId, at, emailHash, similarHash }: OfCustomer & AddressHashes) => [
  ...raiseExact({ customerId, at, emailHash }),
  ...(similarHash === null ? [] : [flagSimilar({ customerId, at, similarHash })]),
];

/** Raises signals for a customer with too many addresses. */
export const raiseManySources = raiseLater<OfCustomer>({
  code: "many_sources",
  evidence: sql`'{}'`,
  found: ofCustomer,
  condition: sql`1 = 1`,
});

type OfProgram = { programId: ProgramId; at: number };
const ofCustomersWith = (hash: "emailHash" | "similarHash") => sql`${programs} pr
  cross join ${customers} u on pr.id = ${unencoded("programId")} and u.program_id = pr.id
    and u.is_test in (0, 1) and u.${sql.identifier(customers[hash].name)} = ${unencoded(hash)} ${salesOfCustomer}`;
const raiseAllExact = raiseLater<OfProgram & { emailHash: string }>({
  ...selfReferral,
  found: ofCustomersWith("emailHash"),
});
const flagAllSimilar = flagLater<OfProgram & { similarHash: string }>({
  ...similarSelfReferral,
  found: ofCustomersWith("similarHash"),
});

/** Raises signals for all customers whose address is equal or similar to a partner's new address. */
export const raiseSelfReferrals = ({ programId, at, emailHash, similarHash }: OfProgram & AddressHashes) => [
  ...raiseAllExact({ programId, at, emailHash }),
  ...(similarHash === null ? [] : [flagAllSimilar({ programId, at, similarHash })]),
];

/** Raises signals for purchases by the partner. Runs when the partner's id in the integrator's system becomes known. */
export const raiseOwnPurchases = raiseLater<OfProgram & { externalId: string }>({
  code: "self_referral",
  evidence: sql`'{}'`,
  found: sql`${programs} pr cross join ${customers} u on pr.id = ${unencoded("programId")} and u.program_id = pr.id
    and u.is_test in (0, 1) and u.customer_key = ${unencoded("externalId")} ${salesOfCustomer}`,
  condition: sql`p.external_id = ${unencoded("externalId")}`,
});

/** Raises signals for a customer's purchases, once the customer's key is known and is the partner's external id. */
export const raiseOwnPurchasesOf = raiseLater<OfCustomer>({
  code: "self_referral",
  evidence: sql`'{}'`,
  found: ofCustomer,
  condition: sql`p.external_id = u.customer_key`,
});

/** Raises signals for a click whose row was written late. `host` is the host of its referrer. */
export const raiseBlockedSources = raiseLater<Book & { clickId: string; host: string; at: number }>({
  code: "blocked_source",
  evidence: sql`json_object('host', ${unencoded("host")})`,
  found: sql`${programs} pr cross join ${customerClicks} k on pr.id = ${unencoded("programId")} and k.click_id = ${unencoded("clickId")}
    cross join ${sales} s on s.customer_id = k.customer_id and s.program_id = pr.id and s.is_test = ${unencoded("isTest")}
    cross join ${commissions} c on c.sale_id = s.id and c.source = 'click'
    and c.explanation ->> '$.click.id' = ${unencoded("clickId")}`,
  condition: sql`exists (select 1 from json_each(pr.blocked_hosts) b where ${unencoded("host")} = b.value
    or substr(${unencoded("host")}, -length(b.value) - 1) = '.' || b.value)`,
});

/**
 * The reasons for which a commission is held or flagged, oldest first. Null if there are none, or the commission is
 * void.
 */
export const liveReviews = sql<readonly Review[] | null>`iif(${commissions.status} = 'void', null, (
  select nullif(json_group_array(json_object('code', reviewed.code, 'evidence', json(reviewed.evidence), 'reason', n.text,
    'transactionId', (select o.transaction_id from ${sales} o where o.id = reviewed.evidence ->> '$.saleId'))), '[]')
  from (select * from ${commissionSignals} s where s.commission_id = ${commissions.id} and s.ended_at is null
    order by s.raised_at) reviewed
  left join ${notes} n on n.id = reviewed.note_id))`.mapWith((json: string) => JSON.parse(json) as Review[]);

export const isHeld = sql<boolean>`${commissions.status} = 'pending' and ${commissions.heldAt} is not null`.mapWith(
  Boolean,
);

/**
 * The instant (ms) since which the commission hasn't been approved because it is unconfirmed or held. Null if it is
 * neither, or isn't pending.
 */
export const reviewSince = sql<number | null>`iif(${commissions.status} = 'pending', case
  when ${commissions.isUnconfirmed} then ${commissions.holdUntil}
  when ${commissions.heldAt} is not null then max(${commissions.holdUntil}, ${commissions.heldAt}) end, null)`;
