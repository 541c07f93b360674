import { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "../../../http/context.ts";
import { fromAnySite } from "../../../http/headers.ts";
import { refuseIn } from "../../../http/refusal/refuse.ts";
import { click } from "./click.ts";
import { trackingStyle } from "./error-style.ts";
import { lead } from "./lead.ts";
import { refund } from "./refund.ts";
import { sale } from "./sale.ts";

const family = new OpenAPIHono<AppEnv>();

// On the paths, not on the routes: a wrong method is refused in the same style, and a preflight has no route.
family.use("/click", refuseIn(trackingStyle("Click")), fromAnySite);
family.use("/lead", refuseIn(trackingStyle("Lead")), fromAnySite);
family.use("/sale", refuseIn(trackingStyle("Sale")));
family.use("/refund", refuseIn(trackingStyle("Refund")));

export const track = family.openapiRoutes([click, lead, sale, refund] as const);
