import { parse } from "tldts";
import { type CodeOwner, hostOf } from "./code-owner.ts";

/** Undefined if in doubt: it is better to refuse a click than to credit the wrong program. */
export function programOfLanding(
  landingUrl: string,
  owners: readonly Pick<CodeOwner, "programId" | "hosts">[],
): number | undefined {
  const landing = hostOf(landingUrl);
  if (landing === undefined || owners.some(({ hosts }) => hosts.length === 0)) return undefined;
  const [owner, ...others] = owners.filter(({ hosts }) => hosts.some((host) => isSite(host, landing)));
  return others.length === 0 ? owner?.programId : undefined;
}

/** Accepts the site itself, and subdomains that only its owner can register. */
function isSite(site: string, landing: string): boolean {
  const { domain, isIp } = parsed(site);
  if (site === landing) return domain !== null || isIp === true;
  return domain !== null && landing.endsWith(`.${site}`) && domain === parsed(landing).domain;
}

const parsed = (host: string) => parse(host, { allowPrivateDomains: true });
