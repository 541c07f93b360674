import { createRoute } from "@hono/zod-openapi";
import { monitorOf } from "../../env.ts";
import { ok } from "../../http/described.ts";
import { endpoint } from "../../http/endpoint.ts";
import { refusals } from "../../http/refusals.ts";
import { refuse } from "../../http/refuse.ts";
import * as z from "../../http/zod.ts";
import { pingDatabase } from "../../store/database.ts";
import { fromDatabase, unavailable } from "../from-database.ts";

const Health = z.object({ status: z.literal("ok") }).openapi("Health");
const healthy = { status: "ok" } as const;

export const healthz = endpoint({
  route: createRoute({
    method: "get",
    path: "/healthz",
    operationId: "getHealth",
    tags: ["Service"],
    summary: "Whether the process answers",
    security: [],
    responses: ok("It does", Health),
  }),
  handler: (c) => c.json(healthy, 200),
});

export const readyz = endpoint({
  route: createRoute({
    method: "get",
    path: "/readyz",
    operationId: "getReady",
    tags: ["Service"],
    summary: "Whether the database answers too",
    security: [],
    responses: {
      ...ok("It does", Health),
      ...refusals(undefined, ["internal", "unavailable"]),
    },
  }),
  handler: async (c) => {
    if (monitorOf(c.env)?.isReady() === false) return refuse(c, unavailable);
    const reached = await fromDatabase(c, pingDatabase);
    return reached.ok ? c.json(healthy, 200) : refuse(c, reached.refusal);
  },
});
