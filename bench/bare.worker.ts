import { DurableObject } from "cloudflare:workers";
import { Hono } from "hono";

// Routes that read the same bodies as the service's but store nothing, to measure the cost of the runtime and the
// router. The routes under /asks add the cost of the architecture: each call asks a Durable Object, which echoes the
// body, and the Worker logs a line.

type Body = Readonly<Record<string, unknown>>;

export class Ledger extends DurableObject {
  echo(body: Body): Body {
    return body;
  }
}

// The server's configuration names these classes, so the Worker exports them.
export class Deliverer extends DurableObject {}
export class RequestLog extends DurableObject {}
export class WebhookSender extends DurableObject {}

interface Env {
  readonly LEDGER: DurableObjectNamespace<Ledger>;
}

const app = new Hono<{ Bindings: Env }>();

app.post("/api/v1/track/:kind", async (c) => {
  const body = await c.req.json<Body>();
  return c.json({ success: true, kind: c.req.param("kind"), fields: Object.keys(body).length });
});
app.get("/api/v1/programs/me/readiness", (c) => c.json({ success: true }));

app.on(["GET", "POST"], "/asks/*", async (c) => {
  const body = c.req.method === "POST" ? await c.req.json<Body>() : {};
  const echoed = await c.env.LEDGER.get(c.env.LEDGER.idFromName("one")).echo(body);
  console.log(JSON.stringify({ level: "info", method: c.req.method, route: c.req.path, status: 200, outcome: "ok" }));
  return c.json({ success: true, fields: Object.keys(echoed).length });
});

export default app;
