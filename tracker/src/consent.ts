import { needsConsent } from "./config.ts";
import { day, read, write } from "./store.ts";

/** For half a year; then it is to be asked for again. */
export const answer = (isGiven: boolean): void => write("svc_consent", isGiven ? "1" : "0", 180 * day);

/** Whether anything may be stored or sent: not against the visitor's will, and not for a page that nobody sees yet. */
export function isAllowed(): boolean {
  const said = read("svc_consent", "[01]");
  return !isPrerendering() && (said ? said === "1" : !needsConsent);
}

export const isPrerendering = (): boolean | undefined => (document as { readonly prerendering?: boolean }).prerendering;
