import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { PartnerId, ProgramId } from "#domain/ids.ts";
import { partnerRoles } from "#domain/partner-access.ts";
import { flag, instant } from "./columns.ts";
import { oneOf } from "./one-of.ts";
import { partners } from "./partners.ts";
import { programId } from "./programs.ts";

const partnerId = () =>
  integer("partner_id")
    .$type<PartnerId>()
    .notNull()
    .references(() => partners.id);

/**
 * Accounts with a role for a partner. The role requires a row here: having the partner's email address isn't enough.
 */
export const partnerAccounts = sqliteTable(
  "partner_accounts",
  {
    partnerId: partnerId(),
    accountId: text("account_id").notNull(),
    programId: programId(),
    role: text("role", { enum: partnerRoles }).notNull(),
    /** Digest of the account's email address at the time access was granted. */
    emailHash: text("email_hash"),
    /** Equal for similar addresses. Null for access granted before this column existed. */
    similarHash: text("similar_hash"),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.partnerId, t.accountId] }),
    index("partner_accounts_email_hash").on(t.programId, t.emailHash).where(sql`email_hash is not null`),
    index("partner_accounts_similar_hash").on(t.programId, t.similarHash).where(sql`similar_hash is not null`),
    index("partner_accounts_account").on(t.accountId, t.programId),
    index("partner_accounts_program").on(t.programId),
    check("partner_accounts_role", oneOf(t.role, partnerRoles)),
  ],
);

/** The newest invitation of each partner. Only a digest of the token is stored. */
export const partnerInvitations = sqliteTable(
  "partner_invitations",
  {
    partnerId: partnerId().primaryKey(),
    programId: programId(),
    tokenHash: text("token_hash").notNull(),
    role: text("role", { enum: partnerRoles }).notNull(),
    expiresAt: instant("expires_at").notNull(),
    /** The account that accepted the invitation. An invitation works once. */
    usedBy: text("used_by"),
    /** True if a member of the workspace may accept the invitation. Only an owner can create such an invitation. */
    isForMember: flag("is_for_member").default(false),
    /** Null for an invitation created before this column existed. */
    invitedBy: text("invited_by"),
    /** Null if the link wasn't mailed to the partner. */
    mailedAt: instant("mailed_at"),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [
    uniqueIndex("partner_invitations_token").on(t.tokenHash),
    index("partner_invitations_program").on(t.programId),
    index("partner_invitations_inviter").on(t.invitedBy).where(sql`used_by is null`),
    check("partner_invitations_role", oneOf(t.role, partnerRoles)),
  ],
);

/**
 * An index of the partners to which an account has access. Only the home database has rows. The index itself grants no
 * access: partner_accounts of the program does.
 */
export const accountPartners = sqliteTable(
  "account_partners",
  {
    accountId: text("account_id").notNull(),
    programId: integer("program_id").$type<ProgramId>().notNull(),
    partnerId: integer("partner_id").$type<PartnerId>().notNull(),
    /**
     * When the row was last written. It is written before the program's database grants access, so a new row may have
     * no access yet.
     */
    enteredAt: instant("entered_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.accountId, t.programId, t.partnerId] })],
);
