import { attempt } from "./attempt.ts";
import { codeParams, isFull, programId, sendsTitles } from "./config.ts";
import { documentProperty } from "./document-property.ts";
import { flush, pending, send } from "./outbox.ts";
import { read } from "./store.ts";
import { clickId, partnerCode } from "./visitor.ts";

export const event = (isTest?: boolean, page = "") => ({
  program_id: programId,
  page_url: cleanUrl(page),
  additional_data: { test_mode: isTest, page_titles: sendsTitles },
  limited: isFull ? undefined : true,
  event_id: Date.now() + Math.random().toFixed(16).slice(1),
});

const without = (noise: RegExp, text: string) =>
  text
    .replace(/\p{DI}/gu, "")
    .toLowerCase()
    .replace(noise, "");

/**
 * Returns the attribution parameters of a URL under their plain names. The API decides by the same names: see the
 * grammar in `src/domain/landing.ts`.
 */
const originsOf = (address: string) =>
  [...new URL(address, location.href).searchParams]
    // Sorts a plain name before its other spellings.
    .sort(([a], [b]) => a.localeCompare(b, "en"))
    .map(([name, value]) => [without(/^(amp;)+/, name), value] as [string, string])
    .filter(([name]) => name === "aff" || codeParams.includes(name) || (isFull && /^(aff_sub$|utm_)/.test(name)));

/** `page` is the URL of the page, if it isn't the current one. */
export const trackClick = async (address = "", page?: string): Promise<void> => {
  const parameter = (wanted = "aff") =>
    originsOf(address)
      .map(([name, value]) => name === wanted && without(/^\s+|[^\p{L}\p{N}_-].*/gsu, value))
      .find((each) => each) || "";
  const code_param = parameter() ? undefined : codeParams.find(parameter);
  const code = parameter(code_param);
  const isNew =
    code[1] &&
    !code[64] &&
    !(
      // The cookie "svc_recent" expires after 24 hours.
      (clickId() && partnerCode() === code && read("svc_recent")) ||
      // The API has refused this code in this session. Other sites use parameters with the same names.
      (code_param && attempt(() => (sessionStorage.svc_refused as string).split(" ").includes(programId + code))) ||
      pending().some((other) => other.code === code)
    );
  return isNew ? send({ ...visit(undefined, page), affiliate_url: cleanUrl(address), code, code_param }) : flush();
};

/**
 * For privacy, removes everything from a URL except origin, path and attribution parameters. Unless `isFull`, removes the
 * path too. The URL may be relative.
 */
const cleanUrl = (address: string): string => {
  const url = new URL(address, location.href);
  return `${(url.origin + (isFull ? url.pathname : "/")).slice(0, 999)}?${new URLSearchParams(originsOf(address))}`.slice(
    0,
    2048,
  );
};

/** For privacy, contains nothing that identifies a device: no screen size, time zone or language. */
export const visit = (isTest?: true, page?: string) => {
  const referrer = documentProperty("referrer") as string;
  return {
    ...event(isTest, page),
    referrer_url: isFull && /^http/.test(referrer) ? cleanUrl(referrer) : undefined,
    // Cut to the API's limit. Removes lone surrogates, which the cut may leave.
    page_title: sendsTitles && (documentProperty("title") as string).slice(0, 255).replace(/[\0\p{Cs}]/gu, ""),
  };
};
