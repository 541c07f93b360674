import { createApp } from "#http/app.ts";
import { partnerApi } from "./api.ts";

/** What partners see of the programs that they are in. Nothing here answers with what a member sees. */
export const partnerApp = createApp().route("/api/partner", partnerApi);
