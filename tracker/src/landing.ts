import { attempt } from "./attempt.ts";
import { codeParams, programId, sendsTitles } from "./config.ts";
import { documentProperty } from "./document-property.ts";
import { flush, pending, send } from "./outbox.ts";
import { read } from "./store.ts";
import { clickId, partnerCode } from "./visitor.ts";

export const event = (isTest?: boolean) => ({
  program_id: programId,
  event_id: Date.now() + Math.random().toFixed(16).slice(1),
  page_url: cleanUrl(""),
  additional_data: { test_mode: isTest, page_titles: sendsTitles },
});

export const trackClick = async (address = ""): Promise<void> => {
  const url = new URL(address, location.href);
  const parameter = (name = "aff") => (url.searchParams.get(name) || "").trim().toLowerCase();
  const code_param = parameter() ? undefined : codeParams.find(parameter);
  const code = parameter(code_param);
  const isNew =
    /^[\w-]{2,64}$/.test(code) &&
    !(
      // "svc_recent" expires after 24 hours.
      (clickId() && partnerCode() === code && read("svc_recent")) ||
      // Refused in this session: other sites use parameters of the same names.
      (code_param && attempt(() => (sessionStorage.svc_refused as string).split(" ").includes(programId + code))) ||
      pending().some((other) => other.code === code)
    );
  return isNew ? send({ affiliate_url: cleanUrl(url), ...visit(), code, code_param }) : flush();
};

/** Strips an address, relative to the page's, down to its host, path and attribution parameters, for privacy. */
const cleanUrl = (address: string | URL): string => {
  const url = new URL(address, location.href);
  const origins = [...url.searchParams]
    .filter(([name]) => /^(aff(_sub)?$|utm_)/.test(name) || codeParams.includes(name))
    .sort();
  return `${(url.origin + url.pathname).slice(0, 999)}?${new URLSearchParams(origins)}`.slice(0, 2048);
};

/** For privacy, sends nothing that identifies a device: no screen size, time zone or language. */
export const visit = (isTest?: true) => {
  const referrer = documentProperty("referrer") as string;
  return {
    ...event(isTest),
    referrer_url: /^http/.test(referrer) ? cleanUrl(referrer) : undefined,
    // The API's length limit. Lone surrogates, which the cut can leave, are removed.
    page_title: sendsTitles && (documentProperty("title") as string).slice(0, 255).replace(/[\0\p{Cs}]/gu, ""),
  };
};
