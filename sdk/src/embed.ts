import { isSecure } from "./secure.ts";

/**
 * A token for the referral page, in the form that `createEmbedToken` of `tributary-sdk/program` or the service's API
 * returns.
 */
export interface ReferralToken {
  readonly token: string;
  /** Seconds until the token expires. */
  readonly expiresIn?: number | undefined;
  /** `expiresIn` under its name in the service's API. */
  readonly expires_in?: number | undefined;
}

/** Overrides parts of the theme in the program's settings, for example in your product's dark mode. */
export interface ReferralTheme {
  /** All colors are `#rrggbb`. */
  readonly accent?: string | undefined;
  readonly background?: string | undefined;
  readonly text?: string | undefined;
  /** Corner radius in pixels, 0 to 24. */
  readonly radius?: number | undefined;
  readonly font?: "system" | "serif" | "mono" | undefined;
}

export interface ReferralOptions {
  /** The service's address: `https://tributary.example`. Plain http is allowed only for loopback addresses. */
  readonly service: string;
  /** The embed ID in the program's settings: `emb_…`. */
  readonly embedId: string;
  /** Requests a token for the signed-in user from your backend. */
  readonly fetchToken: () => Promise<ReferralToken>;
  readonly theme?: ReferralTheme | undefined;
}

/** A token is replaced this long before it expires, or after half of its lifetime, whichever is later. */
const marginMs = 120_000;
const shortestMs = 5_000;
const longestRetryMs = 300_000;
const maxHeight = 20_000;

/**
 * Shows the referral page in a frame within the element. The frame is as wide as the element and as high as its
 * content. Returns a function that removes the frame. Throws a `TypeError` if `service` is not secure.
 *
 * If `fetchToken` rejects, the error is written to the console, and `fetchToken` is called again after a pause.
 */
export function mountReferrals(
  element: HTMLElement,
  { service, embedId, fetchToken, theme = {} }: ReferralOptions,
): () => void {
  const page = new URL(`/embed/${encodeURIComponent(embedId)}`, service);
  if (!isSecure(page)) throw new TypeError("service must be https (http: localhost only)");
  for (const [name, value] of Object.entries(theme)) {
    if (value !== undefined) page.searchParams.set(name, String(value));
  }
  const frame = document.createElement("iframe");
  let token: string | undefined;
  let isReady = false;
  let isFetching = false;
  let isGone = false;
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const post = () => {
    if (isReady && token) frame.contentWindow?.postMessage({ type: "tributary:token", token }, page.origin);
  };

  /** Fetches a token. Resolves to the pause before the next fetch, in milliseconds. */
  const fetchNext = async (): Promise<number> => {
    try {
      const { token: next, expiresIn, expires_in = 3_600 } = await fetchToken();
      if (!next) throw new TypeError("fetchToken must resolve to { token, expiresIn }");
      token = next;
      failures = 0;
      const lifeMs = (expiresIn ?? expires_in) * 1_000;
      return Math.max(lifeMs - marginMs, lifeMs / 2, shortestMs);
    } catch (error) {
      if (!isGone) console.error("tributary: no token for the referral page:", error);
      failures += 1;
      return Math.min(1_000 * 2 ** failures, longestRetryMs);
    }
  };

  const renew = async () => {
    if (isFetching) return;
    isFetching = true;
    clearTimeout(timer);
    const pauseMs = await fetchNext();
    isFetching = false;
    if (isGone) return;
    if (!failures) post();
    timer = setTimeout(renew, pauseMs);
  };

  const onMessage = ({ source, origin, data }: MessageEvent) => {
    if (source !== frame.contentWindow || origin !== page.origin) return;
    const { type, height } = Object(data);
    if (type === "tributary:ready") {
      isReady = true;
      post();
    } else if (type === "tributary:expired") {
      void renew();
    } else if (type === "tributary:resize" && height > 0 && height <= maxHeight) {
      frame.style.height = `${height}px`;
    }
  };

  addEventListener("message", onMessage);
  frame.title = "Referral program";
  frame.allow = "clipboard-write";
  Object.assign(frame.style, { display: "block", width: "100%", height: "20rem", border: "0" });
  frame.src = page.href;
  element.append(frame);
  void renew();
  return () => {
    isGone = true;
    removeEventListener("message", onMessage);
    clearTimeout(timer);
    frame.remove();
  };
}
