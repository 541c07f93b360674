import { programId, sendsTitles } from "./config.ts";
import { documentProperty } from "./document-property.ts";
import { flush, pending, send } from "./outbox.ts";
import { isRecent } from "./visitor.ts";

/** Strips an address down to its host, path and attribution parameters, for privacy. */
function cleanUrl(address: string | URL): string {
  const { origin, pathname, searchParams } = new URL(address);
  const origins = [...searchParams].filter(([name]) => /^(aff$|utm_)/.test(name)).sort();
  return `${(origin + pathname).slice(0, 999)}?${new URLSearchParams(origins)}`.slice(0, 2048);
}

export async function trackClick(address = ""): Promise<void> {
  const url = new URL(address, location.href);
  const code = (url.searchParams.get("aff") || "").trim().toLowerCase();
  const isNew = /^[\w-]{2,64}$/.test(code) && !isRecent(code) && !pending().some((other) => other.code === code);
  return isNew ? send({ ...visit(), affiliate_url: cleanUrl(url), code }) : flush();
}

export const event = (isTest?: boolean) => ({
  program_id: programId,
  event_id: Date.now() + Math.random().toFixed(16).slice(1),
  page_url: cleanUrl(location.href),
  additional_data: { test_mode: isTest, page_titles: sendsTitles },
});

/** For privacy, sends nothing that identifies a device: no screen size, time zone or language. */
export function visit(isTest?: true) {
  const referrer = documentProperty("referrer") as string;
  return {
    ...event(isTest),
    referrer_url: /^https?:/.test(referrer) ? cleanUrl(referrer) : undefined,
    // The API's length limit. Lone surrogates, which the cut can leave, are removed.
    page_title: sendsTitles && (documentProperty("title") as string).slice(0, 255).replace(/[\0\p{Cs}]/gu, ""),
  };
}
