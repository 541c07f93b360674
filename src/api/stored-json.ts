import { encoded } from "#http/schema/record.ts";
import { timestamp } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";

export const StoredJson = z.record(z.string(), z.unknown());

const isInstant = (name: string, value: unknown): value is number =>
  typeof value === "number" && /(^at|At|Until|effectiveFrom)$/.test(name);

export const storedJson = (json: string): z.output<typeof StoredJson> =>
  JSON.parse(json, (name, value: unknown) => (isInstant(name, value) ? timestamp(value) : value));

export const storedObject = (description: string) => encoded(StoredJson.describe(description), storedJson);
