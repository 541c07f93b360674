import { hc } from "hono/client";
import { expect, expectTypeOf, test } from "vitest";
import type { routes } from "../../src/app.ts";
import { key, service } from "./service.ts";

test("a client is typed by the routes", async () => {
  const { app, env, context } = service();
  const client = hc<typeof routes>("https://api.example", {
    fetch: (input: RequestInfo | URL, init?: RequestInit) => app.fetch(new Request(input, init), env, context),
    headers: { Authorization: `Bearer ${key}` },
  });

  const reply = await client.api.v1.track.sale.$post({
    json: { transaction_id: "t1", amount_cents: 100, customer_key: "u1" },
  });

  if (reply.status !== 200) throw new Error((await reply.json()).error.message);
  const sale = await reply.json();
  expectTypeOf(sale.sale_id).toEqualTypeOf<number>();
  expectTypeOf(sale.commission.status).toEqualTypeOf<
    "pending" | "approved" | "paid" | "reversed" | "rejected" | "void"
  >();
  expect(sale).toMatchObject({ sale_id: 71, commission_id: 72 });
});
