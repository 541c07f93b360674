import { parse } from "tldts";
import { type CodeOwner, hostOf } from "./code-owner.ts";

/**
 * The program whose site the landing page belongs to. Undefined if that isn't certain: refusing a click is better than
 * crediting the wrong program.
 */
export function programOfLanding(
  landingUrl: string,
  owners: readonly Pick<CodeOwner, "programId" | "hosts">[],
): number | undefined {
  const landing = hostOf(landingUrl);
  if (landing === undefined || owners.some(({ hosts }) => hosts.length === 0)) return undefined;
  const [owner, ...others] = owners.filter(({ hosts }) => hosts.some((host) => isSite(host, landing)));
  return others.length === 0 ? owner?.programId : undefined;
}

/** True for the site itself and for its subdomains, unless a subdomain can belong to someone else. */
function isSite(site: string, landing: string): boolean {
  const { domain, isIp } = parsed(site);
  if (site === landing) return domain !== null || isIp === true;
  return domain !== null && landing.endsWith(`.${site}`) && domain === parsed(landing).domain;
}

const parsed = (host: string) => parse(host, { allowPrivateDomains: true });
