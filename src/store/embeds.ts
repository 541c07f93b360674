import { and, eq, getTableColumns } from "drizzle-orm";
import type { KeyId, ProgramId } from "#domain/ids.ts";
import type { ProgramKeyRow } from "./keys.ts";
import type { LinkRow } from "./partners.ts";
import { embeds } from "./schema/embeds.ts";
import { erasedIdentifiers } from "./schema/erased-identifiers.ts";
import { partners, referralLinks } from "./schema/partners.ts";
import { programKeys } from "./schema/programs.ts";
import { everyColumn, given, insert, newValuesOf, readAll, readFirst } from "./statement.ts";

export type EmbedRow = typeof embeds.$inferSelect;

export const embedOf = readFirst<{ programId: ProgramId }, EmbedRow>((db) =>
  db
    .select()
    .from(embeds)
    .where(eq(embeds.programId, given("programId"))),
);

const { programId: _, embedId: __, ...renewed } = getTableColumns(embeds);

export const saveEmbed = insert<EmbedRow>((db) =>
  db
    .insert(embeds)
    .values(everyColumn(embeds))
    .onConflictDoUpdate({ target: embeds.programId, set: newValuesOf(renewed) }),
);

/** Finds the erasure of a partner with this digest of the external id. */
export const erasedPartner = readFirst<{ programId: ProgramId; digest: string }, { erasureId: string }>((db) =>
  db
    .select({ erasureId: erasedIdentifiers.erasureId })
    .from(erasedIdentifiers)
    .where(and(eq(erasedIdentifiers.programId, given("programId")), eq(erasedIdentifiers.digest, given("digest")))),
);

const ofProgram = eq(programKeys.programId, given("programId"));

export const keyIdOfHash = readFirst<{ programId: ProgramId; hash: string }, { id: KeyId }>((db) =>
  db
    .select({ id: programKeys.id })
    .from(programKeys)
    .where(and(ofProgram, eq(programKeys.hash, given("hash")))),
);

type TermsOfKey = Pick<ProgramKeyRow, "name" | "retiresAt" | "scopes">;

export const termsOfKey = readFirst<{ programId: ProgramId; id: KeyId }, TermsOfKey>((db) =>
  db
    .select({ name: programKeys.name, retiresAt: programKeys.retiresAt, scopes: programKeys.scopes })
    .from(programKeys)
    .where(and(ofProgram, eq(programKeys.id, given("id")))),
);

const hasExternalId = and(eq(partners.programId, given("programId")), eq(partners.externalId, given("externalId")));

/** All links of the partner with this external id, in any order. */
export const linksOfExternalId = readAll<{ programId: ProgramId; externalId: string }, LinkRow>((db) =>
  db
    .select(getTableColumns(referralLinks))
    .from(partners)
    .innerJoin(referralLinks, eq(referralLinks.partnerId, partners.id))
    .where(hasExternalId),
);
