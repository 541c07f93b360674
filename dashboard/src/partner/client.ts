import { hc } from "hono/client";
import type { partnerRoutes } from "#doors/partner/index.ts";

/** A typed client of the partners' routes. Like in the dashboard's client, every write declares JSON. */
export const { partner: partnerApi, join: joinApi } = hc<typeof partnerRoutes>(location.origin, {
  headers: { "content-type": "application/json" },
}).api;
