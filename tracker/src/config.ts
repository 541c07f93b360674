import { documentProperty } from "./document-property.ts";

// The script's own tag is the only source of configuration, because a page may contain untrusted markup. A script that
// is loaded as a module can't find its own tag, so it has no configuration.
export const tag = documentProperty("currentScript") as HTMLScriptElement | null;

// biome-ignore lint/complexity/useOptionalChain: esbuild compiles it to more bytes for ES2019
export const attribute = (name: string) => tag && tag.getAttribute(`data-svc-${name}`);

// Some tag managers drop attributes, but keep `?program=1` in the script's URL.
export const [programId] = /^[1-9]\d*\b/.exec(
  // biome-ignore lint/complexity/useOptionalChain: esbuild compiles it to more bytes for ES2019
  attribute("program-id") || ((tag && tag.src.split("program=")[1]) as string),
) || [""];

/** https://www.w3.org/TR/gpc/ */
const gpc = (navigator as { readonly globalPrivacyControl?: boolean }).globalPrivacyControl
  ? attribute("gpc")
  : "ignore";
/** False if only what attribution needs may be sent. */
export const isFull = gpc !== "minimal";
export const needsConsent = attribute("consent") === "required" || (isFull && gpc !== "ignore");

/** Query parameters that may contain a partner's code if the URL has no `aff`, in order of precedence. */
export const codeParams = (attribute("params") || "")
  .split(/\s/)
  .filter((name) => /^(?!aff_sub$|utm_)[a-z\d_-]{1,20}$/.test(name))
  .slice(0, 5);

export const isDebug = attribute("debug") === "true";
export const sendsTitles = (isFull && attribute("titles") === "on") || undefined;
