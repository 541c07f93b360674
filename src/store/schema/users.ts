import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { accountActions } from "#domain/account-event.ts";
import { flag, id, instant } from "./columns.ts";
import { oneOf } from "./one-of.ts";

// Tables in the shape of better-auth, https://www.better-auth.com/docs/concepts/database

const date = (name: string) => integer(name, { mode: "timestamp_ms" });
const stamps = () => ({ createdAt: date("created_at").notNull(), updatedAt: date("updated_at").notNull() });
const userId = () =>
  text("user_id")
    .notNull()
    .references(() => users.id);

export const users = sqliteTable(
  "users",
  {
    id: text("id").primaryKey(),
    name: text("name").notNull(),
    email: text("email").notNull(),
    emailVerified: flag("email_verified").default(false),
    image: text("image"),
    ...stamps(),
  },
  (t) => [uniqueIndex("users_email").on(t.email)],
);

export const sessions = sqliteTable(
  "sessions",
  {
    id: text("id").primaryKey(),
    /** SHA-256 of the token in the cookie, in lower-case hex. */
    token: text("token").notNull(),
    userId: userId(),
    expiresAt: date("expires_at").notNull(),
    /** Always null: neither IP address nor user agent is stored. */
    ipAddress: text("ip_address"),
    userAgent: text("user_agent"),
    device: text("device"),
    place: text("place"),
    /**
     * The sign-in, or the last time that the user confirmed their identity. If an identity provider checked who the user
     * is, the time of that check, and 0 if the provider doesn't say when it was.
     */
    confirmedAt: instant("confirmed_at").notNull(),
    /** The identity of `accounts` with which the user signed in. Null if they used their password. */
    identityId: text("identity_id"),
    /** True if the identity provider has checked a second factor. */
    hasProviderFactor: flag("has_provider_factor").default(false),
    ...stamps(),
  },
  (t) => [
    uniqueIndex("sessions_token").on(t.token),
    index("sessions_user").on(t.userId),
    index("sessions_expires").on(t.expiresAt),
    check("sessions_no_traces", sql`${t.ipAddress} is null and ${t.userAgent} is null`),
  ],
);

/**
 * The ways of signing in. For a password, `providerId` is `credential`. For an identity, `providerId` is the issuer and
 * `accountId` is the subject.
 */
export const accounts = sqliteTable(
  "accounts",
  {
    id: text("id").primaryKey(),
    accountId: text("account_id").notNull(),
    providerId: text("provider_id").notNull(),
    userId: userId(),
    accessToken: text("access_token"),
    refreshToken: text("refresh_token"),
    idToken: text("id_token"),
    accessTokenExpiresAt: date("access_token_expires_at"),
    refreshTokenExpiresAt: date("refresh_token_expires_at"),
    scope: text("scope"),
    password: text("password"),
    ...stamps(),
  },
  (t) => [index("accounts_user").on(t.userId), uniqueIndex("accounts_identity").on(t.providerId, t.accountId)],
);

export const verifications = sqliteTable(
  "verifications",
  {
    id: text("id").primaryKey(),
    identifier: text("identifier").notNull(),
    value: text("value").notNull(),
    expiresAt: date("expires_at").notNull(),
    ...stamps(),
  },
  (t) => [
    index("verifications_identifier").on(t.identifier),
    index("verifications_value").on(t.value),
    index("verifications_expires").on(t.expiresAt),
  ],
);

/** The key contains a digest of what the limit is for, such as an email address, an account or a device. */
export const rateLimits = sqliteTable(
  "rate_limits",
  {
    key: text("key").primaryKey(),
    count: integer("count").notNull(),
    lastRequest: integer("last_request").notNull(),
  },
  (t) => [index("rate_limits_last_request").on(t.lastRequest)],
);

/** If sign-up is by invitation, each token lets one person sign up and create a workspace. */
export const signUpTokens = sqliteTable(
  "sign_up_tokens",
  {
    tokenHash: text("token_hash").primaryKey(),
    expiresAt: instant("expires_at").notNull(),
    usedBy: text("used_by").references(() => users.id),
    usedAt: instant("used_at"),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [index("sign_up_tokens_unused").on(t.expiresAt).where(sql`used_by is null`)],
);

/** Partner invitations that were used to sign up. If sign-up is by invitation, each invitation can be used once. */
export const partnerSignUps = sqliteTable("partner_sign_ups", {
  tokenHash: text("token_hash").primaryKey(),
  userId: userId(),
  createdAt: instant("created_at").notNull(),
});

export const secondFactors = sqliteTable("second_factors", {
  userId: userId().primaryKey(),
  /** Encrypted with DATA_KEYS. */
  secret: text("secret").notNull(),
  /** When the second factor was confirmed by its first code. While it is null, sign-ins require no code. */
  confirmedAt: instant("confirmed_at"),
  /** The time step of the last code used, and the id of the request that used it. */
  lastStep: integer("last_step").notNull(),
  usedBy: text("used_by"),
  createdAt: instant("created_at").notNull(),
});

/** Each recovery code can be used once instead of a code of the second factor. */
export const recoveryCodes = sqliteTable(
  "recovery_codes",
  {
    userId: userId(),
    codeHash: text("code_hash").notNull(),
    usedBy: text("used_by"),
    usedAt: instant("used_at"),
  },
  (t) => [primaryKey({ columns: [t.userId, t.codeHash] })],
);

/** The newest events of each account: sign-ins, ended sessions and changes of credentials. */
export const accountEvents = sqliteTable(
  "account_events",
  {
    id: id(),
    userId: userId(),
    operationId: text("operation_id").notNull(),
    action: text("action", { enum: accountActions }).notNull(),
    device: text("device"),
    place: text("place"),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [
    uniqueIndex("account_events_operation").on(t.operationId),
    index("account_events_user").on(t.userId),
    check("account_events_action", oneOf(t.action, accountActions)),
  ],
);
