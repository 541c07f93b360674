import { createApp } from "../../http/app.ts";
import { refuseIn } from "../../http/refusal/refuse.ts";
import { discardSpilled } from "./discard-spilled.ts";
import { operatorStyle } from "./guards.ts";
import { listSpilled } from "./list-spilled.ts";
import { retrySpilled } from "./retry-spilled.ts";

const app = createApp();

app.use("/api/operator/*", refuseIn(operatorStyle));

/** For the commands of whoever runs the service. In no OpenAPI document, and compiled when the first of them comes. */
export const operatorApp = app.openapiRoutes([listSpilled, retrySpilled, discardSpilled] as const);
