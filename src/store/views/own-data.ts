import { and, desc, eq, lt } from "drizzle-orm";
import type { PartnerId, ProgramId } from "#domain/ids.ts";
import { type Database, readBatch, readOne } from "../database.ts";
import { accountsOfPartner } from "../partner-access.ts";
import { linksOfPartner } from "../partners.ts";
import { newestPaymentDetails } from "../payment-details.ts";
import { acceptedTerms, partnerTerms } from "../schema/join-pages.ts";
import { type Compiler, given, type RowOf, readAll } from "../statement.ts";
import { balancesOfPartner } from "./balances.ts";
import { applicationOf } from "./join-pages.ts";
import { partnerById } from "./partners.ts";

type Asked = { readonly programId: ProgramId; readonly partnerId: PartnerId; readonly accountId: string };

/**
 * Reads a program's data about a partner, and about the account's application, except for lists of unlimited length.
 * Makes one database request.
 */
export function readOwnData(database: Database, { programId, partnerId, accountId }: Asked) {
  return readBatch(database, {
    partner: partnerById({ programId, id: partnerId }),
    links: linksOfPartner({ partnerId }),
    accounts: accountsOfPartner({ programId, partnerId }),
    balances: balancesOfPartner({ programId, partnerId }),
    application: applicationOf({ programId, accountId }),
    payment: newestPaymentDetails({ programId, partnerId }),
  });
}

const selectAccepted = (db: Compiler) =>
  db
    .select({
      version: acceptedTerms.version,
      text: partnerTerms.text,
      acceptedAt: acceptedTerms.acceptedAt,
    })
    .from(acceptedTerms)
    .innerJoin(
      partnerTerms,
      and(eq(partnerTerms.programId, acceptedTerms.programId), eq(partnerTerms.version, acceptedTerms.version)),
    );
export type AcceptedTermsView = RowOf<typeof selectAccepted>;

const acceptedBefore = readAll<Asked & { before: number; limit: number }, AcceptedTermsView>((db) =>
  selectAccepted(db)
    .where(
      and(
        eq(acceptedTerms.partnerId, given("partnerId")),
        eq(acceptedTerms.programId, given("programId")),
        eq(acceptedTerms.accountId, given("accountId")),
        lt(acceptedTerms.version, given("before")),
      ),
    )
    .orderBy(desc(acceptedTerms.version))
    .limit(given("limit")),
);

/** Lists the terms that the account accepted for the partner, newest first. */
export async function listAcceptedTerms(
  database: Database,
  asked: Asked,
  position: { readonly before: number; readonly limit: number },
): Promise<readonly AcceptedTermsView[]> {
  return await readOne(database, acceptedBefore({ ...asked, ...position }));
}
