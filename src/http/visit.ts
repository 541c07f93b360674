import { isbot } from "isbot";
import type { Visit } from "../operations/track/record-click.ts";
import { BoundedCache } from "./bounded-cache.ts";
import { addressOf } from "./client-address.ts";
import type { Ctx } from "./context.ts";
import { digest } from "./keyed-digest.ts";
import { storedUrl } from "./schema/web-url.ts";

/** What a click's caller tells of the visit. */
export interface VisitFields {
  readonly affiliate_url?: string | undefined;
  readonly page_url?: string | undefined;
  readonly referrer_url?: string | undefined;
  readonly page_title?: string | undefined;
  readonly additional_data?: { readonly [field: string]: unknown } | undefined;
  readonly session_id?: string | undefined;
  readonly user_agent?: string | undefined;
  readonly screen_resolution?: string | undefined;
  readonly viewport_size?: string | undefined;
  readonly language?: string | undefined;
  readonly timezone?: string | undefined;
}

type Place = Pick<Visit, "country" | "region" | "city">;

export interface Visitor {
  readonly headers: Headers;
  readonly address: string;
  readonly place: Place;
}

export function visitorOf(c: Ctx): Visitor {
  const { headers, cf } = c.req.raw;
  const text = (name: keyof Place) => {
    const value: unknown = cf?.[name];
    return typeof value === "string" ? value : undefined;
  };
  return {
    headers,
    address: addressOf(c),
    place: { country: text("country"), region: text("region"), city: text("city") },
  };
}

/** A visit, without what it was read from: no address and no user agent leaves this function. */
export async function visitOf(
  { headers, address, place }: Visitor,
  fields: VisitFields,
  secret: string,
): Promise<Visit> {
  // A browser says of its own accord from where it calls; a backend does not, and its device and place aren't the visitor's.
  const isBrowser = headers.has("Sec-Fetch-Site");
  const userAgent = fields.user_agent ?? (isBrowser ? headers.get("User-Agent") || undefined : undefined);
  return {
    visitorDigest: visitorDigest(secret, address, fields.session_id, userAgent, isBrowser),
    source: isBrowser ? "browser" : "server",
    isPrefetch: isPrefetch(headers),
    pageUrl: storedUrl(fields.page_url ?? fields.affiliate_url),
    referrerUrl: storedUrl(fields.referrer_url),
    // A title can name its reader ("Jane's order"), and a page's owner has to ask for it: the tag says so.
    pageTitle: isBrowser && fields.additional_data?.page_titles !== true ? undefined : fields.page_title,
    screenResolution: fields.screen_resolution,
    viewportSize: fields.viewport_size,
    language: fields.language,
    timezone: fields.timezone,
    country: isBrowser ? place.country : undefined,
    region: isBrowser ? place.region : undefined,
    city: isBrowser ? place.city : undefined,
    ...(await agentOf(userAgent)),
  };
}

function visitorDigest(
  secret: string,
  address: string,
  sessionId: string | undefined,
  userAgent: string | undefined,
  isBrowser: boolean,
): string | undefined {
  if (sessionId !== undefined) return digest(secret, "session", sessionId);
  // A backend's own address says nothing of who visited.
  if (userAgent === undefined && !isBrowser) return undefined;
  return digest(secret, "visitor", address, userAgent ?? "");
}

/** https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/Sec-Purpose; Safari says `Purpose`. */
const isPrefetch = (headers: Headers): boolean =>
  /\bprefetch\b/i.test(`${headers.get("Sec-Purpose")} ${headers.get("Purpose")}`);

type Agent = Pick<Visit, "isBot" | "deviceType" | "os" | "browser">;

/** Most visitors have one of a few hundred, and reading one takes as long as all else about a click's body. */
const knownAgents = new BoundedCache<Agent>(1_000);

/** What a user agent says; the user agent itself is not kept. */
export async function agentOf(userAgent: string | undefined): Promise<Agent> {
  if (userAgent === undefined) return { isBot: false, deviceType: undefined, os: undefined, browser: undefined };
  return (
    knownAgents.get(userAgent) ??
    knownAgents.keep(userAgent, { isBot: isbot(userAgent), ...(await deviceOf(userAgent)) })
  );
}

async function deviceOf(userAgent: string): Promise<Omit<Agent, "isBot">> {
  // As large as all the operations together, and no sale, lead or refund needs it.
  const { default: Bowser } = await import("bowser");
  browserNames ??= new Set([...Object.values(Bowser.BROWSER_MAP), ...unlistedBrowsers]);
  const { platform, os, browser } = Bowser.parse(userAgent);
  const deviceType = (["desktop", "mobile", "tablet"] as const).find((type) => type === platform.type);
  const isKnown = browser.name !== undefined && browserNames.has(browser.name);
  return { deviceType: deviceType ?? "other", os: os.name || undefined, browser: isKnown ? browser.name : undefined };
}

/** The parser calls a browser that it does not know by the beginning of the user agent itself, which is not to be kept. */
let browserNames: ReadonlySet<string> | undefined;
/** Known to it, and not on its list. */
const unlistedBrowsers = ["Miui", "Opera Touch", "QQ Browser", "QQ Browser Lite"];
