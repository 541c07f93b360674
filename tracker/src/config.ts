import { documentProperty } from "./document-property.ts";

// The tag that the script runs from is the only configuration: a page may contain markup that it doesn't trust. Browsers
// don't tell a classic script's file which module tag it runs from, so as a module it reads none.
export const tag = documentProperty("currentScript") as HTMLScriptElement | null;

// biome-ignore lint/complexity/useOptionalChain: esbuild makes more of it for ES2019
export const attribute = (name: string) => tag && tag.getAttribute(`data-svc-${name}`);

export const [programId] = /^[1-9]\d*$/.exec(attribute("program-id") as string) || [""];

/** Query parameters that may hold a partner's code if the address has no `aff`, in order of precedence. */
export const codeParams = (attribute("params") || "")
  .split(/\s/)
  .filter((name) => /^(?!aff_sub$|utm_)[a-z\d_-]{1,20}$/.test(name))
  .slice(0, 5);

export const isDebug = attribute("debug") === "true";
export const sendsTitles = attribute("titles") === "on" || undefined;
/** https://www.w3.org/TR/gpc/ */
export const needsConsent =
  attribute("consent") === "required" ||
  (navigator as { readonly globalPrivacyControl?: boolean }).globalPrivacyControl;
