import type { ClientResponse } from "hono/client";
import type { Role } from "../../../src/domain/role.ts";

interface FieldError {
  readonly path: string;
  readonly message: string;
}

interface ErrorBody {
  readonly message: string;
  readonly details?: {
    readonly errors?: readonly { readonly path: readonly (string | number)[]; readonly message: string }[];
    readonly needed?: Role;
  };
}

export class Failure extends Error {
  /** The HTTP status, or 0 if there was no reply. */
  readonly status: number;
  readonly fieldErrors: readonly FieldError[];
  /** The lowest role that may do this, if the user's role is too low. */
  readonly needed: Role | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, { message, details = {} }: ErrorBody, retryAfterSeconds?: number) {
    super(message);
    this.status = status;
    this.fieldErrors = (details.errors ?? []).map(({ path, message }) => ({ path: path.join("."), message }));
    this.needed = details.needed;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  static ofNetwork(): Failure {
    return new Failure(0, { message: "Can't reach Tributary.", details: {} });
  }

  /** Retrying helps: the failure says nothing about the request itself. */
  get isOutage(): boolean {
    return this.status === 0 || this.status === 429 || this.status > 500;
  }
}

export async function failureOf(reply: ClientResponse<unknown, number, string>): Promise<Failure> {
  const seconds = Number(reply.headers.get("retry-after") ?? Number.NaN);
  const body = (await reply.json().catch(() => undefined)) as { error?: ErrorBody } | undefined;
  // A proxy in between may answer in another format.
  const said = body?.error ?? { message: `The server returned an error (${reply.status}).`, details: {} };
  return new Failure(reply.status, said, seconds > 0 ? seconds : undefined);
}

/** A failure that a form finds before it calls the service. */
export const fieldError = (name: string, message: string): Failure =>
  new Failure(400, { message, details: { errors: [{ path: [name], message }] } });
