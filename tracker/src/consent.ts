import { needsConsent } from "./config.ts";
import { documentProperty } from "./document-property.ts";
import { log } from "./log.ts";
import { put, read } from "./store.ts";

/**
 * True if the script may store and send data. The page must be visible, the visitor must have consented if that is
 * required, and the script must not be in a frame on another site, where the browser stores no first-party cookie.
 */
export const isAllowed = (): unknown =>
  !documentProperty("prerendering") &&
  +(read("svc_consent", "[01]") || !needsConsent) &&
  // biome-ignore lint/complexity/noCommaOperator: a function would take more bytes
  (top === self || (put("svc_frame", "1", 9, ""), read("svc_frame")) || log("cross-site frame"));
