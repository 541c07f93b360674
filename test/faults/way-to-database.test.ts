import { describe, expect, it } from "vitest";
import { eventually, isolatedService } from "../support/isolated-service.ts";
import { expectUnavailable, worldOf } from "./away.ts";

const own = isolatedService();
const { click, sell, one, storedClicks, countedClicks, settled } = worldOf(own);

describe("calls during a failure of the connection to the database", () => {
  it.each([
    ["the response is cut off after the commit", { kind: "cut" }],
    ["the connection is refused", { kind: "refuse" }],
    ["the server responds 500", { kind: "answer", status: 500 }],
    ["the reply isn't JSON", { kind: "answer", status: 200, body: "<html>" }],
  ] as const)(
    "calls succeed and count once despite a single fault of the connection to the database: %s",
    async (_what, fault) => {
      own.proxy.inject(fault, { only: "writes", times: 1 });
      const sale = await sell("t");
      expect(sale.body).toMatchObject({ success: true, sale_id: expect.any(Number) });
      expect(await one("select count(*) as n from sales where program_id = ?")).toBe(1);
      expect((await sell("t")).body.error.details).toMatchObject({ sale_id: sale.body.sale_id, same_request: true });

      const before = await countedClicks();
      own.proxy.inject(fault, { only: "writes", times: 1 });
      const first = (await click({ event_id: "e" })).body.click_id;
      expect((await click({ event_id: "e" })).body.click_id).toBe(first);
      await settled();
      expect(await countedClicks()).toBe(before + 1);
    },
  );

  it("while the database doesn't respond, sales get 503 and clicks 200, and each sale (once sent again) and each click counts once", async () => {
    const resumed = Promise.withResolvers<void>();
    own.proxy.inject({ kind: "hold", until: resumed.promise });
    try {
      const [sale, taken] = await Promise.all([sell("t"), click()]);
      expectUnavailable(sale);
      expect(taken.status).toBe(200);
      expectUnavailable(await sell("t"));
    } finally {
      resumed.resolve();
    }
    const again = await eventually(
      () => sell("t"),
      ({ status }) => status !== 503,
    );
    // A call that was running when the server stopped may have been committed after it resumed.
    expect([200, 409]).toContain(again.status);
    await settled();
    expect(await one("select count(*) as n from sales where program_id = ?")).toBe(1);
    expect(await one("select count(*) as n from commissions where program_id = ?")).toBe(1);
    expect(await countedClicks()).toBe(await storedClicks());
  });
});
