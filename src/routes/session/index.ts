import { createApp } from "../../http/app.ts";
import { sessionDescribed } from "./described.ts";

const app = createApp();

/** Everything for people: it is compiled when the first of them comes. */
export const sessionRoutes = app
  .route("/", sessionDescribed)
  .get("/api/openapi.json", async (c) =>
    c.json((await import("./openapi.ts")).sessionDocument(new URL(c.req.url).origin)),
  );
export { app as sessionApp };
