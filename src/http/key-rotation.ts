import { dateUtc } from "../domain/calendar.ts";
import type { Refusal } from "../domain/refusal.ts";
import type { Ctx } from "./context.ts";
import { timestamp } from "./schema/timestamp.ts";
import * as z from "./schema/zod.ts";
import { calledUrl } from "./transport.ts";

/** Top level of every answer to a key that is being replaced. */
export const Warnings = z
  .array(
    z.object({
      code: z.literal("api_key_rotation_required"),
      message: z.string(),
      hint: z.string(),
      rotate_by: z.iso.datetime(),
      docs_url: z.string(),
    }),
  )
  .openapi("Warnings", { description: "Present while the API key still works but has to be replaced." });

export interface RotationHelp {
  readonly hint: string;
  readonly docs_url: string;
}

/** What to do about a key that is being replaced, or was. */
export const rotationHelp = (url: string): RotationHelp => ({
  hint: "Use the program's newest API key. It is shown once, when an owner rotates the key in the program's settings.",
  docs_url: new URL("/docs#key-rotation", url).href,
});

/** The same for a refusal. A newer key doesn't help where the program is archived. */
export function refusalHelp(refusal: Refusal, url: string): RotationHelp {
  const help = rotationHelp(url);
  const isProgramArchived = refusal.code === "key_retired" && refusal.isProgramArchived === true;
  return isProgramArchived
    ? { ...help, hint: "The program is archived. Its keys work again as soon as an owner restores it." }
    : help;
}

/** The headers of RFC 9745 and RFC 8594, with the deadline as the one instant known. */
export function setRotationHeaders(c: Ctx, retiresAt: number): void {
  c.header("Deprecation", `@${Math.floor(retiresAt / 1000)}`);
  c.header("Sunset", new Date(retiresAt).toUTCString());
  c.header("Link", `<${rotationHelp(calledUrl(c)).docs_url}>; rel="deprecation"`);
}

/** The body, with a warning where the key that came with the request is being replaced. */
export function withWarnings<Body extends object>(c: Ctx, body: Body): Body & { warnings?: z.output<typeof Warnings> } {
  const { keyRetiresAt } = c.get("notes");
  if (keyRetiresAt === undefined) return body;
  setRotationHeaders(c, keyRetiresAt);
  const message = `This API key must be replaced by ${dateUtc(keyRetiresAt)}.`;
  const warning = { code: "api_key_rotation_required" as const, message, rotate_by: timestamp(keyRetiresAt) };
  return { ...body, warnings: [{ ...warning, ...rotationHelp(calledUrl(c)) }] };
}
