import { sql } from "drizzle-orm";
import { check, customType, index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { KeyId, MoveId, ProgramId, Shard } from "#domain/ids.ts";
import { payoutApprovals } from "#domain/payout-status.ts";
import { type KeyScope, keyBooks, keyScopes, orderedScopes } from "#domain/program-key.ts";
import { placeStates } from "#domain/program-place.ts";
import { activeStatuses } from "#domain/program-status.ts";
import { attributionModels, leadAuths, payoutModes, windowUntils } from "#domain/program-terms.ts";
import { signalSettings } from "#domain/risk.ts";
import { flag, id, instant } from "./columns.ts";
import { oneOf } from "./one-of.ts";
import { workspaces } from "./workspaces.ts";

export const programs = sqliteTable(
  "programs",
  {
    id: id<ProgramId>(),
    workspaceId: text("workspace_id")
      .notNull()
      .references(() => workspaces.id),
    name: text("name").notNull(),
    websiteUrl: text("website_url"),
    currency: text("currency").notNull(),
    timezone: text("timezone").notNull(),
    leadAuth: text("lead_auth", { enum: leadAuths }).notNull(),
    attributionModel: text("attribution_model", { enum: attributionModels }).notNull(),
    attributionWindowDays: integer("attribution_window_days").notNull(),
    /** `lead`: only the lead must be within the attribution window. `first_sale`: the first sale must be, too. */
    windowUntil: text("window_until", { enum: windowUntils }).notNull().default("lead"),
    /** Null means the same as the attribution window. */
    cookieWindowDays: integer("cookie_window_days"),
    payoutMode: text("payout_mode", { enum: payoutModes }),
    /** In the smallest unit of the program's currency. Null means 1. */
    minimumPayoutCents: integer("minimum_payout_cents"),
    payoutTerms: text("payout_terms"),
    payoutApproval: text("payout_approval", { enum: payoutApprovals }).notNull().default("one_person"),
    /** If true, payouts skip partners without payment details. */
    requireDetails: flag("require_details").default(false),
    /** If true, partners see the revenue of sales attributed to them. */
    partnersSeeRevenue: flag("partners_see_revenue").default(false),
    /** The bank account from which partners are paid. */
    payerName: text("payer_name"),
    payerIban: text("payer_iban"),
    payerBic: text("payer_bic"),
    /** The issuer named on the program's statements. */
    issuerName: text("issuer_name"),
    issuerAddress: text("issuer_address"),
    issuerTaxId: text("issuer_tax_id"),
    selfReferral: text("self_referral", { enum: signalSettings }).notNull().default("hold"),
    duplicateSource: text("duplicate_source", { enum: signalSettings }).notNull().default("hold"),
    blockedSource: text("blocked_source", { enum: signalSettings }).notNull().default("hold"),
    manySources: text("many_sources", { enum: signalSettings }).notNull().default("flag"),
    /** JSON array of host names. */
    blockedHosts: text("blocked_hosts").notNull().default("[]"),
    /** Days after which a hold ends automatically, unless a member held the commission. Null: never. */
    reviewDays: integer("review_days"),
    status: text("status", { enum: activeStatuses }).notNull(),
    place: text("place", { enum: placeStates }).notNull().default("here"),
    leftTo: integer("left_to").$type<Shard>(),
    /**
     * During a shard migration: the instant after which the program stays on this shard, unless it has left. After it
     * has left: set until the other shard and home have confirmed.
     */
    leaveBy: instant("leave_by"),
    /** The shard migration that set `place`. */
    moveId: integer("move_id").$type<MoveId>(),
    /** When the program was archived. `status` stays unchanged, and applies again if the program is restored. */
    archivedAt: instant("archived_at"),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [
    check("programs_currency", sql`length(${t.currency}) = 3`),
    check("programs_lead_auth", oneOf(t.leadAuth, leadAuths)),
    check("programs_attribution_model", oneOf(t.attributionModel, attributionModels)),
    check("programs_attribution_window", sql`${t.attributionWindowDays} between 1 and 365`),
    check("programs_window_until", oneOf(t.windowUntil, windowUntils)),
    check("programs_cookie_window", sql`${t.cookieWindowDays} between 1 and 365`),
    check("programs_minimum_payout", sql`${t.minimumPayoutCents} >= 1`),
    check("programs_payout_approval", oneOf(t.payoutApproval, payoutApprovals)),
    check("programs_payer", sql`(${t.payerName} is null) = (${t.payerIban} is null)`),
    check("programs_payer_bic", sql`${t.payerBic} is null or ${t.payerIban} is not null`),
    check("programs_self_referral", oneOf(t.selfReferral, signalSettings)),
    check("programs_duplicate_source", oneOf(t.duplicateSource, signalSettings)),
    check("programs_blocked_source", oneOf(t.blockedSource, signalSettings)),
    check("programs_many_sources", oneOf(t.manySources, signalSettings)),
    check("programs_blocked_hosts", sql`json_type(${t.blockedHosts}) = 'array'`),
    check("programs_review_days", sql`${t.reviewDays} between 1 and 90`),
    check("programs_status", oneOf(t.status, activeStatuses)),
    check("programs_place", oneOf(t.place, placeStates)),
    check("programs_left_to", sql`(${t.place} in ('left', 'arriving')) = (${t.leftTo} is not null)`),
    check("programs_leave_by", sql`${t.place} <> 'leaving' or ${t.leaveBy} is not null`),
    index("programs_moved").on(t.moveId).where(sql`${t.moveId} is not null`),
    index("programs_moving").on(t.leaveBy).where(sql`${t.leaveBy} is not null`),
  ],
);

export const programId = () =>
  integer("program_id")
    .$type<ProgramId>()
    .notNull()
    .references(() => programs.id);

export const book = () => ({ programId: programId(), isTest: flag("is_test") });

const scopeList = customType<{ data: readonly KeyScope[]; driverData: string }>({
  dataType: () => "text",
  toDriver: (scopes) => scopes.join(" "),
  fromDriver: (text) => orderedScopes(text.split(" ")),
});

/** All non-empty combinations of scopes. */
const everyScopeList = Array.from({ length: 2 ** keyScopes.length - 1 }, (_, i) =>
  keyScopes.filter((_, bit) => ((i + 1) >> bit) % 2 === 1).join(" "),
);

/** Retired keys are kept permanently, so that a refusal can distinguish them from unknown keys. */
export const programKeys = sqliteTable(
  "program_keys",
  {
    id: id<KeyId>(),
    programId: programId(),
    /**
     * For a rotated key, the first key in its chain of rotations. All keys of the chain share name, scopes and book.
     */
    originId: integer("origin_id").$type<KeyId>(),
    name: text("name").notNull(),
    scopes: scopeList("scopes").notNull(),
    book: text("book", { enum: keyBooks }).notNull(),
    hash: text("hash").notNull(),
    lastFour: text("last_four").notNull(),
    createdAt: instant("created_at").notNull(),
    retiresAt: instant("retires_at"),
    lastUsedAt: instant("last_used_at"),
  },
  (t) => [
    check("program_keys_scopes", oneOf(t.scopes, everyScopeList)),
    check("program_keys_book", oneOf(t.book, keyBooks)),
    check(
      "program_keys_test_book",
      sql`${t.book} <> 'test' or (${t.scopes} not like '%manage%' and ${t.scopes} not like '%settle%')`,
    ),
    uniqueIndex("program_keys_hash").on(t.hash),
    index("program_keys_program").on(t.programId, t.retiresAt),
    index("program_keys_created").on(t.programId, t.id).where(sql`${t.originId} is null`),
  ],
);
