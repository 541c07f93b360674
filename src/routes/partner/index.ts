import { createApp } from "#http/app.ts";
import { isCookieSecure } from "#http/session-cookie.ts";
import { originOf } from "#http/transport.ts";
import { partnerApi } from "./api.ts";

const app = createApp();

/** What partners see of the programs that they are in. Nothing here answers with what a member sees. */
export const partnerRoutes = app
  .route("/", partnerApi)
  .get("/api/partner/openapi.json", async (c) =>
    c.json((await import("./openapi.ts")).partnerDocument(originOf(c), isCookieSecure(c))),
  );
export { app as partnerApp };
