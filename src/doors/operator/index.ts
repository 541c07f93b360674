import { createApp } from "#http/app.ts";
import { refuseIn } from "#http/refusal/refuse.ts";
import { discardSpilled } from "./discard-spilled.ts";
import { operatorStyle } from "./guards.ts";
import { listSpilled } from "./list-spilled.ts";
import { moveStep } from "./move-step.ts";
import { retrySpilled } from "./retry-spilled.ts";

const app = createApp();

app.use("/api/operator/*", refuseIn(operatorStyle));

export const operatorApp = app.openapiRoutes([listSpilled, retrySpilled, discardSpilled, moveStep] as const);
