import { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "#http/context.ts";
import { listClaims, openClaim } from "./claims.ts";
import { listCommissions } from "./commissions.ts";
import { estimateEmbedded } from "./estimate.ts";
import { createLink, listLinks } from "./links.ts";
import { getOverview } from "./overview.ts";
import { listPayouts } from "./payouts.ts";
import { listUnits } from "./units.ts";

const ofUser = new OpenAPIHono<AppEnv>().openapiRoutes([
  getOverview,
  listLinks,
  createLink,
  estimateEmbedded,
  listCommissions,
  listPayouts,
  listClaims,
  openClaim,
  listUnits,
] as const);

export const embedApi = new OpenAPIHono<AppEnv>().route("/api/embed", ofUser);
