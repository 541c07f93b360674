import { and, count, desc, eq, getTableColumns, sql } from "drizzle-orm";
import type { ApplicationId, PartnerId, ProgramId } from "#domain/ids.ts";
import { textOfNote } from "./notes.ts";
import { applications } from "./schema/applications.ts";
import { acceptedTerms, joinPages, partnerTerms } from "./schema/join-pages.ts";
import { partnerInvitations } from "./schema/partner-access.ts";
import { everyColumn, given, insert, newValuesOf, readAll, readCount, readFirst, update } from "./statement.ts";

export type JoinPageRow = typeof joinPages.$inferSelect;
export type TermsRow = typeof partnerTerms.$inferSelect;
export type AcceptedTermsRow = typeof acceptedTerms.$inferSelect;
export type ApplicationRow = typeof applications.$inferSelect;

export const joinPageOf = readFirst<{ programId: ProgramId }, JoinPageRow>((db) =>
  db
    .select()
    .from(joinPages)
    .where(eq(joinPages.programId, given("programId"))),
);

const { programId: _, ...renewed } = getTableColumns(joinPages);

export const saveJoinPage = insert<JoinPageRow>((db) =>
  db
    .insert(joinPages)
    .values(everyColumn(joinPages))
    .onConflictDoUpdate({ target: joinPages.programId, set: newValuesOf(renewed) }),
);

export const newestTerms = readFirst<{ programId: ProgramId }, TermsRow>((db) =>
  db
    .select()
    .from(partnerTerms)
    .where(eq(partnerTerms.programId, given("programId")))
    .orderBy(desc(partnerTerms.version))
    .limit(1),
);

export const termsBefore = readAll<{ programId: ProgramId; before: number; limit: number }, TermsRow>((db) =>
  db
    .select()
    .from(partnerTerms)
    .where(and(eq(partnerTerms.programId, given("programId")), sql`${partnerTerms.version} < ${given("before")}`))
    .orderBy(desc(partnerTerms.version))
    .limit(given("limit")),
);

export const insertTerms = insert<TermsRow>((db) => db.insert(partnerTerms).values(everyColumn(partnerTerms)));

/** The newest version of the terms that the account has accepted for the partner. */
export const acceptedVersion = readFirst<{ partnerId: PartnerId; accountId: string }, { version: number }>((db) =>
  db
    .select({ version: acceptedTerms.version })
    .from(acceptedTerms)
    .where(and(eq(acceptedTerms.partnerId, given("partnerId")), eq(acceptedTerms.accountId, given("accountId"))))
    .orderBy(desc(acceptedTerms.version))
    .limit(1),
);

/** Like `acceptedVersion`, for the partner to whom the invitation with this token belongs. */
export const acceptedByInvited = readFirst<
  { programId: ProgramId; tokenHash: string; accountId: string },
  { version: number }
>((db) =>
  db
    .select({ version: acceptedTerms.version })
    .from(partnerInvitations)
    .innerJoin(acceptedTerms, eq(acceptedTerms.partnerId, partnerInvitations.partnerId))
    .where(
      and(
        eq(partnerInvitations.tokenHash, given("tokenHash")),
        eq(partnerInvitations.programId, given("programId")),
        eq(acceptedTerms.accountId, given("accountId")),
      ),
    )
    .orderBy(desc(acceptedTerms.version))
    .limit(1),
);

export const insertAcceptedTerms = insert<AcceptedTermsRow>((db) =>
  db.insert(acceptedTerms).values(everyColumn(acceptedTerms)),
);

export const applicationOfAccount = readFirst<
  { programId: ProgramId; accountId: string },
  ApplicationRow & { readonly partnerNote: string | null }
>((db) =>
  db
    .select({
      ...getTableColumns(applications),
      partnerNote: textOfNote(applications.partnerNoteId).as("partner_note"),
    })
    .from(applications)
    .where(and(eq(applications.programId, given("programId")), eq(applications.accountId, given("accountId")))),
);

export const applicationById = readFirst<{ programId: ProgramId; id: ApplicationId }, ApplicationRow>((db) =>
  db
    .select()
    .from(applications)
    .where(and(eq(applications.id, given("id")), eq(applications.programId, given("programId")))),
);

/** `ids` is a JSON array. */
export const applicationsOfIds = readAll<
  { programId: ProgramId; ids: string },
  Pick<ApplicationRow, "id" | "accountId" | "name" | "status">
>((db) =>
  db
    .select({
      id: applications.id,
      accountId: applications.accountId,
      name: applications.name,
      status: applications.status,
    })
    .from(applications)
    .where(
      and(
        sql`${applications.id} in (select value from json_each(${given("ids")}))`,
        eq(applications.programId, given("programId")),
      ),
    ),
);

export const openApplicationCount = readCount<{ programId: ProgramId }>((db) =>
  db
    .select({ n: count() })
    .from(applications)
    .where(and(eq(applications.programId, given("programId")), sql`${applications.status} = 'pending'`)),
);

/** Applications that the open join page approved automatically on this day. `day` is in the program's time zone. */
export const openedCount = readCount<{ programId: ProgramId; day: string }>((db) =>
  db
    .select({ n: count() })
    .from(applications)
    .where(and(eq(applications.programId, given("programId")), eq(applications.openedOn, given("day")))),
);

export const insertApplication = insert<ApplicationRow>((db) =>
  db.insert(applications).values(everyColumn(applications)),
);

export const updateApplication = update(
  applications,
  ["id"],
  [
    "name",
    "website",
    "answers",
    "termsVersion",
    "status",
    "partnerId",
    "partnerNoteId",
    "decidedAt",
    "openedOn",
    "createdAt",
  ],
);
