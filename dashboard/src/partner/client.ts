import { hc } from "hono/client";
import type { partnerRoutes } from "#doors/partner/index.ts";

/** A typed client of the partners' routes. Every write declares JSON, as the dashboard's does. */
export const { partner: partnerApi, join: joinApi } = hc<typeof partnerRoutes>(location.origin, {
  headers: { "content-type": "application/json" },
}).api;
