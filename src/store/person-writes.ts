import { type SQL, sql } from "drizzle-orm";
import { type ErasedForm, type Erasing, erased, isErasedForm, saleNameErased } from "#domain/erasure.ts";
import type { RaisedCode } from "#domain/risk.ts";
import { isEventOf, type Person, type PersonTable, personTables } from "./person.ts";
import { auditEntries } from "./schema/audit.ts";
import { clickEventIds, clicks } from "./schema/clicks.ts";
import { commissions } from "./schema/commissions.ts";
import { customerClicks, customers } from "./schema/customers.ts";
import { leads } from "./schema/leads.ts";
import { notes } from "./schema/notes.ts";
import { personal } from "./schema/personal.ts";
import { refunds } from "./schema/refunds.ts";
import { sales } from "./schema/sales.ts";
import { change, type SqlValue, update, type Write } from "./statement.ts";

/** The columns of a table that an erasure changes, each with the rule (`ErasedForm`) for its new value. */
const formsOf = (table: PersonTable): readonly (readonly [string, ErasedForm])[] =>
  Object.entries(personal[table]).flatMap(([column, held]) => (isErasedForm(held) ? [[column, held] as const] : []));

/** The columns of a table that an export contains. */
export const heldIn = (table: PersonTable): Readonly<Record<string, string>> => personal[table];

type AnyRow = Readonly<Record<string, SqlValue>>;

function erasedRow(erasing: Erasing, table: PersonTable, row: AnyRow): AnyRow {
  const texts = formsOf(table).map(([column, form]): readonly [string, SqlValue] => {
    const text = row[column];
    return [column, typeof text === "string" ? erased(erasing, form, text) : null];
  });
  return { ...row, ...Object.fromEntries(texts) };
}

/** Pseudonymizes a click that isn't in the database yet. */
export const erasedClick = (erasing: Erasing, click: AnyRow): AnyRow => erasedRow(erasing, "clicks", click);

const columnsOf = <Table extends PersonTable>(table: Table) =>
  formsOf(table).map(([column]) => column) as (keyof Person[Table][number] & string)[];

const renameCustomerClick = change(["customerId", "clickId", "renamed"], (db, wanted, value) =>
  db
    .update(customerClicks)
    .set({ clickId: sql`${value.renamed}` })
    .from(wanted)
    .where(sql`${customerClicks.customerId} = ${value.customerId} and ${customerClicks.clickId} = ${value.clickId}`),
);

/** Deletes the event id: the caller chose it, so it may be personal. Otherwise, it would be deleted after a day. */
const forgetClickEvent = change(["programId", "isTest", "eventId", "linkId"], (db, wanted, key) =>
  db.delete(clickEventIds).where(
    sql`program_id in (select ${key.programId} from ${wanted}) and ${isEventOf(sql`(select ${key.eventId} from ${wanted})`)}
      and (program_id, is_test, event_id, link_id) in (
        select ${key.programId}, ${key.isTest}, ${key.eventId}, ${key.linkId} from ${wanted})`,
  ),
);

/** Replaces the visitor digest in all clicks of a day, so that the day's number of visitors doesn't change. */
const renameVisitor = change(["day", "visitor", "renamed"], (db, wanted, value) =>
  db
    .update(clicks)
    .set({ visitor: sql`${value.renamed}` })
    .from(wanted)
    .where(
      sql`${clicks.day} = ${value.day} and ${clicks.visitor} = ${value.visitor}
        and ${clicks.visitor} is not null and not (${clicks.isBot} or ${clicks.isPrefetch})`,
    ),
);

/** Replaces the click id in clicks that refer to it as the visitor's earlier click. */
const renameEarlierClick = change(["programId", "clickId", "renamed"], (db, wanted, value) =>
  db
    .update(clicks)
    .set({ existingClickId: sql`${value.renamed}` })
    .from(wanted)
    .where(
      sql`${clicks.existingClickId} = ${value.clickId} and ${clicks.existingClickId} is not null
        and ${clicks.programId} = ${value.programId}`,
    ),
);

/** Replaces the subscription id, also in sales that a correction moved to other customers. */
const renameSubscription = change(["programId", "isTest", "subscriptionId", "renamed"], (db, wanted, value) =>
  db
    .update(sales)
    .set({ subscriptionId: sql`${value.renamed}` })
    .from(wanted)
    .where(
      sql`${sales.programId} = ${value.programId} and ${sales.isTest} = ${value.isTest}
        and ${sales.subscriptionId} = ${value.subscriptionId} and ${sales.subscriptionId} is not null`,
    ),
);

const renameImported = change(["programId", "isTest", "subscriptionId", "renamed"], (db, wanted, value) =>
  db
    .update(customers)
    .set({ importedSubscriptionId: sql`${value.renamed}` })
    .from(wanted)
    .where(
      sql`${customers.programId} = ${value.programId} and ${customers.isTest} = ${value.isTest}
        and ${customers.importedSubscriptionId} = ${value.subscriptionId}
        and ${customers.importedSubscriptionId} is not null`,
    ),
);

const signaled = (what: SQL, code: RaisedCode): SQL => sql`
  select ${what} from sales s join commissions m on m.sale_id = s.id join commission_signals g on g.commission_id = m.id
  where s.customer_id = ${customers.id} and g.code = ${sql.raw(`'${code}'`)}`;

const partnersSignaled = (code: RaisedCode): SQL =>
  sql`select json_group_array(id) from (${signaled(sql`distinct g.partner_id as id`, code)})`;

