import { and, asc, desc, eq, getTableColumns, gt, isNotNull, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { PartnerId, ProgramId } from "#domain/ids.ts";
import type { PaymentMethod, PaymentVersionId } from "#domain/payment-details.ts";
import { type Database, readOne } from "./database.ts";
import { writeWithRetry } from "./retrying-write.ts";
import { partners } from "./schema/partners.ts";
import { paymentDetails } from "./schema/payment-details.ts";
import { payoutLines, payouts } from "./schema/payouts.ts";
import {
  type Compiler,
  everyColumn,
  given,
  insert,
  type RowOf,
  readAll,
  readFirst,
  unencoded,
  write,
} from "./statement.ts";

export type PaymentVersionRow = typeof paymentDetails.$inferSelect;

/** The partner's newest version. It has no method if the details were removed. */
export const newestPaymentDetails = readFirst<{ programId: ProgramId; partnerId: PartnerId }, PaymentVersionRow>((db) =>
  db
    .select()
    .from(paymentDetails)
    .where(and(eq(paymentDetails.partnerId, given("partnerId")), eq(paymentDetails.programId, given("programId"))))
    .orderBy(desc(paymentDetails.id))
    .limit(1),
);

export interface EarlierAccount {
  readonly method: PaymentMethod;
  readonly last4: string;
}

/** The payment account before the details in row `d`, as JSON. Null if there was none, or if `d` has the same one. */
export const earlierAccountOf = (d: "d" | "payment_details"): SQL => {
  const column = (name: string) => sql.raw(`${d}.${name}`);
  return sql`(
  select iif(e.account_digest is not ${column("account_digest")} or e.method <> ${column("method")}, json_object('method', e.method, 'last4', e.last4), null)
  from ${paymentDetails} e where e.partner_id = ${column("partner_id")} and e.id < ${column("id")} and e.last4 is not null
  order by e.id desc limit 1)`;
};

const selectWithEarlier = (db: Compiler) =>
  db
    .select({
      ...getTableColumns(paymentDetails),
      earlier: sql<EarlierAccount | null>`${earlierAccountOf("payment_details")}`.mapWith(
        (json: string) => JSON.parse(json) as EarlierAccount,
      ),
    })
    .from(paymentDetails);
export type PaymentWithEarlier = RowOf<typeof selectWithEarlier>;

/** The newest version of the partner's payment details, with the payment account before it. */
export const newestPaymentWithEarlier = readFirst<{ programId: ProgramId; partnerId: PartnerId }, PaymentWithEarlier>(
  (db) =>
    selectWithEarlier(db)
      .where(and(eq(paymentDetails.partnerId, given("partnerId")), eq(paymentDetails.programId, given("programId"))))
      .orderBy(desc(paymentDetails.id))
      .limit(1),
);

/** Null if the partner has no payment details. */
export const paymentVersionOf = (partnerId: SQLWrapper): SQL<PaymentVersionId | null> => sql<PaymentVersionId | null>`(
  select iif(d.method is null, null, d.id) from ${paymentDetails} d
  where d.partner_id = ${partnerId} order by d.id desc limit 1)`;

/** Identifies the recipient of a partner's payments: the payment account, otherwise the email address. */
const payee = (partner: string): SQL =>
  sql.raw(`(
  select case when (select d.method from payment_details d where d.partner_id = ${partner}.id order by d.id desc limit 1) is null
    then ${partner}.email_hash
    else (select d.account_digest from payment_details d where d.partner_id = ${partner}.id order by d.id desc limit 1) end)`);

export interface SharingPartner {
  readonly id: PartnerId;
  readonly name: string;
}

/** Up to ten other partners of the program who are paid to the same account or email address. */
export const sharingAccountWith = sql<readonly SharingPartner[]>`(
  select json_group_array(json_object('id', shown.id, 'name', shown.name)) from (
    select q.id, q.name from (
      select d.partner_id as id from ${paymentDetails} d
      where d.program_id = partners.program_id and d.account_digest = ${payee("partners")}
      union select e.id from ${partners} e where e.program_id = partners.program_id and e.email_hash = ${payee("partners")}
    ) as found join ${partners} q on q.id = found.id
    where q.id <> partners.id and ${payee("q")} = ${payee("partners")} order by q.id limit 10) as shown)`.mapWith(
  (json: string) => JSON.parse(json) as SharingPartner[],
);

export const partnersSharingAccount = readFirst<
  { programId: ProgramId; partnerId: PartnerId },
  { sharing: readonly SharingPartner[] }
>((db) =>
  db
    .select({ sharing: sharingAccountWith })
    .from(partners)
    .where(and(eq(partners.id, given("partnerId")), eq(partners.programId, given("programId")))),
);

const selectPaymentStates = (db: Compiler) =>
  db
    .select({
      partnerId: partners.id,
      email: partners.email,
      detailsChangedAt: partners.detailsChangedAt,
      erasureId: partners.erasureId,
      /** `paymentId` to `setAt` are columns of the newest version. All are null if there is none. */
      paymentId: paymentDetails.id,
      method: paymentDetails.method,
      digest: paymentDetails.digest,
      setBy: paymentDetails.setBy,
      setAt: paymentDetails.createdAt,
      /** True if a line of the partner has been paid, or is part of a final payout. */
      isPaid: sql<boolean>`exists(
        select 1 from ${payoutLines} l join ${payouts} p on p.id = l.payout_id
        where l.partner_id = ${partners.id} and l.state in ('live', 'failed') and p.status in ('final', 'paid'))`.mapWith(
        Boolean,
      ),
    })
    .from(partners)
    .leftJoin(
      paymentDetails,
      eq(paymentDetails.id, sql`(select max(d.id) from ${paymentDetails} d where d.partner_id = ${partners.id})`),
    );
export type PaymentState = RowOf<typeof selectPaymentStates>;

export const paymentStateOf = readFirst<{ programId: ProgramId; partnerId: PartnerId }, PaymentState>((db) =>
  selectPaymentStates(db).where(
    and(
      eq(partners.id, given("partnerId")),
      eq(partners.programId, given("programId")),
      eq(partners.isSynthetic, false),
    ),
  ),
);

/** The values must include the placeholders in `condition`. */
export const paymentStatesWhere = <Values extends Record<string, unknown>>(condition: SQL) =>
  readAll<Values, PaymentState>((db) => selectPaymentStates(db).where(condition));

export const insertPaymentVersion = insert<PaymentVersionRow>((db) =>
  db.insert(paymentDetails).values(everyColumn(paymentDetails)),
);

const sealedVersions = readAll<{ after: number; limit: number }, SealedVersion>((db) =>
  db
    .select({
      id: paymentDetails.id,
      programId: paymentDetails.programId,
      sealId: paymentDetails.sealId,
      ciphertext: sql<string>`${paymentDetails.ciphertext}`,
    })
    .from(paymentDetails)
    .where(and(gt(paymentDetails.id, given("after")), isNotNull(paymentDetails.ciphertext)))
    .orderBy(asc(paymentDetails.id))
    .limit(given("limit")),
);
type SealedVersion = Pick<PaymentVersionRow, "id" | "programId" | "sealId"> & { readonly ciphertext: string };

export const listSealedDetails = async (
  database: Database,
  after: number,
  limit: number,
): Promise<readonly SealedVersion[]> => await readOne(database, sealedVersions({ after, limit }));

const replaceCiphertext = write<{ id: number; before: string; after: string }>((db) =>
  db
    .update(paymentDetails)
    .set({ ciphertext: unencoded("after") })
    .where(and(eq(paymentDetails.id, given("id")), eq(paymentDetails.ciphertext, given("before")))),
);

/** Replaces encrypted details. Skips versions that have changed since they were read. */
export async function replaceSealedDetails(
  database: Database,
  changes: readonly { readonly id: number; readonly before: string; readonly after: string }[],
): Promise<void> {
  if (changes.length > 0) await writeWithRetry(database, changes.map(replaceCiphertext));
}
