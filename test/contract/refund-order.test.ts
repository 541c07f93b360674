import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../harness/client.ts";
import { soldOnce } from "../support/sales-fixture.ts";

describe("the order of checks of a refund", () => {
  it("1. a refund with a known refund_id is skipped and returns the first call's amounts, even if nothing of the sale remains", async () => {
    const { shop, sale, giveBack } = await soldOnce();
    const first = await giveBack({ refund_amount_cents: 400, refund_id: "r1" });
    const whole = await giveBack({ refund_id: "r2" });
    for (const [request, figures] of [
      [{ refund_amount_cents: 400, refund_id: "r1" }, first],
      [{ refund_id: "r2" }, whole],
    ] as const) {
      const skipped = { status: "skipped", reason: "duplicate refund_id", message: expect.any(String) };
      expect(await giveBack(request)).toEqual({ ...figures, ...skipped });
    }
    expect(await shop.entries(sale.commission_id)).toHaveLength(3);
  });

  it("1. a known refund_id with a different amount returns 409 with the field that differs, even if nothing of the sale remains", async () => {
    const { shop, giveBack } = await soldOnce();
    await giveBack({ refund_amount_cents: 400, refund_id: "r1" });
    const conflicts: [JsonObject, string][] = [
      [{ refund_amount_cents: 401 }, "refund_amount_cents"],
      [{ refund_amount_cents: 5_000 }, "refund_amount_cents"],
      [{ refunded_total_cents: 400 }, "refunded_total_cents"],
      [{ refunded_total_cents: 401 }, "refunded_total_cents"],
      [{}, "refund_amount_cents"],
    ];
    const expectConflicts = async () => {
      for (const [request, field] of conflicts) {
        expect(await shop.giveBack("t", { ...request, refund_id: "r1" })).toMatchObject({
          status: 409,
          body: { error: { name: "ConflictError", details: { differences: [field] } } },
        });
      }
    };
    await expectConflicts();
    await giveBack();
    await expectConflicts();
  });

  it("2. a refund with any amount is skipped if nothing of the sale remains", async () => {
    const { sale, giveBack } = await soldOnce();
    await giveBack();
    for (const request of [{}, { refund_amount_cents: 5_000 }, { refunded_total_cents: 5_000 }, { refund_id: "new" }]) {
      expect(await giveBack(request)).toMatchObject({
        ...{ sale_id: sale.sale_id, commission_id: sale.commission_id },
        status: "skipped",
        reason: "already reversed",
        refunded_cents: 0,
        refunded_total_cents: 1_000,
        commission_reversed_cents: 0,
        commission_amount_cents: 0,
      });
    }
  });

  it.each([false, true])(
    "3. a refund above the remaining amount returns 400 with the remaining amount (organic sale: %s)",
    async (isOrganic) => {
      const { shop, giveBack } = await soldOnce({ isOrganic });
      await giveBack({ refund_amount_cents: 400 });
      const refused = await shop.giveBack("t", { refund_amount_cents: 601 });
      expect(refused).toMatchObject({ status: 400, body: { error: { name: "BadRequestError" } } });
      expect(refused.body.error.message).toBe("refund_amount_cents exceeds the amount left to refund");
      expect(refused.body.error.details).toEqual({ refundable_cents: 600 });
      expect(await giveBack({ refund_amount_cents: 600 })).toMatchObject({ refunded_total_cents: 1_000 });
    },
  );

  it.each([
    ["without a partner", { isOrganic: true }],
    ["without a policy", { policies: [] }],
  ])("4. a refund of a sale with a void commission is recorded, and reverses nothing: %s", async (_what, how) => {
    const { shop, sale, giveBack } = await soldOnce(how);
    const none = { status: "no_commission", message: "Sale has no commission to reverse" };
    const figures = { commission_reversed_cents: 0, commission_amount_cents: 0, commission_id: sale.commission_id };
    const part = await giveBack({ refund_amount_cents: 400 });
    expect(part).toMatchObject({ ...none, ...figures, refunded_cents: 400, refunded_total_cents: 400 });
    expect(await giveBack()).toMatchObject({ ...none, ...figures, refunded_cents: 600, refunded_total_cents: 1_000 });
    expect(await shop.saleRow("t")).toMatchObject({ refunded_cents: 1_000 });
    expect(await shop.all("refunds")).toHaveLength(2);
    expect(await shop.commission(sale.commission_id)).toMatchObject({ status: "void" });
    expect(await giveBack()).toMatchObject({ status: "skipped", reason: "already reversed" });
  });

  it("5. the status of a refund is refunded while an amount of the sale remains, and reversed once nothing does", async () => {
    const { giveBack } = await soldOnce();
    expect((await giveBack({ refund_amount_cents: 999 })).status).toBe("refunded");
    expect((await giveBack({ refund_amount_cents: 1 })).status).toBe("reversed");
  });
});
