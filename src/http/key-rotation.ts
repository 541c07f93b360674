import { dateUtc } from "#domain/calendar.ts";
import type { Refusal } from "#domain/refusal.ts";
import type { Ctx } from "./context.ts";
import { timestamp } from "./schema/timestamp.ts";
import * as z from "./schema/zod.ts";
import { linkBase } from "./transport.ts";

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

export const rotationHelp = (url: string): RotationHelp => ({
  hint: "Use the program's newest API key. It is shown once, when an owner rotates the key in the program's settings.",
  docs_url: new URL("/docs#key-rotation", url).href,
});

export function refusalHelp(refusal: Refusal, url: string): RotationHelp {
  const help = rotationHelp(url);
  const isProgramArchived = refusal.code === "key_retired" && refusal.isProgramArchived === true;
  return isProgramArchived
    ? { ...help, hint: "The program is archived. Its keys work again as soon as an owner restores it." }
    : help;
}

/**
 * Sets the headers of RFC 9745 (`Deprecation`) and RFC 8594 (`Sunset`). Both contain the deadline, because no other
 * instant is known.
 */
export function setRotationHeaders(c: Ctx, retiresAt: number): void {
  c.header("Deprecation", `@${Math.floor(retiresAt / 1000)}`);
  c.header("Sunset", new Date(retiresAt).toUTCString());
  c.header("Link", `<${rotationHelp(linkBase(c)).docs_url}>; rel="deprecation"`);
}

export function withWarnings<Body extends object>(c: Ctx, body: Body): Body & { warnings?: z.output<typeof Warnings> } {
  const { keyRetiresAt } = c.get("log");
  if (keyRetiresAt === undefined) return body;
  setRotationHeaders(c, keyRetiresAt);
  const message = `This API key must be replaced by ${dateUtc(keyRetiresAt)}.`;
  const warning = { code: "api_key_rotation_required" as const, message, rotate_by: timestamp(keyRetiresAt) };
  return { ...body, warnings: [{ ...warning, ...rotationHelp(linkBase(c)) }] };
}
