import { type OidcSettings, parseOidc } from "#domain/oidc.ts";
import type { Env } from "#env.ts";
import type { Ctx } from "./context.ts";
import { knownOrigin } from "./known-origin.ts";

const known = new WeakMap<Env, OidcSettings | null>();

/** Undefined if the service has no identity provider. */
export function oidcOf(env: Env): OidcSettings | undefined {
  const read = known.get(env);
  if (read !== undefined) return read ?? undefined;
  const settings = parseOidc(env);
  if (settings !== undefined && "fault" in settings) throw new Error(settings.fault);
  known.set(env, settings ?? null);
  return settings;
}

/** The URL to which the provider redirects browsers. It never depends on what a caller sends. */
export function redirectUriOf(c: Ctx): string | undefined {
  const origin = knownOrigin(c);
  return origin && `${origin}/api/auth/oidc/callback`;
}
