import { isAPIError } from "better-auth/api";
import { type BetterAuthOptions, betterAuth } from "better-auth/minimal";
import type { Refusal } from "../../domain/refusal.ts";
import { authSecretOf } from "../../env.ts";
import type { Ctx } from "../../http/app-env.ts";
import { cookiePrefix, isCookieSecure } from "../../http/session-cookie.ts";
import { authAdapter } from "../../store/auth-adapter.ts";
import type { Database } from "../../store/database.ts";

/** Sessions end a week after they were last renewed, which asking for the session does once a day. */
const weekSeconds = 7 * 24 * 3_600;
const daySeconds = 24 * 3_600;

/** better-auth for one request: its database client is the request's own, its address the one that was called. */
export function openAuth({ req, env }: Ctx, database: Database, onFault: (error: unknown) => void) {
  return betterAuth({
    baseURL: new URL(req.url).origin,
    basePath: "/api/auth",
    secret: authSecretOf(env),
    database: authAdapter(database, onFault),
    emailAndPassword: { enabled: true, minPasswordLength: 8, maxPasswordLength: 128 },
    // Without a cookie cache a session that has ended is at an end at once.
    session: { expiresIn: weekSeconds, updateAge: daySeconds, cookieCache: { enabled: false } },
    databaseHooks: {
      session: { create: { before: async () => ({ data: { ipAddress: null, userAgent: null } }) } },
    },
    // A user and their password are one query: an address that nobody has costs what a wrong password does.
    experimental: { joins: true },
    // Counted by limits.ts: these would store addresses as they are.
    rateLimit: { enabled: false },
    advanced: {
      cookiePrefix,
      useSecureCookies: isCookieSecure(req.url),
      ipAddress: { disableIpTracking: true },
    },
    // It would log e-mail addresses.
    logger: { disabled: true },
    telemetry: { enabled: false },
  } satisfies BetterAuthOptions);
}

export type Auth = ReturnType<typeof openAuth>;

const refusals: Readonly<Record<string, Refusal>> = {
  INVALID_EMAIL_OR_PASSWORD: { code: "sign_in_failed" },
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: { code: "account_exists" },
  // The one rule that an insert of ours can break is that addresses are unique: two signed up with one at once.
  FAILED_TO_CREATE_USER: { code: "account_exists" },
};

/** What better-auth refuses, as we do. Anything else was not foreseen. */
export function refusalOf(error: unknown): Refusal {
  const refusal = isAPIError(error) ? refusals[error.body?.code ?? ""] : undefined;
  if (refusal === undefined) throw error;
  return refusal;
}
