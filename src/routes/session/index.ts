import { createApp } from "#http/app.ts";
import { isCookieSecure } from "#http/session-cookie.ts";
import { originOf } from "#http/transport.ts";
import { sessionApi } from "./api.ts";

const app = createApp();

export const sessionRoutes = app
  .route("/", sessionApi)
  .get("/api/openapi.json", async (c) =>
    c.json((await import("./openapi.ts")).sessionDocument(originOf(c), isCookieSecure(c))),
  );
export { app as sessionApp };
