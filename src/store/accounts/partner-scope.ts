import type { PartnerId, ProgramId, Shard } from "#domain/ids.ts";
import type { PartnerRole } from "#domain/partner-access.ts";
import type { Database } from "../database.ts";
import { type OwnPartner, ownPartnerOf, ownPartnerStatements } from "../own-partner.ts";
import { accountsOfPartner } from "../partner-access.ts";
import { entryOfSession } from "./account-partners.ts";
import { membershipInProgram, readHomeAndProgram, type Scope, userOfSession } from "./scope.ts";

export interface PartnerScope extends OwnPartner {
  readonly shard: Shard;
  /** The roles of all accounts with access to the partner, by account id. */
  readonly roles: ReadonlyMap<string, PartnerRole>;
}

export interface AskedPartner {
  readonly token: string;
  readonly programId: ProgramId;
  readonly partnerId: PartnerId;
  readonly at: number;
}

interface Loaded extends Scope {
  readonly partner: PartnerScope | undefined;
  readonly shard: Shard;
  /** True if the home database lists the partner for the account. */
  readonly isListed: boolean;
}

/** Reads the session (home database) and the access (program's database) concurrently. */
export async function loadPartnerScope(
  databaseOf: (shard: Shard) => Database,
  { token, programId, partnerId, at }: AskedPartner,
  guess: Shard,
): Promise<Loaded> {
  const { atHome, there, shard } = await readHomeAndProgram(
    databaseOf,
    { id: programId, guess },
    {
      user: userOfSession({ token, at }),
      membership: membershipInProgram({ token, id: programId }),
      entry: entryOfSession({ token, programId, partnerId }),
    },
    {
      ...ownPartnerStatements(programId, partnerId),
      accounts: accountsOfPartner({ programId, partnerId }),
    },
  );
  const { accounts, ...found } = there;
  const { entry, ...scoped } = atHome;
  const own = ownPartnerOf(found);
  const roles = new Map(accounts.map(({ accountId, role }) => [accountId, role]));
  return { ...scoped, partner: own && { ...own, shard, roles }, shard, isListed: entry !== undefined };
}
