import { timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { signedHeaders } from "#deliver/signature.ts";

const toleranceMs = 5 * 60_000;

/** True if a call is signed with the secret, as the Worker's calls are. */
export async function isSigned(
  headers: IncomingHttpHeaders,
  message: { readonly id: string; readonly body: string },
  secret: string,
): Promise<boolean> {
  const at = Number(headers["webhook-timestamp"]) * 1_000;
  if (!(Math.abs(at - Date.now()) < toleranceMs)) return false;
  const expected = Buffer.from((await signedHeaders(message, [secret], at))["webhook-signature"] ?? "");
  const given = Buffer.from(String(headers["webhook-signature"]));
  return given.length === expected.length && timingSafeEqual(given, expected);
}
