import { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "#http/context.ts";
import { allowAnyOrigin } from "#http/headers.ts";
import { noteCalls } from "#http/note-calls.ts";
import { refuseIn } from "#http/refusal/refuse.ts";
import { trackingStyle } from "#http/refusal/tracking-style.ts";
import { click } from "./click.ts";
import { lead } from "./lead.ts";
import { refund } from "./refund.ts";
import { sale } from "./sale.ts";

const family = new OpenAPIHono<AppEnv>();

family.use("*", noteCalls);
// Applies to paths instead of routes, because a preflight or a wrong method matches no route.
family.use("/click", refuseIn(trackingStyle("Click")), allowAnyOrigin);
family.use("/lead", refuseIn(trackingStyle("Lead")), allowAnyOrigin);
family.use("/sale", refuseIn(trackingStyle("Sale")));
family.use("/refund", refuseIn(trackingStyle("Refund")));

export const track = family.openapiRoutes([click, lead, sale, refund] as const);
