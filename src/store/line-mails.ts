import { and, eq, getTableColumns, gt, isNotNull, isNull, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { dayMs } from "#domain/calendar.ts";
import type { PartnerId, PayoutId, PayoutLineId } from "#domain/ids.ts";
import type { LineTemplate } from "#domain/mail/mail.ts";
import { type Database, readOne } from "./database.ts";
import type { MailRow } from "./mails.ts";
import { mails } from "./schema/mails.ts";
import { payoutLines } from "./schema/payouts.ts";
import { change, given, readAll, readPacked, unencoded, write } from "./statement.ts";

// Mails about lines of payouts. Each is composed from its line when it is sent.

interface LineMails extends Record<string, unknown> {
  readonly payoutId: PayoutId;
  /** Null: all live lines. */
  readonly partnerId: PartnerId | null;
  readonly template: LineTemplate;
  readonly origin: string;
  readonly operationId: string;
  readonly at: number;
  /** A JSON array of `[partnerId, address]`. */
  readonly recipients: string;
}

/** Limit on mails of one template to one address in a day, however many partners of the program have it. */
const maxLineMails = 10;

/** Mails of the program's lines to each address in the last day. */
const recentToAddress = sql`select lower(q.email) as address, count(*) as sent
  from mails m join payout_lines x on x.id = m.payout_line_id join partners q on q.id = x.partner_id
  where m.program_id = (select program_id from payouts where id = ${given("payoutId")})
    and m.template = ${given("template")} and m.created_at > ${unencoded("at")} - ${sql.raw(String(dayMs))}
  group by 1`;

/** The id of an operation's mail about a line. */
export const lineMailId = (lineId: SQLWrapper): SQL => sql`${given("operationId")} || '.' || ${lineId}`;
const ofLine = lineMailId(sql.raw("l.id"));

/** Each statement is mailed once. */
const isMailed = sql`l.payout_id = ${given("payoutId")} and p.email is not null
  and (${given("template")} <> 'statement' or (l.statement_number is not null and l.statement_mailed_at is null))`;

export type LinesToMail = {
  readonly payoutId: PayoutId;
  /** Only this partner. Null: all. */
  readonly partnerId: PartnerId | null;
  readonly template: LineTemplate;
};

export interface LineRecipient {
  readonly partnerId: PartnerId;
  /** In lower case. */
  readonly to: string;
}

interface FoundRecipient extends LineRecipient {
  /** The draft leaves the line out. Its confirmation may not. */
  readonly isSkipped: boolean;
  /** Ids of the accounts with access to the partner. */
  readonly accounts: readonly string[];
}

const recipients = readPacked<LinesToMail, FoundRecipient>((db) =>
  db
    .select({
      partnerId: sql<PartnerId>`l.partner_id`,
      to: sql<string>`lower(p.email)`,
      isSkipped: sql<boolean>`l.state = 'skipped'`.mapWith(Boolean),
      accounts: sql<readonly string[]>`(
        select json_group_array(a.account_id) from partner_accounts a where a.partner_id = l.partner_id
      ) || ''`.mapWith((ids: string): readonly string[] => JSON.parse(ids)),
    })
    .from(sql`payout_lines l join partners p on p.id = l.partner_id`)
    .where(
      sql`${isMailed} and coalesce(l.partner_id = ${unencoded("partnerId")}, ${unencoded("partnerId")} is null)
        and (l.state <> 'skipped' or (select y.status from payouts y where y.id = l.payout_id) = 'draft')`,
    ),
);

/** Of each line whose partner has an address. */
export const readLineRecipients = async (database: Database, lines: LinesToMail): Promise<readonly FoundRecipient[]> =>
  await readOne(database, recipients(lines));

type MailedLines = {
  readonly payoutId: PayoutId;
  readonly operationId: string;
};

const mailedPartners = readAll<MailedLines & { partnerIds: string }, { partnerId: PartnerId }>((db) =>
  db
    .select({ partnerId: sql<PartnerId>`l.partner_id` })
    .from(sql`payout_lines l join mails m on m.id = ${ofLine}`)
    .where(
      sql`l.payout_id = ${given("payoutId")} and l.partner_id in (select value from json_each(${given("partnerIds")}))`,
    ),
);

/** Of these partners, those that the operation mailed. */
export async function readMailedPartners(
  database: Database,
  lines: MailedLines,
  partnerIds: readonly PartnerId[],
): Promise<ReadonlySet<PartnerId>> {
  const asked = { ...lines, partnerIds: JSON.stringify(partnerIds) };
  const found = await readOne(database, mailedPartners(asked));
  return new Set(found.map(({ partnerId }) => partnerId));
}

/** For each line of these partners, in one statement, below the limit. None to an address that has changed since. */
export const insertLineMails = write<LineMails>((db) => {
  const values: Readonly<Record<keyof MailRow, unknown>> = {
    id: ofLine,
    programId: sql`l.program_id`,
    template: given("template"),
    content: sql`null`,
    payoutLineId: sql`l.id`,
    origin: given("origin"),
    attempts: sql`0`,
    dueAt: unencoded("at"),
    deliveredAt: sql`null`,
    failedAt: sql`null`,
    createdAt: unencoded("at"),
  };
  const inOrder = Object.keys(getTableColumns(mails)) as (keyof MailRow)[];
  return db
    .insert(mails)
    .select(
      sql`select ${sql.join(
        inOrder.map((name) => sql`${values[name]}`),
        sql`, `,
      )} from (
        select l.id, l.program_id, row_number() over (partition by lower(p.email) order by l.id) as place, lower(p.email) as address
        from json_each(${given("recipients")}) j
          join payout_lines l on l.payout_id = ${given("payoutId")} and l.partner_id = j.value ->> 0
          join partners p on p.id = l.partner_id and lower(p.email) = j.value ->> 1
        where ${isMailed} and l.state <> 'skipped'
          and iif(${unencoded("partnerId")} is null, l.state = 'live', l.partner_id = ${unencoded("partnerId")})
      ) l left join (${recentToAddress}) r on r.address = l.address
      where l.place + coalesce(r.sent, 0) <= ${sql.raw(String(maxLineMails))}`,
    )
    .onConflictDoNothing();
});

/** Must directly follow this operation's mails, which are then the last. */
export const markStatementsMailed = write<{ payoutId: PayoutId; operationId: string; at: number }>((db) =>
  db
    .update(payoutLines)
    .set({ statementMailedAt: unencoded("at") })
    .where(
      and(
        eq(payoutLines.payoutId, given("payoutId")),
        isNull(payoutLines.statementMailedAt),
        sql`exists (select 1 from ${mails} where ${mails.id} = ${lineMailId(payoutLines.id)})`,
      ),
    ),
);

/** A mail that has not been sent, or not for certain. */
export const withdrawLineMail = write<{ payoutLineId: PayoutLineId; template: LineTemplate }>((db) =>
  db
    .delete(mails)
    .where(
      and(eq(mails.payoutLineId, given("payoutLineId")), eq(mails.template, given("template")), isNotNull(mails.dueAt)),
    ),
);

/** Mails that wait to be sent, to a partner whose address changes: the new one wasn't counted. Reads all that wait. */
export const withdrawLineMails = change(["partnerId"], (db, wanted, { partnerId }) =>
  db
    .delete(mails)
    .where(
      and(
        gt(mails.dueAt, sql`0`),
        isNotNull(mails.payoutLineId),
        sql`(select ${payoutLines.partnerId} from ${payoutLines} where ${payoutLines.id} = ${mails.payoutLineId}) in (select ${partnerId} from ${wanted})`,
      ),
    ),
);
