import { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "#http/context.ts";
import { refuseIn } from "#http/refusal/refuse.ts";
import { createCoupon, listCoupons, updateCoupon } from "./coupons.ts";
import { explain } from "./explain.ts";
import { exportRows } from "./imports/export-rows.ts";
import { importRows } from "./imports/import-rows.ts";
import { listEvents } from "./list-events.ts";
import { listBalances } from "./lists/list-balances.ts";
import { listCommissions } from "./lists/list-commissions.ts";
import { listPayoutCommissions } from "./lists/list-payout-commissions.ts";
import { listPayouts } from "./lists/list-payouts.ts";
import { listRequests } from "./lists/list-requests.ts";
import { getPartnerOverview } from "./partner-reports/get-overview.ts";
import { getPartnerStatement } from "./partner-reports/get-statement.ts";
import { listPartnerCommissions } from "./partner-reports/list-commissions.ts";
import { createPartner } from "./partners/create-partner.ts";
import { listPartners } from "./partners/list-partners.ts";
import { updatePartner } from "./partners/update-partner.ts";
import { readiness, readinessStyle } from "./readiness.ts";
import { verification } from "./verification.ts";

const family = new OpenAPIHono<AppEnv>();

family.use("/me/readiness", refuseIn(readinessStyle));

export const programs = family.openapiRoutes([
  readiness,
  verification,
  explain,
  ...([listPartners, createPartner, updatePartner] as const),
  ...([getPartnerOverview, listPartnerCommissions, getPartnerStatement] as const),
  ...([listCoupons, createCoupon, updateCoupon] as const),
  ...([listCommissions, listBalances, listPayouts, listPayoutCommissions] as const),
  listEvents,
  listRequests,
  exportRows,
  importRows,
] as const);
