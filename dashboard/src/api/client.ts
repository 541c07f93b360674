import { type ClientResponse, hc } from "hono/client";
import type { sessionRoutes } from "../../../src/routes/session/index.ts";
import { Failure, failureOf } from "./failure.ts";
import { createSignal } from "./signal.ts";

/**
 * The service's routes for people, by their own types: `api.programs[":programId"].$get({ param: { programId } })`.
 * A write without a body names its type all the same: the service takes none that a foreign page could send.
 */
export const { api } = hc<typeof sessionRoutes>(location.origin, { headers: { "content-type": "application/json" } });

/** What a call brings when it is not refused: JSON. What can be had as a file too is not taken as one. */
type ResponseBody<Reply> =
  Reply extends ClientResponse<infer Body, infer Status, "json">
    ? Status extends 200 | 201
      ? Exclude<Body, string | Response>
      : never
    : never;

/** The body of an answer; a refusal, or no answer, is thrown as a `Failure`. */
export async function take<Reply extends ClientResponse<unknown, number, string>>(
  call: Promise<Reply>,
): Promise<ResponseBody<Reply>> {
  const reply: ClientResponse<unknown, number, string> = await call.catch((error: unknown) => {
    throw error instanceof DOMException && error.name === "AbortError" ? error : Failure.ofNetwork();
  });
  if (reply.ok) return (await reply.json().catch(() => Promise.reject(Failure.ofNetwork()))) as ResponseBody<Reply>;
  const failure = await failureOf(reply);
  if (failure.status === 401 && !new URL(reply.url).pathname.startsWith("/api/auth/")) sessionEnded.set(true);
  throw failure;
}

/** Whether the service has said that nobody is signed in. */
export const sessionEnded = createSignal(false);
