import { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "#http/context.ts";
import { acceptInvitation } from "./access/accept-invitation.ts";
import { listPrograms } from "./access/list-programs.ts";
import { previewInvitation } from "./access/preview-invitation.ts";
import { getOverview } from "./overview/get-overview.ts";

const access = new OpenAPIHono<AppEnv>().openapiRoutes([previewInvitation, acceptInvitation, listPrograms] as const);

const own = new OpenAPIHono<AppEnv>().openapiRoutes([getOverview] as const);

export const partnerApi = new OpenAPIHono<AppEnv>().route("/api/partner", access).route("/api/partner", own);
