import { programId } from "./config.ts";
import { flush, pending, send } from "./outbox.ts";
import { isRecent } from "./visitor.ts";

/** Of an address the host, the path, and what tells where a visit comes from: the rest of a query is nobody's business. */
function told(address: string | URL): string {
  const { origin, pathname, searchParams } = new URL(address);
  const origins = [...searchParams].filter(([name]) => /^(aff$|utm_)/.test(name)).sort();
  return `${(origin + pathname).slice(0, 999)}?${new URLSearchParams(origins)}`.slice(0, 2048);
}

/** Records the click that an address tells of, unless it is known, or on its way. */
export async function trackClick(address = location.href): Promise<void> {
  const url = new URL(address, location.href);
  const code = (url.searchParams.get("aff") || "").trim().toLowerCase();
  const isNew = /^[\w-]{2,64}$/.test(code) && !isRecent(code) && !pending().some((other) => other.code === code);
  return isNew ? send({ ...visit(), affiliate_url: told(url), code }) : flush();
}

const inTestMode = { additional_data: { test_mode: true } };

/** Tells the dashboard that the script is installed. */
export const trackTestClick = (): Promise<void> => send({ ...visit(), ...inTestMode });

export const signUp = (customerKey: string, email: string | undefined, isTest: boolean): Promise<void> =>
  send({ ...event(), customer_key: `${customerKey}`, email, ...(isTest && inTestMode) });

const event = () => ({
  program_id: programId,
  event_id: Date.now() + Math.random().toFixed(16).slice(1),
  page_url: told(location.href),
});

/** Nothing that tells visitors apart: no screen, no time zone, no language. */
function visit() {
  const { referrer, title } = document;
  return {
    ...event(),
    referrer_url: /^https?:/.test(referrer) ? told(referrer) : undefined,
    // As long as the API takes it, and without halves of characters, of which a cut may leave one.
    page_title: `${title}`.slice(0, 255).replace(/[\0\p{Cs}]/gu, ""),
  };
}
