import { createApp } from "#http/app.ts";
import { builtDocument, documentFiles } from "#http/built-documents.ts";
import { partnerApi } from "./api.ts";

const app = createApp();

/** What partners see of the programs that they are in. Nothing here answers with what a member sees. */
export const partnerRoutes = app
  .route("/", partnerApi)
  .get("/api/partner/openapi.json", (c) => builtDocument(c, documentFiles.partner));
export { app as partnerApp };
