import { and, eq, getTableColumns, gt, isNotNull, isNull, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { dayMs } from "#domain/calendar.ts";
import type { PartnerId, PayoutId, PayoutLineId } from "#domain/ids.ts";
import type { LineTemplate } from "#domain/mail/mail.ts";
import { type Database, readOne } from "./database.ts";
import type { MailRow } from "./mails.ts";
import { accountsInOrder } from "./partner-access.ts";
import { mails } from "./schema/mails.ts";
import { payoutLines } from "./schema/payouts.ts";
import { change, given, readAll, readPacked, unencoded, type Write, write } from "./statement.ts";

// Mails about payout lines. The text of a mail is composed from the line when the mail is sent.

interface LineMails extends Record<string, unknown> {
  readonly payoutId: PayoutId;
  /** Null selects all live lines. */
  readonly partnerId: PartnerId | null;
  readonly template: LineTemplate;
  readonly origin: string;
  readonly operationId: string;
  readonly at: number;
  /** JSON array of `[partnerId, address, accountId]`. `accountId` is null if the address is the partner's. */
  readonly recipients: string;
}

/**
 * Limit on the mails of one template to one address in a day, however many partners of the program have this address.
 */
const maxLineMails = 10;

/**
 * Counts the mails about the program's lines in the last day, by partner address. For a partner without one, it counts
 * them for each account with access.
 */
const recentMails = (
  lines: SQL,
): SQL => sql`select coalesce(lower(q.email), a.account_id) as recipient, count(*) as sent
  from ${lines} join partners q on q.id = x.partner_id
    left join partner_accounts a on a.partner_id = q.id and q.email is null
  where m.program_id = (select program_id from payouts where id = ${given("payoutId")})
    and m.template = ${given("template")} and m.created_at > ${unencoded("at")} - ${sql.raw(String(dayMs))}
  group by 1`;

const ofAllPartners = recentMails(sql`mails m join payout_lines x on x.id = m.payout_line_id`);

/**
 * Counts only mails about the newest lines of one partner. A payout can have thousands of lines that are settled one by
 * one, so a mail about one line must not read all of them.
 */
const ofOnePartner = recentMails(sql`(
    select id, partner_id from payout_lines where partner_id = ${given("partnerId")} order by id desc limit ${sql.raw(String(2 * maxLineMails))}
  ) x cross join mails m on m.payout_line_id = x.id`);

/** The id of the mail that this operation sends about a line. */
export const lineMailId = (lineId: SQLWrapper): SQL => sql`${given("operationId")} || '.' || ${lineId}`;
const ofLine = lineMailId(sql.raw("l.id"));

/** True if this mail may be sent about line `l`. A statement is mailed only once. */
const isMailed = sql`l.payout_id = ${given("payoutId")}
  and (${given("template")} <> 'statement' or (l.statement_number is not null and l.statement_mailed_at is null))`;

/**
 * Partners who joined on the embedded referral page get no automatic emails about payouts until an account has access.
 * A member can still send them a statement.
 */
const mayBeMailed = sql`(${given("template")} = 'statement' or not p.is_embedded
  or exists (select 1 from partner_accounts a where a.partner_id = p.id))`;

export type LinesToMail = {
  readonly payoutId: PayoutId;
  /** Null selects all partners. */
  readonly partnerId: PartnerId | null;
  readonly template: LineTemplate;
};

export interface LineRecipient {
  readonly partnerId: PartnerId;
  /** The recipient's address in lower case. */
  readonly to: string;
  /** Set if the partner has no address: the account with access that has verified the address `to`. */
  readonly accountId?: string;
}

/** A partner to mail. */
export interface FoundRecipient {
  readonly partnerId: PartnerId;
  /** The partner's address in lower case. Null if there is none. */
  readonly to: string | null;
  /** True if the draft skips the line. Finalizing the payout may still include it. */
  readonly isSkipped: boolean;
  /** Ids of the accounts with access to the partner, earliest access first. */
  readonly accounts: readonly string[];
}

const recipientsOf = (whose: SQL) =>
  readPacked<LinesToMail, FoundRecipient>((db) =>
    db
      .select({
        partnerId: sql<PartnerId>`l.partner_id`,
        to: sql<string | null>`lower(p.email)`,
        isSkipped: sql<boolean>`l.state = 'skipped'`.mapWith(Boolean),
        accounts: accountsInOrder(sql`l.partner_id`),
      })
      .from(sql`payout_lines l join partners p on p.id = l.partner_id`)
      .where(
        sql`${isMailed} and ${mayBeMailed} and ${whose}
          and (l.state <> 'skipped' or (select y.status from payouts y where y.id = l.payout_id) = 'draft')`,
      ),
  );

const recipientsOfAll = recipientsOf(sql`${unencoded("partnerId")} is null`);
const recipientsOfOne = recipientsOf(sql`l.partner_id = ${unencoded("partnerId")}`);

export const readLineRecipients = async (database: Database, lines: LinesToMail): Promise<readonly FoundRecipient[]> =>
  await readOne(database, (lines.partnerId === null ? recipientsOfAll : recipientsOfOne)(lines));

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

/** Filters partners to those whom the operation mailed. */
export async function readMailedPartners(
  database: Database,
  lines: MailedLines,
  partnerIds: readonly PartnerId[],
): Promise<ReadonlySet<PartnerId>> {
  const asked = { ...lines, partnerIds: JSON.stringify(partnerIds) };
  const found = await readOne(database, mailedPartners(asked));
  return new Set(found.map(({ partnerId }) => partnerId));
}

const insertWith = (recent: SQL) =>
  write<LineMails>((db) => {
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
        sql`with recent as materialized (${recent}) select ${sql.join(
          inOrder.map((name) => sql`${values[name]}`),
          sql`, `,
        )} from (
        select l.id, l.program_id, row_number() over (partition by j.value ->> 1 order by l.id) as place,
          j.value ->> 1 as address, j.value ->> 2 as account
        from json_each(${given("recipients")}) j
          join payout_lines l on l.payout_id = ${given("payoutId")} and l.partner_id = j.value ->> 0
          join partners p on p.id = l.partner_id
          left join partner_accounts a on a.partner_id = p.id and a.account_id = j.value ->> 2
        where ${isMailed} and l.state <> 'skipped'
          and iif(p.email is null, a.account_id is not null, lower(p.email) = j.value ->> 1)
          and iif(${unencoded("partnerId")} is null, l.state = 'live', l.partner_id = ${unencoded("partnerId")})
      ) l left join recent r on r.recipient = l.address left join recent s on s.recipient = l.account
      where l.place + coalesce(r.sent, 0) + coalesce(s.sent, 0) <= ${sql.raw(String(maxLineMails))}`,
      )
      .onConflictDoNothing();
  });

