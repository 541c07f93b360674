import { parse } from "tldts";
import { type CodeOwner, hostOf } from "./code-owner.ts";

/**
 * The program that a landing URL belongs to, of all that have its code. Undefined where there is doubt: it is better to
 * refuse a click than to give it to a stranger.
 */
export function programOfLanding(landingUrl: string, owners: readonly CodeOwner[]): number | undefined {
  const landing = hostOf(landingUrl);
  if (landing === undefined || owners.some(({ hosts }) => hosts.length === 0)) return undefined;
  const [owner, ...others] = owners.filter(({ hosts }) => hosts.some((host) => isSite(host, landing)));
  return others.length === 0 ? owner?.programId : undefined;
}

/** Whether the landing host is the site, or a subdomain of it that nobody else can register. */
function isSite(site: string, landing: string): boolean {
  const { domain, isIp } = parsed(site);
  if (site === landing) return domain !== null || isIp === true;
  return domain !== null && landing.endsWith(`.${site}`) && domain === parsed(landing).domain;
}

const parsed = (host: string) => parse(host, { allowPrivateDomains: true });
