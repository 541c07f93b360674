// The tag is the whole configuration, and this is where it is read. It is found by its attribute, not as the running
// script: `document.currentScript` is empty for a module, and any element that the page names so.
const tag = document.querySelector<HTMLScriptElement>("script[data-svc-program-id]");
const data: DOMStringMap = tag ? tag.dataset : {};

const program = data.svcProgramId || "";
/** Empty: the tag names no program. */
export const programId = /^[1-9]\d*$/.test(program) ? program : "";

/** Default: the script lies one folder below the API's address, whatever both are called. */
export const endpoint = (): string =>
  (data.svcApiBase || new URL("..", tag ? tag.src : "").href).replace(/\/*$/, "/api/v1/track/");

export const cookieDomain = data.svcCookieDomain;
export const isDebug = data.svcDebug === "true";
/** https://www.w3.org/TR/gpc/ */
export const needsConsent =
  data.svcConsent === "required" || (navigator as { readonly globalPrivacyControl?: boolean }).globalPrivacyControl;
