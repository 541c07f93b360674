import { instant } from "../../http/schema/timestamp.ts";
import * as z from "../../http/schema/zod.ts";

/** What was kept as JSON: shown as it was written, with its instants as they are written everywhere. */
export const Frozen = z.record(z.string(), z.unknown());

const isInstant = (name: string, value: unknown): value is number =>
  typeof value === "number" && /(^at|At|Until|effectiveFrom)$/.test(name);

export const frozen = (json: string): z.output<typeof Frozen> =>
  JSON.parse(json, (name, value: unknown) => (isInstant(name, value) ? instant(value) : value));
