import { keyScopes } from "#domain/program-key.ts";
import type { Refusal, RefusalCode } from "#domain/refusal.ts";
import { type RotationHelp, Warnings } from "../key-rotation.ts";
import { int32 } from "../schema/integers.ts";
import * as z from "../schema/zod.ts";
import { detailsOf, entryOf, messageOf, type RefusalStatus, type RefusalStyle, retryAfterOf } from "./table.ts";

export const errorNames = {
  400: "BadRequestError",
  401: "UnauthorizedError",
  403: "ForbiddenError",
  404: "NotFoundError",
  405: "MethodNotAllowedError",
  408: "RequestTimeoutError",
  409: "ConflictError",
  413: "PayloadTooLargeError",
  415: "UnsupportedMediaTypeError",
  429: "TooManyRequestsError",
  500: "InternalServerError",
  503: "ServiceUnavailableError",
} as const satisfies Record<RefusalStatus, string>;

const internalRetrySeconds = 5;

export const PlatformFailure = z
  .object({
    data: z.null(),
    error: z.object({
      status: int32(),
      name: z.enum(errorNames),
      message: z.string(),
      details: z.record(z.string(), z.unknown()),
      code: z.literal("rate_limited").optional(),
      retry_after_seconds: int32().optional(),
    }),
    warnings: Warnings.optional(),
  })
  .openapi("Failure");

/** The error format of the readiness verdict, and of calls with a key past its rotation deadline. */
export const TypedFailure = z
  .object({
    error: z.object({
      code: z.string(),
      message: z.string(),
      status: int32(),
      needed: z.enum(keyScopes).optional(),
      retry_after_seconds: int32().optional(),
      hint: z.string().optional(),
      docs_url: z.string().optional(),
    }),
    warnings: Warnings.optional(),
  })
  .openapi("TypedFailure");

export const isTyped = (code: RefusalCode, style: RefusalStyle | undefined): boolean =>
  code === "key_retired" || (style?.envelope === "typed" && code !== "https_required");

export const envelope = (refusal: Refusal, style: RefusalStyle | undefined, help: RotationHelp) =>
  isTyped(refusal.code, style) ? typedEnvelope(refusal, style, help) : platformEnvelope(refusal, style);

function platformEnvelope(refusal: Refusal, style: RefusalStyle | undefined): z.output<typeof PlatformFailure> {
  const { status } = entryOf(refusal.code);
  const error = { status, name: errorNames[status], message: messageOf(refusal, style), details: detailsOf(refusal) };
  if (refusal.code !== "rate_limited") return { data: null, error };
  return { data: null, error: { ...error, code: refusal.code, retry_after_seconds: refusal.retryAfterSeconds } };
}

function typedEnvelope(
  refusal: Refusal,
  style: RefusalStyle | undefined,
  help: RotationHelp,
): z.output<typeof TypedFailure> {
  const { status, typedCode } = entryOf(refusal.code);
  const retryAfter = retryAfterOf(refusal) ?? (refusal.code === "internal" ? internalRetrySeconds : undefined);
  return {
    error: {
      code: typedCode ?? refusal.code,
      message: messageOf(refusal, style),
      status,
      ...(retryAfter === undefined ? {} : { retry_after_seconds: retryAfter }),
      ...(refusal.code === "key_retired" ? help : {}),
      ...(refusal.code === "insufficient_scope" ? { needed: refusal.needed } : {}),
    },
  };
}
