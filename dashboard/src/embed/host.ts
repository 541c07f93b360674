import { settings } from "./settings.ts";

/** The page that frames this one. Undefined in a window of its own, such as a web view of an app. */
const parent = window.parent === window ? undefined : window.parent;

export const isFramed = parent !== undefined;

/** The origin of the last accepted token: only that page is answered. */
let hostOrigin: string | undefined;

const answer = (message: object): void => {
  if (hostOrigin !== undefined) parent?.postMessage(message, hostOrigin);
};

/** Returns the token if the message comes from the parent, in one of the owner's origins. */
export function tokenIn({ source, origin, data }: MessageEvent<unknown>): string | undefined {
  if (parent === undefined || source !== parent || !settings.origins.includes(origin)) return undefined;
  const { type, token } = Object(data) as { readonly type?: unknown; readonly token?: unknown };
  return type === "tributary:token" && typeof token === "string" && token !== "" ? token : undefined;
}

/** Says that the page waits for a token, to whichever page frames it: the message contains no secret. */
const sayReady = (): void => parent?.postMessage({ type: "tributary:ready" }, "*");

/** Asks the host for another token. */
export function sayExpired(): void {
  if (hostOrigin === undefined) sayReady();
  else answer({ type: "tributary:expired" });
}

function sayHeight(): void {
  const height = Math.ceil(document.documentElement.getBoundingClientRect().height);
  answer({ type: "tributary:resize", height });
}

/** Passes on the host's tokens, tells it the height of the page, and says that the page is ready for a token. */
export function followHost(onToken: (token: string) => void): void {
  if (parent === undefined) return;
  addEventListener("message", (event) => {
    const token = tokenIn(event);
    if (token === undefined) return;
    hostOrigin = event.origin;
    onToken(token);
    sayHeight();
  });
  new ResizeObserver(sayHeight).observe(document.documentElement);
  sayReady();
}
