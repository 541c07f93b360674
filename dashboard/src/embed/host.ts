import { settings } from "./settings.ts";

/** The page that frames this one. Undefined in a top-level window, such as an app's web view. */
const parent = window.parent === window ? undefined : window.parent;

export const isFramed = parent !== undefined;

/** The origin that sent the last accepted token. Messages are sent only to this origin. */
let hostOrigin: string | undefined;

const answer = (message: object): void => {
  if (hostOrigin !== undefined) parent?.postMessage(message, hostOrigin);
};

/** Returns the token if the message comes from the parent window and from one of the owner's origins. */
export function tokenIn({ source, origin, data }: MessageEvent<unknown>): string | undefined {
  if (parent === undefined || source !== parent || !settings.origins.includes(origin)) return undefined;
  const { type, token } = Object(data) as { readonly type?: unknown; readonly token?: unknown };
  return type === "tributary:token" && typeof token === "string" && token !== "" ? token : undefined;
}

/** Reports to the framing page, of any origin, that this page waits for a token. The message contains no secret. */
const sayReady = (): void => parent?.postMessage({ type: "tributary:ready" }, "*");

/** Asks the host for a new token. */
export function sayExpired(): void {
  if (hostOrigin === undefined) sayReady();
  else answer({ type: "tributary:expired" });
}

function sayHeight(): void {
  const height = Math.ceil(document.documentElement.getBoundingClientRect().height);
  answer({ type: "tributary:resize", height });
}

/** Receives tokens from the host, and reports to the host when this page is ready and how high it is. */
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
