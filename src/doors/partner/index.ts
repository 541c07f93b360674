import { createApp } from "#http/app.ts";
import { builtDocument, documentFiles } from "#http/built-documents.ts";
import { partnerApi } from "./api.ts";

const app = createApp();

/** The programs of a partner, as the partner sees them. No reply here contains member data. */
export const partnerRoutes = app
  .route("/", partnerApi)
  .get("/api/partner/openapi.json", (c) => builtDocument(c, documentFiles.partner));
export { app as partnerApp };
