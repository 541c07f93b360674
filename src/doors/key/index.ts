import { OpenAPIHono } from "@hono/zod-openapi";
import { createApp } from "#http/app.ts";
import type { AppEnv } from "#http/context.ts";
import { refuseIn } from "#http/refusal/refuse.ts";
import { listBalances } from "./balances.ts";
import { listCommissions, listPayoutCommissions } from "./commissions.ts";
import { createCoupon, listCoupons, updateCoupon } from "./coupons.ts";
import { listCustomers } from "./customers.ts";
import { createEmbedToken } from "./embed.ts";
import { listEvents } from "./events.ts";
import { explain } from "./explain.ts";
import { exportRows, importRows } from "./imports.ts";
import { getOffer } from "./offers.ts";
import { getPartnerOverview, getPartnerStatement, listPartnerCommissions } from "./partner-reports.ts";
import { createPartner, listPartners, updatePartner } from "./partners.ts";
import { listPayouts } from "./payouts.ts";
import { getPerformance } from "./performance.ts";
import { readiness, readinessStyle } from "./readiness.ts";
import { reportReconciliation } from "./reconciliations.ts";
import { listRequests } from "./requests.ts";
import { listSales, lookupSales } from "./sales.ts";
import { failPayoutLine, listPayoutLines, settlePayoutLine } from "./settlements.ts";
import { listUnits } from "./units.ts";
import { verification } from "./verification.ts";

const family = new OpenAPIHono<AppEnv>();

family.use("/me/readiness", refuseIn(readinessStyle));

export const programs = family.openapiRoutes([
  readiness,
  verification,
  explain,
  listPartners,
  createPartner,
  updatePartner,
  getPartnerOverview,
  listPartnerCommissions,
  getPartnerStatement,
  createEmbedToken,
  getPerformance,
  listCoupons,
  createCoupon,
  updateCoupon,
  listCustomers,
  getOffer,
  listCommissions,
  listBalances,
  listUnits,
  listPayouts,
  listPayoutCommissions,
  listPayoutLines,
  settlePayoutLine,
  failPayoutLine,
  listEvents,
  listRequests,
  listSales,
  lookupSales,
  reportReconciliation,
  exportRows,
  importRows,
] as const);

export const programApp = createApp();
programApp.route("/api/v1/programs", programs);