/** Stores the evidence of earlier signals, so that later sales can still be held because of it after the erasure. */
const keepSignals = change(["id"], (db, wanted, { id }) =>
  db
    .update(customers)
    .set({
      erasedEvidence: sql`json_object(
        'addressOf', json((${partnersSignaled("self_referral")})),
        'similarTo', json((${partnersSignaled("self_referral_similar")})),
        'partnerId', ${customers.partnerId},
        'referrerUrl', (${signaled(sql`'https://' || (g.evidence ->> '$.host')`, "blocked_source")}
          and g.partner_id = ${customers.partnerId} limit 1))`,
    })
    .from(wanted)
    .where(sql`${customers.id} = ${id}`),
);

/** Replaces the customer key in sales that reported it with another customer's subscription. */
const renameOtherKey = change(["programId", "customerKey", "renamed"], (db, wanted, value) =>
  db
    .update(sales)
    .set({ sentCustomerKey: sql`${value.renamed}` })
    .from(wanted)
    .where(
      sql`${sales.programId} = ${value.programId} and ${sales.isTest} in (0, 1) and ${sales.isOtherKey} = 1
        and ${sales.sentCustomerKey} = ${value.customerKey}`,
    ),
);

/** Replaces the erased customer keys in other customers' sales. The sales are kept. */
export const otherKeyWrites = (erasing: Erasing, keys: readonly string[]): readonly Write[] =>
  keys.map((customerKey) =>
    renameOtherKey({
      programId: erasing.programId,
      customerKey,
      renamed: erased(erasing, "customer_key", customerKey),
    }),
  );

const byId = ["id"] as const;
const updates = {
  sales: update(sales, byId, [...columnsOf("sales"), "isErased"]),
  commissions: update(commissions, byId, columnsOf("commissions")),
  refunds: update(refunds, byId, columnsOf("refunds")),
  leads: update(leads, byId, columnsOf("leads")),
  clicks: update(clicks, byId, columnsOf("clicks")),
  auditEntries: update(auditEntries, byId, columnsOf("auditEntries")),
  notes: update(notes, byId, columnsOf("notes")),
  customers: update(customers, byId, [...columnsOf("customers"), "isErased"]),
};

/**
 * The columns that an erasure changes in a sale that a correction moved to another customer. The sale keeps that
 * customer's key and subscription.
 */
const copyColumns = columnsOf("sales").filter(
  (column) => column === "transactionId" || ["text", "items"].includes(heldIn("sales")[column] ?? ""),
);
const ofCopies = {
  sale: update(sales, byId, copyColumns),
  commission: update(commissions, byId, ["explanation"]),
  refund: update(refunds, byId, columnsOf("refunds")),
};

/** Replaces the erased customer's texts and ids in sales that now belong to another customer. */
const copyWrites = (
  erasing: Erasing,
  { copies, commissionsOfCopies, refundsOfCopies }: Pick<Person, "copies" | "commissionsOfCopies" | "refundsOfCopies">,
): readonly Write[] => [
  ...copies.map((sale) => ofCopies.sale({ ...sale, ...erasedRow(erasing, "sales", sale) })),
  ...commissionsOfCopies.map(({ id, explanation }) =>
    ofCopies.commission({ id, explanation: saleNameErased(erasing, explanation) }),
  ),
  ...refundsOfCopies.map((refund) => ofCopies.refund({ ...refund, ...erasedRow(erasing, "refunds", refund) })),
];

/**
 * Returns the writes that erase a person's rows. Sales are erased first, because a commission's sub-id can be changed
 * only after its sale.
 */
export function erasedWrites(erasing: Erasing, person: Person): readonly Write[] {
  const ofRows = personTables.flatMap((table) => {
    const rows = person[table] as readonly AnyRow[];
    return rows.flatMap((row) => writesFor(table, row, { ...erasedRow(erasing, table, row), isErased: true }));
  });
  return [...ofRows, ...copyWrites(erasing, person), ...earlierClickWrites(erasing, person)];
}

function earlierClickWrites(erasing: Erasing, person: Person): readonly Write[] {
  const { programId } = erasing;
  return person.ownClicks.map(({ clickId }) =>
    renameEarlierClick({ programId, clickId, renamed: erased(erasing, "click_id", clickId) }),
  );
}

function writesFor(table: PersonTable, row: AnyRow, after: AnyRow): readonly Write[] {
  const renamed = after.clickId ?? null;
  if (table === "customerClicks") return [renameCustomerClick({ ...ofRow(row, "customerId", "clickId"), renamed })];
  if (table === "clickEventIds") return [forgetClickEvent(ofRow(row, "programId", "isTest", "eventId", "linkId"))];
  // Signals contain no identifiers of a person.
  if (table === "commissionSignals") return [];
  const write = updates[table] as (values: AnyRow) => Write;
  return [
    ...visitorWrites(table, row, after),
    ...(table === "customers" ? [keepSignals(ofRow(row, "id"))] : []),
    write(after),
    ...subscriptionWrites(row, after),
  ];
}

const visitorWrites = (table: PersonTable, row: AnyRow, { visitor = null }: AnyRow): readonly Write[] =>
  table === "clicks" && typeof row.visitor === "string"
    ? [renameVisitor({ ...ofRow(row, "day", "visitor"), renamed: visitor })]
    : [];

const subscriptionColumns = ["subscriptionId", "importedSubscriptionId"] as const;

function subscriptionWrites(row: AnyRow, after: AnyRow): readonly Write[] {
  return subscriptionColumns.flatMap((column) => {
    const [subscriptionId = null, renamed = null] = [row[column], after[column]];
    if (subscriptionId === renamed) return [];
    const renaming = { ...ofRow(row, "programId", "isTest"), subscriptionId, renamed };
    return [renameSubscription(renaming), renameImported(renaming)];
  });
}

const ofRow = <Name extends string>(row: AnyRow, ...names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, row[name] ?? null])) as Record<Name, SqlValue>;
