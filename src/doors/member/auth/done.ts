import { returns } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";

const Done = z.object({ success: z.literal(true) }).openapi("Done");

export const done = (description: string) => returns(description, Done);
export const success = { success: true } as const;
