import { and, asc, eq, gt, isNotNull, sql } from "drizzle-orm";
import type { PartnerId, ProgramId } from "#domain/ids.ts";
import { type Database, readOne } from "../database.ts";
import { presentGroup } from "../groups.ts";
import { isFirstLink } from "../partners.ts";
import { newestOfSubscription } from "../sales.ts";
import { customers } from "../schema/customers.ts";
import { partnerGroups } from "../schema/partner-groups.ts";
import { partners, referralLinks } from "../schema/partners.ts";
import { sales } from "../schema/sales.ts";
import { given, readAll } from "../statement.ts";

export interface ExportedPartner {
  readonly id: PartnerId;
  readonly name: string;
  /** Oldest code first, separated by semicolons. */
  readonly codes: string;
  readonly email: string | null;
  readonly externalId: string | null;
  readonly destinationUrl: string | null;
  readonly group: string | null;
  readonly status: string;
}

/** Lists the partners that an import file may refer to, oldest first. */
const partnersAfter = readAll<{ programId: ProgramId; after: number; limit: number }, ExportedPartner>((db) =>
  db
    .select({
      id: partners.id,
      name: partners.name,
      codes: sql<string>`(select group_concat(k.code, ';') from (
        select l.code from ${referralLinks} l where l.partner_id = ${partners.id} order by l.id) k)`,
      email: partners.email,
      externalId: partners.externalId,
      destinationUrl: referralLinks.destinationUrl,
      group: sql<string | null>`(
        select g.name from ${partnerGroups} g where g.id = ${presentGroup({ programId: partners.programId, partnerId: partners.id })})`,
      status: partners.status,
    })
    .from(partners)
    .innerJoin(referralLinks, isFirstLink)
    .where(
      and(eq(partners.programId, given("programId")), eq(partners.isSynthetic, false), gt(partners.id, given("after"))),
    )
    .orderBy(asc(partners.id))
    .limit(given("limit")),
);

export interface ExportedCustomer {
  readonly customerKey: string;
  readonly partnerCode: string;
  /** The first instant from which the customer's sales are attributed (ms), whatever the attribution's source. */
  readonly since: number;
  /** The customer's first sale, attributed in this program or made in the one from which they were imported (ms). */
  readonly firstSaleAt: number | null;
  readonly subscriptionId: string | null;
}

const newestBuyer = newestOfSubscription(
  {
    programId: sql`${customers.programId}`,
    isTest: sql`${customers.isTest}`,
    subscriptionId: sql`${customers.importedSubscriptionId}`,
  },
  "customer_id",
);

/** The imported subscription id. Null if the subscription's newest sale is another customer's. */
const importedSubscription = sql`iif(coalesce(${newestBuyer}, ${customers.id}) = ${customers.id},
  ${customers.importedSubscriptionId}, null)`;

/** The newest subscription in the customer's own sales. Its newest sale must be the customer's too. */
const ownSubscription = sql`(
  select o.subscription_id from ${sales} o
  where o.customer_id = ${customers.id} and o.subscription_id is not null
    and ${newestOfSubscription(
      { programId: sql`o.program_id`, isTest: sql`o.is_test`, subscriptionId: sql`o.subscription_id` },
      "customer_id",
    )} = o.customer_id
  order by o.occurred_at desc, o.id desc limit 1
)`;

const firstSaleAt = sql<number | null>`min(
  coalesce(${customers.importedFirstSaleAt}, ${customers.firstAttributedSaleAt}),
  coalesce(${customers.firstAttributedSaleAt}, ${customers.importedFirstSaleAt})
)`;

/** Lists live customers whose attribution is confirmed, in the order of customer keys, which are indexed. */
const customersAfter = readAll<{ programId: ProgramId; after: string; limit: number }, ExportedCustomer>((db) =>
  db
    .select({
      customerKey: sql<string>`${customers.customerKey}`,
      partnerCode: referralLinks.code,
      since: sql<number>`coalesce(${customers.since}, ${customers.boundAt})`,
      firstSaleAt,
      subscriptionId: sql<string | null>`coalesce(${importedSubscription}, ${ownSubscription})`,
    })
    .from(customers)
    .innerJoin(partners, eq(partners.id, customers.partnerId))
    .innerJoin(referralLinks, isFirstLink)
    .where(
      and(
        eq(customers.programId, given("programId")),
        eq(customers.isTest, false),
        gt(customers.customerKey, given("after")),
        isNotNull(customers.confirmedAt),
      ),
    )
    .orderBy(asc(customers.customerKey))
    .limit(given("limit")),
);

interface Asked<After> {
  readonly programId: ProgramId;
  readonly after: After;
  readonly limit: number;
}

export const exportedPartners = async (database: Database, asked: Asked<number>): Promise<readonly ExportedPartner[]> =>
  await readOne(database, partnersAfter({ ...asked }));

export const exportedCustomers = async (
  database: Database,
  asked: Asked<string>,
): Promise<readonly ExportedCustomer[]> => await readOne(database, customersAfter({ ...asked }));
