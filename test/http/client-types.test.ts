import { hc } from "hono/client";
import { expect, expectTypeOf, test } from "vitest";
import type { routes } from "#app.ts";
import type { sessionRoutes } from "#doors/member/index.ts";
import { key, service } from "./service.ts";

test("a typed client can be created from the types of the public routes", async () => {
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

test("a typed client can be created from the types of the session routes", async () => {
  const { app, env, context } = service();
  const client = hc<typeof sessionRoutes>("https://api.example", {
    fetch: (input: RequestInfo | URL, init?: RequestInit) => app.fetch(new Request(input, init), env, context),
  });

  const reply = await client.api.programs[":programId"].$get({ param: { programId: "1" } });
  if (reply.status === 200) expectTypeOf((await reply.json()).data.name).toEqualTypeOf<string>();
  expect(reply.status).toBe(401);

  const query = { transactionId: "t", refundId: "r" };
  const explained = await client.api.tracking.explain[":programId"].$get({ param: { programId: "1" }, query });
  if (explained.status === 200) {
    const { verdict, events } = await explained.json();
    expectTypeOf(verdict.commissionCents).toEqualTypeOf<number | null>();
    expectTypeOf(events[0]?.type).toEqualTypeOf<"click" | "lead" | "sale" | "refund" | undefined>();
  }
  expect(explained.status).toBe(401);

  const session = await client.api.auth["get-session"].$get();
  if (session.status !== 200) throw new Error((await session.json()).error.message);
  const known = await session.json();
  expectTypeOf(known?.user.email).toEqualTypeOf<string | undefined>();
  expect(known).toBeNull();
});
