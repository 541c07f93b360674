import type { ClientResponse } from "hono/client";
import type { Role } from "#domain/role.ts";

interface FieldError {
  readonly path: string;
  readonly message: string;
}

interface ErrorBody {
  readonly message: string;
  readonly details?: {
    readonly errors?: readonly { readonly path: readonly (string | number)[]; readonly message: string }[];
    readonly needed?: Role;
    readonly code?: string;
  };
}

export class Failure extends Error {
  /** The HTTP status, or 0 if there was no reply. */
  readonly status: number;
  readonly fieldErrors: readonly FieldError[];
  /** The lowest role that may make the call, if the call was refused because of the user's role. */
  readonly needed: Role | undefined;
  /** The service's code for the refusal, if it has one. */
  readonly code: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** Further details of the refusal. */
  readonly details: object | undefined;

  constructor(status: number, { message, details }: ErrorBody, retryAfterSeconds?: number) {
    super(message);
    this.status = status;
    this.fieldErrors = (details?.errors ?? []).map(({ path, message }) => ({ path: path.join("."), message }));
    this.needed = details?.needed;
    this.code = details?.code;
    this.retryAfterSeconds = retryAfterSeconds;
    this.details = details;
  }

  static ofNetwork(): Failure {
    return new Failure(0, { message: "Can't reach Tributary." });
  }

  /**
   * Converts a thrown value to a failure. Any value that isn't a failure is a bug, so it is also reported as an
   * uncaught error.
   */
  static of(error: unknown): Failure {
    if (error instanceof Failure) return error;
    reportError(error);
    return new Failure(500, { message: "Something went wrong on this page. Reload it to continue." });
  }

  /**
   * True if the same request may succeed later: the cause is the network, the rate limit or an outage, not the request.
   */
  get isOutage(): boolean {
    return this.status === 0 || this.status === 429 || this.status > 500;
  }
}

const isErrorBody = (error: unknown): error is ErrorBody =>
  typeof error === "object" && error !== null && "message" in error && typeof error.message === "string";

type Parse = (url: string, json: string) => Promise<unknown>;

const plain: Parse = async (_, json) => JSON.parse(json);

export async function failureOf(
  reply: Pick<ClientResponse<unknown, number, string>, "url" | "status" | "headers" | "text">,
  parse = plain,
): Promise<Failure> {
  const seconds = Number(reply.headers.get("retry-after") ?? Number.NaN);
  const read = async () => parse(reply.url, await reply.text());
  const body = (await read().catch(() => undefined)) as { error?: unknown } | null | undefined;
  // A proxy in front of the service may reply in another format.
  const said = isErrorBody(body?.error) ? body.error : { message: `The server returned an error (${reply.status}).` };
  return new Failure(reply.status, said, seconds > 0 ? seconds : undefined);
}

/** A failure that a form finds before it calls the service. */
export const fieldError = (name: string, message: string): Failure =>
  new Failure(400, { message, details: { errors: [{ path: [name], message }] } });
