import { Hono } from "hono";

// What the runtime and the router cost: the same bodies are read, and nothing is kept.

const app = new Hono();

app.post("/api/v1/track/:kind", async (c) => {
  const body = await c.req.json<Record<string, unknown>>();
  return c.json({ success: true, kind: c.req.param("kind"), fields: Object.keys(body).length });
});
app.get("/api/v1/programs/me/readiness", (c) => c.json({ success: true }));

export default app;
