import type { PartnerId, ProgramId, Shard } from "#domain/ids.ts";
import type { PartnerRole } from "#domain/partner-access.ts";
import { programStatus } from "#domain/program-status.ts";
import type { Database } from "../database.ts";
import { accountsOfPartner } from "../partner-access.ts";
import { partnerOfProgram } from "../partners.ts";
import { programById } from "../programs.ts";
import { entryOfSession } from "./account-partners.ts";
import { membershipInProgram, readHomeAndProgram, type Scope, userOfSession } from "./scope.ts";

/** What a partner's side knows of its program and partner before it reads any more. */
export interface PartnerScope {
  readonly programId: ProgramId;
  readonly shard: Shard;
  readonly partnerId: PartnerId;
  readonly partnerName: string;
  readonly programName: string;
  readonly currency: string;
  readonly timezone: string;
  /** In the program's currency. */
  readonly minimumPayoutCents: number | null;
  readonly payoutTerms: string | null;
  readonly seesRevenue: boolean;
  /** Both the program and the partner are. */
  readonly isActive: boolean;
  /** Of each account that has access. */
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
  /** Home lists the partner for the account. */
  readonly isListed: boolean;
}

/** The session at home and the access at the program, at the same time. */
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
      program: programById({ id: programId }),
      partner: partnerOfProgram({ programId, id: partnerId }),
      accounts: accountsOfPartner({ programId, partnerId }),
    },
  );
  const { program, partner, accounts } = there;
  const { entry, ...scoped } = atHome;
  const isListed = entry !== undefined;
  if (program === undefined || partner === undefined) return { ...scoped, partner: undefined, shard, isListed };
  const { name: programName, currency, timezone, minimumPayoutCents, payoutTerms } = program;
  const isActive = programStatus(program) === "active" && partner.status === "active";
  const roles = new Map(accounts.map(({ accountId, role }) => [accountId, role]));
  const scope = {
    ...{ programId, shard, partnerId, partnerName: partner.name, programName, isActive, roles },
    ...{ currency, timezone, minimumPayoutCents, payoutTerms, seesRevenue: program.partnersSeeRevenue },
  };
  return { ...scoped, partner: scope, shard, isListed };
}
