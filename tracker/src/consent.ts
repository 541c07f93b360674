import { needsConsent } from "./config.ts";
import { documentProperty } from "./document-property.ts";
import { log } from "./log.ts";
import { put, read } from "./store.ts";

/**
 * Whether anything may be stored or sent: not against the visitor's will, not for a page that nobody sees yet, and not in
 * a frame of another site's page, where the browser keeps no cookie of ours.
 */
export const isAllowed = (): unknown =>
  !documentProperty("prerendering") &&
  +(read("svc_consent", "[01]") || !needsConsent) &&
  // biome-ignore lint/complexity/noCommaOperator: a function for it weighs more
  (top === self || (put("svc_frame", "1", 9, ""), read("svc_frame")) || log("cross-site frame"));
