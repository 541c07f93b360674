import { type ClientResponse, hc } from "hono/client";
import type { sessionRoutes } from "#doors/member/index.ts";
import { Failure, failureOf } from "./failure.ts";
import { createSignal } from "./signal.ts";

/**
 * A typed client of the session routes: `api.programs[":programId"].$get({ param: { programId } })`. Every write
 * declares JSON, even without a body: the service refuses the content types that a cross-site form can send.
 */
export const { api } = hc<typeof sessionRoutes>(location.origin, {
  headers: () => ({ "content-type": "application/json", ...further }),
});

let further: Readonly<Record<string, string>> | undefined;

/** Adds these headers to all later calls. Replaces the headers that were added before. */
export const setHeaders = (headers: typeof further): void => {
  further = headers;
};

/**
 * The JSON body of a successful reply. If an endpoint can also reply in another format, such as CSV, that format is
 * left out.
 */
type ResponseBody<Reply> =
  Reply extends ClientResponse<infer Body, infer Status, "json">
    ? Status extends 200 | 201 | 202
      ? Exclude<Body, string | Response>
      : never
    : never;

export type AnyReply = ClientResponse<unknown, number, string>;

const isOwn = (error: unknown): boolean =>
  error instanceof Failure || (error instanceof DOMException && error.name === "AbortError");

/** Throws a `Failure` if the call is refused or gets no reply. */
export async function send(call: Promise<AnyReply>): Promise<AnyReply> {
  const reply = await call.catch((error: unknown) => {
    throw isOwn(error) ? error : Failure.ofNetwork();
  });
  if (reply.ok) return reply;
  const failure = await failureOf(reply, parsed);
  if (failure.status === 401 && !new URL(reply.url).pathname.startsWith("/api/auth/")) sessionEnded.set(true);
  throw failure;
}

const unitCode = /"(?:\w*urrency|unit)":(?:\{"code":)?"([A-Z]{4,12})"|urrencies":\[(?:"\w+",)*?"([A-Z]{4,12})"/g;

/**
 * Parses the JSON of a response. If the response contains amounts in units, first loads the program's units, which
 * formatting needs.
 */
export async function parsed(url: string, json: string): Promise<unknown> {
  const codes = [...json.matchAll(unitCode)].map(([, code, listed = ""]) => code ?? listed);
  if (codes.length > 0) await (await import("./learn-units.ts")).learnUnits(url, codes);
  return JSON.parse(json);
}

const orOutage = <Body>(body: Promise<Body>): Promise<Body> => body.catch(() => Promise.reject(Failure.ofNetwork()));

/** Returns the body of a reply. Throws a `Failure` if the call is refused or gets no reply. */
export async function take<Reply extends AnyReply>(call: Promise<Reply>): Promise<ResponseBody<Reply>> {
  const reply = await send(call);
  return (await parsed(reply.url, await orOutage(reply.text()))) as ResponseBody<Reply>;
}

export interface ReceivedFile {
  readonly name: string;
  readonly content: Blob;
}

/** Like `take`, for a reply that is a file. */
export async function takeFile(call: Promise<AnyReply>): Promise<ReceivedFile> {
  const reply = await send(call);
  const [, name = "download"] = /filename="([^"]+)"/.exec(reply.headers.get("content-disposition") ?? "") ?? [];
  return { name, content: await orOutage(reply.blob()) };
}

export const sessionEnded = createSignal(false);
