import { createApp } from "#http/app.ts";
import { refuseIn } from "#http/refusal/refuse.ts";
import { operatorStyle } from "./guards.ts";
import { moveStep } from "./move-step.ts";
import { discardSpilled, listSpilled, retrySpilled } from "./spilled.ts";

const app = createApp();

app.use("/api/operator/*", refuseIn(operatorStyle));

export const operatorApp = app.openapiRoutes([listSpilled, retrySpilled, discardSpilled, moveStep] as const);
