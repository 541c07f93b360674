import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { LinkId, PartnerId } from "#domain/ids.ts";
import { linkMakers } from "#domain/link-maker.ts";
import { activeStatuses } from "#domain/program-status.ts";
import { flag, id, instant } from "./columns.ts";
import { erasures } from "./erasures.ts";
import { oneOf } from "./one-of.ts";
import { programId } from "./programs.ts";

export const partners = sqliteTable(
  "partners",
  {
    id: id<PartnerId>(),
    programId: programId(),
    name: text("name").notNull(),
    email: text("email"),
    /** Digest of the partner's email address, for comparison with the addresses of customers. */
    emailHash: text("email_hash"),
    /** Equal for similar addresses. Null for an address stored before this column existed. */
    similarHash: text("similar_hash"),
    /** When the email address or the payment details were last replaced. Null if they never were. */
    detailsChangedAt: instant("details_changed_at"),
    /** The partner's id in the integrator's own system. */
    externalId: text("external_id"),
    status: text("status", { enum: activeStatuses }).notNull(),
    /** If true, signals only flag this partner's commissions and never hold them. */
    isRiskExempt: flag("is_risk_exempt").default(false),
    /** True if the setup verification created the partner. Lists and counts exclude such a partner. */
    isSynthetic: flag("is_synthetic").default(false),
    /**
     * True if the partner joined on the embedded referral page. Such a partner gets no automatic emails until an account
     * has access.
     */
    isEmbedded: flag("is_embedded").default(false),
    createdAt: instant("created_at").notNull(),
    /** The erasure's receipt. It is set once. The partner then stays paused, and its erased data stays erased. */
    erasureId: text("erasure_id").references(() => erasures.id),
  },
  (t) => [
    index("partners_program").on(t.programId),
    uniqueIndex("partners_external_id").on(t.programId, t.externalId).where(sql`external_id is not null`),
    index("partners_email").on(t.programId, t.email).where(sql`email is not null`),
    index("partners_email_hash").on(t.programId, t.emailHash).where(sql`email_hash is not null`),
    index("partners_similar_hash").on(t.programId, t.similarHash).where(sql`similar_hash is not null`),
    index("partners_erasure").on(t.erasureId).where(sql`erasure_id is not null`),
    check("partners_email_hash", sql`(${t.email} is null) = (${t.emailHash} is null)`),
    check("partners_status", oneOf(t.status, activeStatuses)),
  ],
);

export const referralLinks = sqliteTable(
  "referral_links",
  {
    id: id<LinkId>(),
    programId: programId(),
    partnerId: integer("partner_id")
      .$type<PartnerId>()
      .notNull()
      .references(() => partners.id),
    code: text("code").notNull(),
    codeKey: text("code_key").notNull(),
    destinationUrl: text("destination_url"),
    madeBy: text("made_by", { enum: linkMakers }).notNull().default("owner"),
    status: text("status", { enum: activeStatuses }).notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [
    // The code is the first column, so that the index serves lookups both within a program and across programs.
    uniqueIndex("referral_links_code").on(t.codeKey, t.programId),
    index("referral_links_partner").on(t.partnerId, t.codeKey),
    check("referral_links_code_key", sql`${t.codeKey} = lower(${t.code})`),
    check("referral_links_made_by", oneOf(t.madeBy, linkMakers)),
    check("referral_links_status", oneOf(t.status, activeStatuses)),
  ],
);
