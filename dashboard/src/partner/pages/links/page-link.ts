import { formatList } from "../../../format.ts";

/** The query parameter of a sub-ID, in addition to the code. */
export const subParameter = "aff_sub";
const subPattern = /^[A-Za-z0-9._-]{1,64}$/;

export type PageLink =
  | { readonly link: string; readonly fault?: undefined }
  | { readonly link?: undefined; readonly fault: { readonly name: "page" | "sub"; readonly message: string } };

interface Wanted {
  /** One of the partner's own links, such as `https://shop.example/?aff=anna`. */
  readonly own: string;
  /** The program's website. */
  readonly websiteUrl: string | null;
  /** The program's page to which the link leads. Empty: the page of the partner's own link. */
  readonly page: string;
  readonly sub: string;
}

const siteOf = (host: string): string => host.replace(/^www\./, "");

/**
 * Adds the partner's code to a page on the program's hosts or their subdomains. Clicks on other hosts aren't counted.
 */
export function linkTo({ own, websiteUrl, page, sub }: Wanted): PageLink {
  const base = new URL(own);
  const text = page.trim();
  const to = text === "" ? new URL(own) : URL.parse(/^[a-z]+:\/\//i.test(text) ? text : `https://${text}`);
  const hosts = [base, ...(websiteUrl === null ? [] : [new URL(websiteUrl)])].map(({ hostname }) => siteOf(hostname));
  const sites = [...new Set(hosts)];
  if (to === null || !/^https?:$/.test(to.protocol)) {
    return {
      fault: { name: "page", message: `Enter the address of a page, such as https://${base.hostname}/pricing.` },
    };
  }
  const host = siteOf(to.hostname);
  if (!sites.some((site) => host === site || host.endsWith(`.${site}`))) {
    const message = `Links work on ${formatList(sites)} only. This page is on ${to.hostname}.`;
    return { fault: { name: "page", message } };
  }
  if (sub !== "" && !subPattern.test(sub)) {
    return { fault: { name: "sub", message: "Use up to 64 letters, digits, dots, hyphens or underscores." } };
  }
  for (const [name, value] of base.searchParams) to.searchParams.set(name, value);
  if (sub !== "") to.searchParams.set(subParameter, sub);
  return { link: to.href };
}
