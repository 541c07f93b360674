import { normalizeEmail } from "./email.ts";
import { isPrivateUrl } from "./loopback.ts";

// Sign-in at an identity provider by OpenID Connect.

export const oidcNames = [
  "OIDC_ISSUER",
  "OIDC_CLIENT_ID",
  "OIDC_CLIENT_SECRET",
  "OIDC_NAME",
  "OIDC_TRUST_EMAIL",
  "OIDC_TRUST_MFA",
  "OIDC_REQUIRED",
  "OIDC_EXCEPT",
] as const;
export type OidcTexts = Readonly<Partial<Record<(typeof oidcNames)[number], string>>>;

export interface OidcSettings {
  /** As `URL` writes it, so that it's the same with and without a slash after the host. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The provider's name on the button. */
  readonly name: string;
  /** True if an email address counts as verified unless the provider says otherwise. */
  readonly trustsEmail: boolean;
  /** True if every sign-in at the provider counts as one with a second factor. */
  readonly trustsMfa: boolean;
  /** True if members of workspaces must sign in at the provider. */
  readonly isRequired: boolean;
  /** Addresses, in normal form, of members who may sign in with a password nevertheless. */
  readonly except: readonly string[];
}

const defaultName = "single sign-on";

/** Undefined if no variable is set. `fault` names one that is missing or malformed. */
export function parseOidc(texts: OidcTexts): OidcSettings | { readonly fault: string } | undefined {
  const given = oidcNames.filter((name) => texts[name]);
  if (given.length === 0) return undefined;
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = texts;
  const missing = (["OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET"] as const).find((name) => !texts[name]);
  if (!issuer || !clientId || !clientSecret) return { fault: `${given[0]} needs ${missing}` };
  const url = issuerUrl(issuer);
  if (url === undefined) return { fault: `OIDC_ISSUER is ${issuer}: it is an https URL without a query` };
  const name = texts.OIDC_NAME || defaultName;
  if (name.length > maxName || /\p{Cc}/u.test(name)) return { fault: `OIDC_NAME is longer than ${maxName} characters` };
  const switches = ["OIDC_TRUST_EMAIL", "OIDC_TRUST_MFA", "OIDC_REQUIRED"] as const;
  const unclear = switches.find((each) => !["", "on", "off"].includes(texts[each] ?? ""));
  if (unclear !== undefined) return { fault: `${unclear} is ${texts[unclear]}: it is on or off` };
  const except = (texts.OIDC_EXCEPT ?? "").split(",").flatMap((each) => normalizeEmail(each) || []);
  const wrong = except.find((each) => !/^[^\s@]+@[^\s@]+$/.test(each));
  if (wrong !== undefined) return { fault: `OIDC_EXCEPT has ${wrong}, which is no email address` };
  const [trustsEmail, trustsMfa, isRequired] = switches.map((each) => texts[each] === "on");
  return {
    issuer: url.href,
    clientId,
    clientSecret,
    name,
    trustsEmail: trustsEmail === true,
    trustsMfa: trustsMfa === true,
    isRequired: isRequired === true,
    except,
  };
}

export const isExcepted = ({ except }: Pick<OidcSettings, "except">, email: string): boolean =>
  except.includes(normalizeEmail(email));

const maxName = 40;

/** https, or http on this machine. */
function issuerUrl(text: string): URL | undefined {
  const url = URL.parse(text);
  if (url === null || url.search !== "" || url.hash !== "" || url.username !== "" || url.password !== "")
    return undefined;
  return isPrivateUrl(url) ? url : undefined;
}

/** The facts that the provider has stated about the person who signed in. */
export interface ProvedIdentity {
  readonly issuer: string;
  readonly subject: string;
  /** In lower case. Undefined if the provider sends no valid address. */
  readonly email: string | undefined;
  readonly isEmailVerified: boolean;
  readonly name: string | undefined;
  /** When the provider last checked who the person is (ms). Undefined if it doesn't say. */
  readonly checkedAt: number | undefined;
  readonly hasSecondFactor: boolean;
}

const maxAgeMs = 60_000;
const clockToleranceMs = 60_000;

/**
 * Returns the time of the check. Undefined if it is in the future, because the provider then uses another unit than
 * seconds.
 */
export const pastCheck = (checkedAt: number | undefined, at: number): number | undefined =>
  checkedAt !== undefined && checkedAt <= at + clockToleranceMs ? checkedAt : undefined;

/** True if the provider checked who the person is for this request, or at most a minute before it. */
export const isFreshCheck = (checkedAt: number, requestedAt: number): boolean => checkedAt >= requestedAt - maxAgeMs;

/**
 * The longest path that is stored in a cookie until a sign-in ends. Another site can start many sign-ins in a browser,
 * and servers refuse requests with too many bytes of cookies.
 */
const maxPath = 512;

/** A short path of the dashboard or of the partners' pages on this service. `/app/` for any other text. */
export function localPath(text: string | undefined): string {
  const base = "https://service.invalid";
  const url = text === undefined || /[\\\p{Cc}]/u.test(text) || !text.startsWith("/") ? null : URL.parse(text, base);
  const isLocal = url?.origin === base && /^\/(?:app|partner)\//.test(url.pathname);
  const path = isLocal ? url.pathname + url.search + url.hash : "";
  return path !== "" && path.length <= maxPath ? path : "/app/";
}
