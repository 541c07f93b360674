import type { Ctx } from "./context.ts";
import { Warnings, withWarnings } from "./key-rotation.ts";

export const warnings = { warnings: Warnings.optional() };

export const reply = <Body extends object>(c: Ctx, body: Body) => c.json(withWarnings(c, body), 200);
