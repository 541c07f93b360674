import { createApp } from "../http/app.ts";
import { manage } from "./manage/index.ts";
import { tracking } from "./tracking/index.ts";

const app = createApp();

/** All that people who sign in can call. */
export const sessionRoutes = app.route("/api/tracking", tracking).route("/api", manage);
export { app as sessionApp };
