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

/** Attribution parameters, by their plain names: `src/domain/landing.ts` has the grammar, by which the API decides. */
const originsOf = (address: string) =>
  [...new URL(address, location.href).searchParams]
    // A plain name comes before its other spellings.
    .sort(([a], [b]) => a.localeCompare(b, "en"))
    .map(([name, value]) => [without(/^(amp;)+/, name), value] as [string, string])
    .filter(([name]) => name === "aff" || codeParams.includes(name) || (isFull && /^(aff_sub$|utm_)/.test(name)));

/** `page`: the address of the page, if it isn't the current one. */
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
      // "svc_recent" expires after 24 hours.
      (clickId() && partnerCode() === code && read("svc_recent")) ||
      // Refused in this session: other sites use parameters of the same names.
      (code_param && attempt(() => (sessionStorage.svc_refused as string).split(" ").includes(programId + code))) ||
      pending().some((other) => other.code === code)
    );
  return isNew ? send({ ...visit(undefined, page), affiliate_url: cleanUrl(address), code, code_param }) : flush();
};

/** Strips an address, relative to the page's, down to its host, path and attribution parameters, for privacy. */
const cleanUrl = (address: string): string => {
  const url = new URL(address, location.href);
  return `${(url.origin + (isFull ? url.pathname : "/")).slice(0, 999)}?${new URLSearchParams(originsOf(address))}`.slice(
    0,
    2048,
  );
};

/** For privacy, sends nothing that identifies a device: no screen size, time zone or language. */
export const visit = (isTest?: true, page?: string) => {
  const referrer = documentProperty("referrer") as string;
  return {
    ...event(isTest, page),
    referrer_url: isFull && /^http/.test(referrer) ? cleanUrl(referrer) : undefined,
    // The API's length limit. Lone surrogates, which the cut can leave, are removed.
    page_title: sendsTitles && (documentProperty("title") as string).slice(0, 255).replace(/[\0\p{Cs}]/gu, ""),
  };
};
