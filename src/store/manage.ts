import { and, type Column, count, eq, getTableColumns, sql } from "drizzle-orm";
import { caps } from "../domain/caps.ts";
import { auditEntries } from "./schema/audit.ts";
import { commissions } from "./schema/commissions.ts";
import { partners, referralLinks } from "./schema/partners.ts";
import { commissionPolicies } from "./schema/policies.ts";
import { programKeys, programs } from "./schema/programs.ts";
import { sales } from "./schema/sales.ts";
import { verificationRuns } from "./schema/verification.ts";
import { everyColumn, param, readCount, readFirst, write } from "./statement.ts";

export type ProgramRow = typeof programs.$inferSelect;
export type ProgramKeyRow = typeof programKeys.$inferSelect;
export type PartnerRow = typeof partners.$inferSelect;
export type LinkRow = typeof referralLinks.$inferSelect;
export type PolicyRow = typeof commissionPolicies.$inferSelect;
export type AuditRow = typeof auditEntries.$inferSelect;
export type VerificationRow = typeof verificationRuns.$inferSelect;

type ById = { id: number };
const hasId = sql.placeholder("id");

export const programById = readFirst<ById, ProgramRow>((db) =>
  db.select().from(programs).where(eq(programs.id, hasId)),
);

export const partnerOfProgram = readFirst<{ programId: number; id: number }, PartnerRow>((db) =>
  db
    .select()
    .from(partners)
    .where(
      and(
        eq(partners.id, hasId),
        eq(partners.programId, sql.placeholder("programId")),
        eq(partners.isSynthetic, false),
      ),
    ),
);

export const programsOfWorkspace = readCount<{ workspaceId: string }>((db) =>
  db
    .select({ n: count() })
    .from(programs)
    .where(eq(programs.workspaceId, sql.placeholder("workspaceId"))),
);

/**
 * How many partners a program has, counted to its cap. An index alone answers it: the partner made for verification,
 * which doesn't count, is there where a verification has run.
 */
export const partnersOfProgram = readCount<{ programId: number }>((db) => {
  const isProgram = (column: Column) => eq(column, sql.placeholder("programId"));
  const synthetic = db.select({ n: count() }).from(verificationRuns).where(isProgram(verificationRuns.programId));
  const counted = db
    .select({ id: partners.id })
    .from(partners)
    .where(isProgram(partners.programId))
    .limit(caps.partners.max + 1)
    .as("counted");
  return db.select({ n: sql<number>`count(*) - (${synthetic})` }).from(counted);
});

/** A live commission of a program, with what of its sale and its customer it depends on. */
export const commissionOfProgram = readFirst((db) =>
  db
    .select({
      commission: commissions,
      saleId: sales.id,
      transactionId: sales.transactionId,
      occurredAt: sales.occurredAt,
      customerId: sales.customerId,
    })
    .from(commissions)
    .innerJoin(sales, eq(sales.id, commissions.saleId))
    .where(
      and(
        eq(commissions.id, hasId),
        eq(commissions.programId, sql.placeholder("programId")),
        eq(commissions.isTest, false),
      ),
    ),
);

/** The entry that an operation left, where it has been carried out before. */
export const auditOfOperation = readFirst<{ operationId: string }, AuditRow>((db) =>
  db
    .select()
    .from(auditEntries)
    .where(eq(auditEntries.operationId, sql.placeholder("operationId"))),
);

export const insertAudit = write<AuditRow>((db) => db.insert(auditEntries).values(everyColumn(auditEntries)));
export const insertProgram = write<ProgramRow>((db) => db.insert(programs).values(everyColumn(programs)));
export const insertProgramKey = write<ProgramKeyRow>((db) => db.insert(programKeys).values(everyColumn(programKeys)));
export const insertPartner = write<PartnerRow>((db) => db.insert(partners).values(everyColumn(partners)));
export const insertLink = write<LinkRow>((db) => db.insert(referralLinks).values(everyColumn(referralLinks)));
export const insertPolicy = write<PolicyRow>((db) =>
  db.insert(commissionPolicies).values(everyColumn(commissionPolicies)),
);

export const updateProgram = write<ProgramRow>((db) =>
  db
    .update(programs)
    .set({
      name: param("name"),
      websiteUrl: param("websiteUrl"),
      currency: param("currency"),
      timezone: param("timezone"),
      leadAuth: param("leadAuth"),
      attributionModel: param("attributionModel"),
      attributionWindowDays: param("attributionWindowDays"),
      windowUntil: param("windowUntil"),
      cookieWindowDays: param("cookieWindowDays"),
      payoutMode: param("payoutMode"),
      status: param("status"),
      archivedAt: param("archivedAt"),
    })
    .where(eq(programs.id, hasId)),
);

export const retireKey = write<{ id: number; retiresAt: number }>((db) =>
  db
    .update(programKeys)
    .set({ retiresAt: param("retiresAt") })
    .where(eq(programKeys.id, hasId)),
);

export const updatePartner = write<PartnerRow>((db) =>
  db
    .update(partners)
    .set({ name: param("name"), status: param("status") })
    .where(eq(partners.id, hasId)),
);

export const verificationOf = readFirst<{ programId: number }, VerificationRow>((db) =>
  db
    .select()
    .from(verificationRuns)
    .where(eq(verificationRuns.programId, sql.placeholder("programId"))),
);

export const syntheticLink = readFirst<{ programId: number }, LinkRow>((db) =>
  db
    .select(getTableColumns(referralLinks))
    .from(partners)
    .innerJoin(referralLinks, eq(referralLinks.partnerId, partners.id))
    .where(and(eq(partners.programId, sql.placeholder("programId")), eq(partners.isSynthetic, true))),
);

export const saveVerification = write<VerificationRow>((db) =>
  db
    .insert(verificationRuns)
    .values(everyColumn(verificationRuns))
    .onConflictDoUpdate({
      target: verificationRuns.programId,
      set: {
        click: sql`excluded.click`,
        lead: sql`excluded.lead`,
        sale: sql`excluded.sale`,
        isAttributed: sql`excluded.is_attributed`,
        hourAt: sql`excluded.hour_at`,
        runsInHour: sql`excluded.runs_in_hour`,
        finishedAt: sql`excluded.finished_at`,
      },
    }),
);