const insertForAll = insertWith(ofAllPartners);
const insertForOne = insertWith(ofOnePartner);

/**
 * Inserts an email for each line of these partners, within the daily limit, in one statement. Skips an address that has
 * changed since it was read, and an account that has lost access.
 */
export const insertLineMails = (mails: LineMails): Write =>
  (mails.partnerId === null ? insertForAll : insertForOne)(mails);

const markMailed = (whose: SQL | undefined) =>
  write<{ payoutId: PayoutId; partnerId: PartnerId | null; operationId: string; at: number }>((db) =>
    db
      .update(payoutLines)
      .set({ statementMailedAt: unencoded("at") })
      .where(
        and(
          eq(payoutLines.payoutId, given("payoutId")),
          whose,
          isNull(payoutLines.statementMailedAt),
          sql`exists (select 1 from ${mails} where ${mails.id} = ${lineMailId(payoutLines.id)})`,
        ),
      ),
  );
const markAll = markMailed(undefined);
const markOne = markMailed(sql`${payoutLines.partnerId} = ${unencoded("partnerId")}`);

/** Marks the statements that this operation's mails contain. Place this write after the insert of the mails. */
export const markStatementsMailed = (marked: Parameters<typeof markAll>[0]): Write =>
  (marked.partnerId === null ? markAll : markOne)(marked);

/**
 * Deletes the mails about a line that are still to be sent, or whose outcome isn't known. A trigger records that the
 * statements in the deleted mails weren't mailed, as for `withdrawLineMails`.
 */
export const withdrawMailsOfLine = write<{ payoutLineId: PayoutLineId }>((db) =>
  db.delete(mails).where(and(eq(mails.payoutLineId, given("payoutLineId")), isNotNull(mails.dueAt))),
);

/**
 * Deletes unsent mails of a partner whose address changes, because the daily limit hasn't counted these mails for the
 * new address. Reads all unsent mails about lines.
 */
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
