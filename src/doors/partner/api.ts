import { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "#http/context.ts";
import { acceptInvitation } from "./access/accept-invitation.ts";
import { listPrograms } from "./access/list-programs.ts";
import { previewInvitation } from "./access/preview-invitation.ts";
import { listCommissions } from "./commissions/list-commissions.ts";
import { listCoupons } from "./coupons.ts";
import { exportOwnData } from "./export/export-own-data.ts";
import { apply } from "./join/apply.ts";
import { getApplication } from "./join/get-application.ts";
import { getJoinPage } from "./join/get-join-page.ts";
import { createLink } from "./links/create-link.ts";
import { listLinks } from "./links/list-links.ts";
import { getOverview } from "./overview/get-overview.ts";
import { listPayouts } from "./payouts/list-payouts.ts";
import { getProfile } from "./profile/get-profile.ts";
import { setPayment } from "./profile/set-payment.ts";
import { updateProfile } from "./profile/update-profile.ts";
import { getStatement } from "./statement/get-statement.ts";
import { acceptTerms } from "./terms/accept-terms.ts";
import { getTerms } from "./terms/get-terms.ts";

const access = new OpenAPIHono<AppEnv>().openapiRoutes([previewInvitation, acceptInvitation, listPrograms] as const);

const own = new OpenAPIHono<AppEnv>().openapiRoutes([
  getOverview,
  listLinks,
  createLink,
  listCoupons,
  listCommissions,
  listPayouts,
  getStatement,
  getProfile,
  updateProfile,
  exportOwnData,
  setPayment,
  getTerms,
  acceptTerms,
] as const);

const join = new OpenAPIHono<AppEnv>().openapiRoutes([getJoinPage, getApplication, apply] as const);

export const partnerApi = new OpenAPIHono<AppEnv>()
  .route("/api/partner", access)
  .route("/api/partner", own)
  .route("/api/join", join);
