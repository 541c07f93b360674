import { attempt } from "./attempt.ts";
import { documentProperty } from "./document-property.ts";

// The tag that the script runs from is the only configuration: a page may contain markup that it doesn't trust. Browsers
// don't tell a classic script's file which module tag it runs from, so as a module it reads none.
const tag = attempt(() =>
  (documentProperty("currentScript") as Element).closest<HTMLScriptElement>("script[data-svc-program-id]"),
);

// biome-ignore lint/complexity/useOptionalChain: esbuild makes more of it for ES2019
// biome-ignore lint/style/useTemplate: compresses better
const attribute = (name: string) => tag && tag.getAttribute("data-svc-" + name);

export const [programId] = /^[1-9]\d*$/.exec(attribute("program-id") as string) || [""];

/** By default, the script is one folder below the API's base URL, whatever both are called. */
export const endpoint = (): string =>
  (attribute("api-base") || new URL("..", (tag as HTMLScriptElement).src).href).replace(/\/*$/, "/api/v1/track/");

export const cookieDomain = attribute("cookie-domain");
export const isDebug = attribute("debug") === "true";
export const sendsTitles = attribute("titles") === "on" || undefined;
/** https://www.w3.org/TR/gpc/ */
export const needsConsent =
  attribute("consent") === "required" ||
  (navigator as { readonly globalPrivacyControl?: boolean }).globalPrivacyControl;
