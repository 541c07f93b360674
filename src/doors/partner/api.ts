import { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "#http/context.ts";
import { acceptInvitation, listPrograms, previewInvitation } from "./access.ts";
import { getBalanceParts } from "./balance-parts.ts";
import { listClaims, openClaim } from "./claims.ts";
import { listCommissions } from "./commissions.ts";
import { listCoupons } from "./coupons.ts";
import { estimateOnJoinPage, estimateOwn } from "./estimate.ts";
import { exportOwnData } from "./export.ts";
import { apply, getApplication, getJoinPage } from "./join.ts";
import { createLink, listLinks } from "./links.ts";
import { getBreakdown, getOverview } from "./overview.ts";
import { listPayouts } from "./payouts.ts";
import { getProfile, setPayment, updateProfile } from "./profile.ts";
import { getStatement } from "./statement.ts";
import { acceptTerms, getTerms } from "./terms.ts";
import { listUnits } from "./units.ts";

const access = new OpenAPIHono<AppEnv>().openapiRoutes([previewInvitation, acceptInvitation, listPrograms] as const);

const own = new OpenAPIHono<AppEnv>().openapiRoutes([
  getOverview,
  getBreakdown,
  listLinks,
  createLink,
  estimateOwn,
  listCoupons,
  listCommissions,
  listPayouts,
  listClaims,
  openClaim,
  listUnits,
  getStatement,
  getBalanceParts,
  getProfile,
  updateProfile,
  exportOwnData,
  setPayment,
  getTerms,
  acceptTerms,
] as const);

const join = new OpenAPIHono<AppEnv>().openapiRoutes([getJoinPage, getApplication, apply, estimateOnJoinPage] as const);

export const partnerApi = new OpenAPIHono<AppEnv>()
  .route("/api/partner", access)
  .route("/api/partner", own)
  .route("/api/join", join);
