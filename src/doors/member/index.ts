import { createApp } from "#http/app.ts";
import { builtDocument, documentFiles } from "#http/built-documents.ts";
import { sessionApi } from "./api.ts";

const app = createApp();

export const sessionRoutes = app
  .route("/", sessionApi)
  .get("/api/openapi.json", (c) => builtDocument(c, documentFiles.session));
export { app as sessionApp };
