import { sql } from "drizzle-orm";
import type { PartnerId, ProgramId } from "#domain/ids.ts";
import { accountsInOrder } from "./partner-access.ts";
import { paymentVersionOf } from "./payment-details.ts";
import { given, readAll } from "./statement.ts";

interface OfDay {
  readonly programId: ProgramId;
  readonly partnerId: PartnerId;
  /** The day in UTC. */
  readonly day: string;
}

/** A partner is mailed at most one request for payment details a day, however many members make a request. */
export const detailsRequestId = ({ programId, partnerId, day }: OfDay): string =>
  `details.${programId}.${partnerId}.${day}`;

export interface DetailsRecipient {
  readonly id: PartnerId;
  readonly code: string;
  readonly name: string;
  readonly email: string | null;
  /** Ids of the accounts with access to the partner, the earliest first. */
  readonly accounts: readonly string[];
  readonly hasDetails: boolean;
  /** True if a request was mailed on this day. */
  readonly isAsked: boolean;
}

const partner = sql.raw("p.id");

/** `ids`: a JSON array. */
export const detailsRecipients = readAll<{ programId: ProgramId; ids: string; day: string }, DetailsRecipient>((db) =>
  db
    .select({
      id: sql<PartnerId>`p.id`,
      code: sql<string>`(select k.code from referral_links k where k.partner_id = p.id order by k.id limit 1)`,
      name: sql<string>`p.name`,
      email: sql<string | null>`p.email`,
      accounts: accountsInOrder(partner),
      hasDetails: sql<boolean>`${paymentVersionOf(partner)} is not null`.mapWith(Boolean),
      isAsked: sql<boolean>`exists (select 1 from mails m
        where m.id = 'details.' || p.program_id || '.' || p.id || '.' || ${given("day")})`.mapWith(Boolean),
    })
    .from(sql`partners p`)
    .where(
      sql`p.program_id = ${given("programId")} and p.is_synthetic = 0
        and p.id in (select value from json_each(${given("ids")}))`,
    )
    .orderBy(sql`p.id`),
);
