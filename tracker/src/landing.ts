import { programId, sendsTitles } from "./config.ts";
import { documentProperty } from "./document-property.ts";
import { flush, pending, send } from "./outbox.ts";
import { isRecent } from "./visitor.ts";

/** Of an address the host, the path, and what tells where a visit comes from: the rest of a query is nobody's business. */
function told(address: string | URL): string {
  const { origin, pathname, searchParams } = new URL(address);
  const origins = [...searchParams].filter(([name]) => /^(aff$|utm_)/.test(name)).sort();
  return `${(origin + pathname).slice(0, 999)}?${new URLSearchParams(origins)}`.slice(0, 2048);
}

/** Records the click that an address tells of, unless it is known, or on its way. */
export async function trackClick(address = ""): Promise<void> {
  const url = new URL(address, location.href);
  const code = (url.searchParams.get("aff") || "").trim().toLowerCase();
  const isNew = /^[\w-]{2,64}$/.test(code) && !isRecent(code) && !pending().some((other) => other.code === code);
  return isNew ? send({ ...visit(), affiliate_url: told(url), code }) : flush();
}

export const event = (isTest?: boolean) => ({
  program_id: programId,
  event_id: Date.now() + Math.random().toFixed(16).slice(1),
  page_url: told(location.href),
  additional_data: { test_mode: isTest, page_titles: sendsTitles },
});

/** Nothing that tells visitors apart: no screen, no time zone, no language. */
export function visit(isTest?: true) {
  const referrer = documentProperty("referrer") as string;
  return {
    ...event(isTest),
    referrer_url: /^https?:/.test(referrer) ? told(referrer) : undefined,
    // As long as the API takes it, and without halves of characters, of which a cut may leave one.
    page_title: sendsTitles && (documentProperty("title") as string).slice(0, 255).replace(/[\0\p{Cs}]/gu, ""),
  };
}
