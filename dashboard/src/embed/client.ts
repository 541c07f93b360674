import { hc } from "hono/client";
import type { embedRoutes } from "#doors/embed/index.ts";
import { Failure } from "../api/failure.ts";
import { unitCalls } from "../known-units.ts";
import { settings } from "./settings.ts";
import { tokenOtherThan, tokenWasAccepted } from "./token.ts";

/**
 * Sends a call with the host's token. If the service refuses the token, asks the host for a new one and retries once.
 */
async function sendWithToken(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const send = async (token: string) => {
    const headers = new Headers(init?.headers);
    headers.set("authorization", `Bearer ${token}`);
    const reply = await fetch(input, { ...init, headers, credentials: "omit", cache: "no-store" });
    if (reply.status !== 401) tokenWasAccepted();
    return reply;
  };
  const first = await tokenOtherThan(undefined);
  if (first === undefined) throw new Failure(401, { message: "no token", details: { code: "no_token" } });
  const reply = await send(first);
  if (reply.status !== 401) return reply;
  const next = await tokenOtherThan(first);
  return next === undefined ? reply : send(next);
}

/** Sent with every call, so that the service refuses a token of another program. */
export const header = { "x-embed-id": settings.embedId };

unitCalls.read = (address) => sendWithToken(address, { headers: header });

/** A typed client of the referral page's API. Every write declares JSON. */
export const { embed: embedApi } = hc<typeof embedRoutes>(location.origin, {
  headers: { "content-type": "application/json" },
  fetch: sendWithToken,
}).api;
