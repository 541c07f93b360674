import type { PartnerId, ProgramId } from "#domain/ids.ts";
import { programStatus } from "#domain/program-status.ts";
import { type Database, readBatch } from "./database.ts";
import { type PartnerRow, partnerOfProgram } from "./partners.ts";
import { type ProgramRow, programById } from "./programs.ts";

/** Data about the partner and the program that every report for partners needs. */
export interface OwnPartner {
  readonly programId: ProgramId;
  readonly partnerId: PartnerId;
  readonly partnerName: string;
  readonly programName: string;
  readonly currency: string;
  readonly timezone: string;
  /** The smallest amount that a payout pays, in the smallest unit of the program's currency. */
  readonly minimumPayoutCents: number | null;
  readonly payoutTerms: string | null;
  readonly seesRevenue: boolean;
  readonly isProgramActive: boolean;
  readonly isPartnerActive: boolean;
  /** True if both the program and the partner are active. */
  readonly isActive: boolean;
}

export const ownPartnerStatements = (programId: ProgramId, partnerId: PartnerId) => ({
  program: programById({ id: programId }),
  partner: partnerOfProgram({ programId, id: partnerId }),
});

interface Found {
  readonly program: ProgramRow | undefined;
  readonly partner: PartnerRow | undefined;
}

export function ownPartnerOf({ program, partner }: Found): OwnPartner | undefined {
  if (program === undefined || partner === undefined) return undefined;
  const { id: programId, name: programName, currency, timezone, minimumPayoutCents, payoutTerms } = program;
  const [isProgramActive, isPartnerActive] = [programStatus(program) === "active", partner.status === "active"];
  return {
    programId,
    programName,
    currency,
    timezone,
    minimumPayoutCents,
    payoutTerms,
    partnerId: partner.id,
    partnerName: partner.name,
    seesRevenue: program.partnersSeeRevenue,
    isProgramActive,
    isPartnerActive,
    isActive: isProgramActive && isPartnerActive,
  };
}

export const readOwnPartner = async (database: Database, programId: ProgramId, partnerId: PartnerId) =>
  ownPartnerOf(await readBatch(database, ownPartnerStatements(programId, partnerId)));
