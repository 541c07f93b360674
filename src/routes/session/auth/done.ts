import { ok } from "../../../http/content.ts";
import * as z from "../../../http/schema/zod.ts";

const Done = z.object({ success: z.literal(true) }).openapi("Done");

/** The answer of an endpoint that has nothing more to say than that it worked. */
export const done = (description: string) => ok(description, Done);
export const success = { success: true } as const;
