import { normalizeEmail } from "#domain/email.ts";
import { localPath, type OidcSettings, type ProvedIdentity, pastCheck } from "#domain/oidc.ts";
import { ok, type Result, refused, retryAfterSeconds } from "#domain/result.ts";
import { oidcNetworkOf } from "#env.ts";
import type { Ctx } from "./context.ts";
import { type Begun, type Purpose, rememberBegun } from "./oidc-cookie.ts";
import type { ProviderResult } from "./oidc-provider.ts";
import { oidcOf, redirectUriOf } from "./oidc-settings.ts";

/** Loads the client of the provider, which no other call needs. */
const loadProvider = () => import("./oidc-provider.ts");

const partsOf = (c: Ctx, settings: OidcSettings) => ({ settings, network: oidcNetworkOf(c.env) });

/** `redirectUri` is registered with the provider. */
function providerOf(c: Ctx): Result<{ readonly settings: OidcSettings; readonly redirectUri: string }> {
  const settings = oidcOf(c.env);
  const redirectUri = redirectUriOf(c);
  return settings === undefined || redirectUri === undefined
    ? refused({ code: "oidc_off" })
    : ok({ settings, redirectUri });
}

/**
 * Writes the reason to the log, for the operator. The refusal doesn't contain it, because it means nothing to the
 * person who signs in.
 */
function resultOf<T>(c: Ctx, made: ProviderResult<T>): Result<T> {
  if (made.ok) return ok(made.value);
  const line = { level: "warn", event: "oidc.failed", request_id: c.get("requestId"), error: made.reason };
  console.error(JSON.stringify(line));
  return refused(made.isUnavailable ? { code: "oidc_unavailable", retryAfterSeconds } : { code: "oidc_failed" });
}

/** Returns the address of the provider's sign-in page, and stores the begun sign-in in a cookie. */
export async function beginAtProvider(
  c: Ctx,
  { returnTo, purpose }: { readonly returnTo: string | null | undefined; readonly purpose: Purpose },
): Promise<Result<string>> {
  const provider = providerOf(c);
  if (!provider.ok) return provider;
  const { settings, redirectUri } = provider.value;
  const { authorizationUrl, newSecrets } = await loadProvider();
  const secrets = newSecrets();
  const asked = { ...secrets, redirectUri, isAgain: purpose.kind === "confirm" };
  const url = resultOf(c, await authorizationUrl(partsOf(c, settings), asked));
  if (!url.ok) return url;
  await rememberBegun(c, { ...secrets, at: c.get("call").at, returnTo: localPath(returnTo ?? undefined), purpose });
  return url;
}

/** Returns the identity that signed in at the provider. `query` is that of the provider's redirect to this service. */
export async function identityAtProvider(
  c: Ctx,
  begun: Begun,
  query: URLSearchParams,
): Promise<Result<ProvedIdentity>> {
  const provider = providerOf(c);
  if (!provider.ok) return provider;
  const { settings, redirectUri } = provider.value;
  const { redeem } = await loadProvider();
  const proved = resultOf(c, await redeem(partsOf(c, settings), { ...begun, redirectUri }, query));
  if (!proved.ok) return proved;
  const { email, checkedAt } = proved.value;
  const known = { email: email && normalizeEmail(email), checkedAt: pastCheck(checkedAt, c.get("call").at) };
  return ok({ ...proved.value, ...known });
}
