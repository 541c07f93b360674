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

/** Accounts with access to a partner. Only these rows give access: an email address doesn't. */
export const partnerAccounts = sqliteTable(
  "partner_accounts",
  {
    partnerId: partnerId(),
    accountId: text("account_id").notNull(),
    programId: programId(),
    role: text("role", { enum: partnerRoles }).notNull(),
    /** Digest of the account's address when it got access. */
    emailHash: text("email_hash"),
    /** Equal for similar addresses. Null if the access is older than the column. */
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
    /** The account that used it. It works once. */
    usedBy: text("used_by"),
    /** The invitation is from an owner, for an account that is a member of the workspace. */
    isForMember: flag("is_for_member").default(false),
    /** Null if the invitation is older than the column. */
    invitedBy: text("invited_by"),
    /** Null: its link wasn't mailed to the partner. */
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

/** Only home has rows: an index of the partners of an account. It gives no access. */
export const accountPartners = sqliteTable(
  "account_partners",
  {
    accountId: text("account_id").notNull(),
    programId: integer("program_id").$type<ProgramId>().notNull(),
    partnerId: integer("partner_id").$type<PartnerId>().notNull(),
    /** The latest time. For a new entry, the program may be about to grant the access. */
    enteredAt: instant("entered_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.accountId, t.programId, t.partnerId] })],
);
