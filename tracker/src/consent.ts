import { needsConsent } from "./config.ts";
import { documentProperty } from "./document-property.ts";
import { log } from "./log.ts";
import { put, read } from "./store.ts";

/**
 * Storing or sending requires the visitor's consent and a visible page. It is also refused in a frame on another site,
 * where the browser keeps no cookie of ours.
 */
export const isAllowed = (): unknown =>
  !documentProperty("prerendering") &&
  +(read("svc_consent", "[01]") || !needsConsent) &&
  // biome-ignore lint/complexity/noCommaOperator: a function for it weighs more
  (top === self || (put("svc_frame", "1", 9, ""), read("svc_frame")) || log("cross-site frame"));
