import { createApp } from "#http/app.ts";
import { builtDocument, documentFiles } from "#http/built-documents.ts";
import { partnerApi } from "./api.ts";

const app = createApp();

/** The routes for partners. No reply contains data of members. */
export const partnerRoutes = app
  .route("/", partnerApi)
  .get("/api/partner/openapi.json", (c) => builtDocument(c, documentFiles.partner));
export { app as partnerApp };
