import { storedLanguage, storedSize, storedText, storedTimezone } from "#domain/visit-text.ts";
import { clientAddress } from "#http/client-address.ts";
import type { Ctx } from "#http/context.ts";
import { digest } from "#http/keyed-digest.ts";
import { storedUrl } from "#http/schema/web-url.ts";
import { parseUserAgent } from "#http/user-agent.ts";
import type { Visit } from "#operations/track/record-click.ts";

export interface VisitFields {
  readonly affiliate_url: string | null;
  readonly code_param: string | null;
  readonly page_url: string | null;
  readonly referrer_url: string | null;
  readonly page_title: string | null;
  readonly additional_data: { readonly [field: string]: unknown } | null;
  readonly session_id: string | null;
  readonly user_agent: string | null;
  readonly screen_resolution: string | null;
  readonly viewport_size: string | null;
  readonly language: string | null;
  readonly timezone: string | null;
}

type Location = Pick<Visit, "country" | "region" | "city">;

export interface Visitor {
  readonly headers: Headers;
  readonly address: string;
  readonly location: Location;
}

export function visitorOf(c: Ctx): Visitor {
  const { headers, cf } = c.req.raw;
  const text = (name: keyof Location) => {
    const value: unknown = cf?.[name];
    return typeof value === "string" ? value : null;
  };
  return {
    headers,
    address: clientAddress(c),
    location: { country: text("country"), region: text("region"), city: text("city") },
  };
}

/** The result contains neither the IP address nor the user agent from which it is derived. */
export async function visitOf(
  { headers, address, location }: Visitor,
  fields: VisitFields,
  secret: string,
): Promise<Visit> {
  // Only browsers send this header. In a backend's call, device and location aren't the visitor's.
  const isBrowser = headers.has("Sec-Fetch-Site");
  const userAgent = fields.user_agent ?? (isBrowser ? headers.get("User-Agent") || null : null);
  return {
    visitorDigest: visitorDigest({ address, userAgent, sessionId: fields.session_id, isBrowser }, secret),
    source: isBrowser ? "browser" : "server",
    isPrefetch: isPrefetch(headers),
    pageUrl: storedUrl(fields.page_url ?? fields.affiliate_url, fields.code_param),
    referrerUrl: storedUrl(fields.referrer_url, fields.code_param),
    // A title can contain a visitor's name ("Jane's order"), so a browser's is stored only if the script tag has the
    // option for it.
    pageTitle: isBrowser && fields.additional_data?.page_titles !== true ? null : storedText(fields.page_title),
    screenResolution: storedSize(fields.screen_resolution),
    viewportSize: storedSize(fields.viewport_size),
    language: storedLanguage(fields.language),
    timezone: storedTimezone(fields.timezone),
    country: isBrowser ? location.country : null,
    region: isBrowser ? location.region : null,
    city: isBrowser ? location.city : null,
    ...(await parseUserAgent(userAgent)),
  };
}

interface Identity {
  readonly address: string;
  readonly userAgent: string | null;
  readonly sessionId: string | null;
  readonly isBrowser: boolean;
}

function visitorDigest({ address, userAgent, sessionId, isBrowser }: Identity, secret: string): string | null {
  if (sessionId !== null) return digest(secret, "session", sessionId);
  // Without a user agent, a backend's own address doesn't identify the visitor.
  if (userAgent === null && !isBrowser) return null;
  return digest(secret, "visitor", address, userAgent ?? "");
}

/** See https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/Sec-Purpose. Safari sends `Purpose`. */
const isPrefetch = (headers: Headers): boolean =>
  /\bprefetch\b/i.test(`${headers.get("Sec-Purpose")} ${headers.get("Purpose")}`);
