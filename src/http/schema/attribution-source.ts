import { attributionSources } from "#domain/attribution.ts";
import * as z from "./zod.ts";

const source = z.enum(attributionSources);
export const sourceText = "Basis of the attribution: a click, a coupon, an import, or a member's assignment.";

export const sourceIfAny = source.optional().describe(sourceText);
export const sourceOrNull = source.nullable().describe(sourceText);
