import { isLoopback, isPrivateUrl } from "#domain/loopback.ts";
import { mintOperatorToken } from "#domain/operator-token.ts";
import { localFetch } from "../../runtime/node/local-fetch.ts";
import { ExplainedError, UnreachableError } from "../command.ts";
import { addressedService } from "../database/service-database.ts";

const tokenValidMs = 5 * 60_000;

export type Send = <Answer>(method: "GET" | "POST", path: string, body?: object) => Promise<Answer>;

export interface OperatorApi {
  readonly origin: string;
  /** Sends a call. Its path is below `/api/operator`. */
  readonly send: Send;
}

export async function operatorApi(folder: string | undefined): Promise<OperatorApi> {
  const { authToken, localUrl, ...service } = await addressedService(folder);
  const serviceUrl = localUrl ?? service.serviceUrl;
  if (!authToken) {
    throw new ExplainedError("Set DATABASE_AUTH_TOKEN: the service knows its operator by the database's token.");
  }
  const url = new URL(serviceUrl);
  const { origin } = url;
  if (!isPrivateUrl(url)) {
    throw new ExplainedError(`${serviceUrl} is not https: the operator's token is not sent in the clear.`);
  }
  return { origin, send: senderTo(origin, authToken) };
}

/** Thrown if the service responded with a refusal. */
export class OperatorRefusal extends ExplainedError {
  readonly details: Readonly<Record<string, unknown>>;

  constructor(message: string, details: Readonly<Record<string, unknown>>) {
    super(message);
    this.details = details;
  }
}

/** `authToken` is the token of the home database. */
export const senderTo =
  (origin: string, authToken: string): Send =>
  async (method, path, body) => {
    const url = new URL(`${origin}/api/operator${path}`);
    const text = body && JSON.stringify(body);
    const call = { method, path: url.pathname + url.search };
    const authorization = `Bearer ${mintOperatorToken(authToken, call, text ?? "", Date.now() + tokenValidMs)}`;
    const request = {
      method,
      headers: { authorization, ...(text && { "content-type": "application/json" }) },
      ...(text && { body: text }),
      signal: AbortSignal.timeout(30_000),
    };
    const isPlainHere = url.protocol === "http:" && isLoopback(url);
    const sent = isPlainHere ? localFetch(url.href, request) : fetch(url, { ...request, redirect: "error" });
    const response = await sent.catch((error: unknown) => {
      throw new UnreachableError(`${origin} can't be reached: ${error instanceof Error ? error.message : error}`);
    });
    const answer = await response.text();
    if (response.ok) return JSON.parse(answer);
    const advice =
      response.status === 401 ? " DATABASE_AUTH_TOKEN must be the one that the service was deployed with." : "";
    const { message = "no message", details = {} } = errorIn(answer);
    throw new OperatorRefusal(`${origin} answers ${response.status}: ${message}.${advice}`, details);
  };

function errorIn(text: string): { readonly message?: string; readonly details?: Readonly<Record<string, unknown>> } {
  try {
    const { error } = JSON.parse(text) as { error?: ReturnType<typeof errorIn> };
    return error ?? {};
  } catch {
    return { message: "no JSON, so it may not be the service" };
  }
}
