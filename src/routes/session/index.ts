import { createApp } from "../../http/app.ts";
import { isCookieSecure } from "../../http/session-cookie.ts";
import { originOf } from "../../http/transport.ts";
import { sessionDescribed } from "./api.ts";

const app = createApp();

/** Everything for people: it is compiled when the first of them comes. */
export const sessionRoutes = app
  .route("/", sessionDescribed)
  .get("/api/openapi.json", async (c) =>
    c.json((await import("./openapi.ts")).sessionDocument(originOf(c), isCookieSecure(c))),
  );
export { app as sessionApp };
