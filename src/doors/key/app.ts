import { createApp } from "#http/app.ts";
import { programs } from "./index.ts";

export const programApp = createApp();
programApp.route("/api/v1/programs", programs);
