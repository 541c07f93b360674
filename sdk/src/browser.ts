import type { Svc } from "../../tracker/svc.d.ts";
import { isSecure } from "./secure.ts";

export type { Svc, SvcCall, SvcData } from "../../tracker/svc.d.ts";

/** The attributes of the script tag. */
export interface TrackerOptions {
  /**
   * The script's URL: `https://tributary.example/js/svc-tracker.js`, or your own name for it. Plain http is allowed only
   * for loopback addresses.
   */
  readonly src: string;
  /** Until `svc.consent(true)` is called, nothing is stored or sent. */
  readonly consent?: "required" | undefined;
  /**
   * The behavior for visitors whose browser sends Global Privacy Control. `minimal`: clicks store only what credits the
   * partner. `ignore`: nothing changes. Default: `consent`, nothing is stored or sent before `svc.consent(true)`.
   */
  readonly gpc?: "minimal" | "consent" | "ignore" | undefined;
  /**
   * Query parameters that contain the code in links of your earlier affiliate program, at most five: `["via", "fpr"]`.
   * The first one that has a value is used if the address has no `aff`.
   */
  readonly codeParams?: readonly string[] | undefined;
  /** The cookie's domain. Default: the broadest domain that the browser allows. */
  readonly cookieDomain?: string | undefined;
  /** The API's address. Default: one folder above the script. */
  readonly apiBase?: string | undefined;
  /** Logs every step, sends a test click on load, and reports sign-ups as test leads. */
  readonly debug?: boolean | undefined;
  /** The integrity hash of a script version that never changes. */
  readonly integrity?: string | undefined;
  readonly nonce?: string | undefined;
}

/** Time limit for a script that doesn't finish loading. */
const maxWaitMs = 10_000;

// The promise is kept on the page, not in the module, because a bundle may contain this module twice.
const loading = Symbol.for("tributary.tracker");
type Page = typeof globalThis & { [loading]?: Promise<Svc | undefined> };

/**
 * Adds the browser script to the page, once even if called several times, or waits for an existing tag. Resolves to
 * `window.svc`, or to undefined on a server, if a blocker stops the script, or if an address is not secure (with an
 * error on the console). Never rejects.
 */
export function loadTracker(programId: number | string, options: TrackerOptions): Promise<Svc | undefined> {
  if (typeof document === "undefined") return Promise.resolve(undefined);
  const page: Page = globalThis;
  page[loading] ??= load(programId, options).catch(() => undefined);
  return page[loading];
}

async function load(programId: number | string, options: TrackerOptions): Promise<Svc | undefined> {
  const insecure = [options.src, options.apiBase].find((address) => address !== undefined && !isSecureHere(address));
  if (insecure !== undefined) {
    console.error(`tributary: ${insecure} must be https (http: localhost only)`);
    return undefined;
  }
  const tag = tagOnPage() ?? document.createElement("script");
  return loaded(tag, () => {
    if (!tag.isConnected) document.head.append(dressed(tag, programId, options));
  });
}

const tagOnPage = () =>
  document.querySelector<HTMLScriptElement>('script[data-svc-program-id],script[src*="?program="]');

async function loaded(tag: HTMLScriptElement, begin = () => {}): Promise<Svc | undefined> {
  if (!window.svc) {
    await new Promise((resolve) => {
      tag.addEventListener("load", resolve);
      tag.addEventListener("error", resolve);
      setTimeout(resolve, maxWaitMs);
      begin();
    });
  }
  return window.svc;
}

/** The discount for visitors who come through a partner. */
export interface VisitorOffer {
  readonly label: string;
  readonly details: string | null;
}

/**
 * Returns the offer of the partner whose link brought the visitor, to show it on the page. Null without a click,
 * without an offer, on a server, and after any failure. The offer may also be returned for a visitor who has bought
 * before and therefore gets no discount: at the checkout, call `getOffer` on your server. Never rejects.
 */
export async function getOffer(): Promise<VisitorOffer | null> {
  try {
    const tag = tagOnPage();
    const svc = tag && (await loaded(tag));
    await svc?.ready;
    const clickId = svc?.getClickId();
    if (!tag || !clickId) return null;
    const base = tag.getAttribute("data-svc-api-base") || new URL("..", tag.src).href;
    const address = `${base.replace(/\/*$/, "/api/v1/track/offer?click_id=")}${clickId}`;
    const response = await fetch(address, { credentials: "omit" });
    return ((await response.json()) as { offer?: VisitorOffer | null }).offer ?? null;
  } catch {
    return null;
  }
}

const isSecureHere = (address: string): boolean => isSecure(new URL(address, document.baseURI));

function dressed(tag: HTMLScriptElement, programId: number | string, options: TrackerOptions): HTMLScriptElement {
  const { src, consent, gpc, codeParams, cookieDomain, apiBase, debug, integrity, nonce } = options;
  const attributes = {
    "data-svc-program-id": programId,
    "data-svc-consent": consent,
    "data-svc-gpc": gpc,
    "data-svc-params": codeParams?.join(" "),
    "data-svc-cookie-domain": cookieDomain,
    "data-svc-api-base": apiBase,
    "data-svc-debug": debug,
    integrity,
    crossorigin: integrity && "anonymous",
    nonce,
    src,
  };
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) tag.setAttribute(name, String(value));
  }
  tag.async = true;
  return tag;
}
