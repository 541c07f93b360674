import { createApp } from "#http/app.ts";
import { builtDocument, documentFiles } from "#http/built-documents.ts";
import { embedApi } from "./api.ts";
import { embedPage } from "./page.ts";

const app = createApp();

/** The referral page inside an integrator's product, and its API. */
export const embedRoutes = app
  .route("/", embedApi)
  .get("/api/embed/openapi.json", (c) => builtDocument(c, documentFiles.embed))
  .get("/embed/:embedId", embedPage);
export { app as embedApp };
