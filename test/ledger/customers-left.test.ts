import { describe, expect, it } from "vitest";
import type { World, WorldSettings } from "../../harness/world.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { daysAgo } from "../support/program-fixture.ts";
import { anna, ben, openShop } from "./coupons-shop.ts";

const own = isolatedDatabase();

async function open(settings: WorldSettings = {}) {
  const shop = await openShop(own.server.url, settings);
  const { sale, click } = shop;
  const sellBy = (transactionId: string, days: number, shown: ReturnType<typeof click>) =>
    sale(transactionId, daysAgo(days), {
      ...{ clicks: [shown], clickId: shown.clickId, sentClickId: true },
      ...{ amountCents: 4_900 },
    });
  return { ...shop, sellBy };
}

describe("a customer with a lead and a click, once the sale with the click is corrected to another customer", () => {
  const leadOf = (world: World) =>
    world.rows("select evidence, partner_id, reason from leads where program_id = ?", world.programId);

  it("a customer whose sale with a click is corrected to another customer stays with the partner if a server's lead has the same click", async () => {
    const { world, sell, sellBy, lead, click, correct, books, consistent } = await open();
    const shown = click(ben, 9);
    await sellBy("t1", 8, shown);
    await lead("key", [shown], "c1", { occurredAt: daysAgo(5) });
    await correct("t1", { customerKey: "c2" }, [shown]);
    await sell("t2", 1);
    expect(await books()).toMatchObject({ t2: ["ben", "click", "pending", 980] });
    expect(await leadOf(world)).toMatchObject([{ evidence: "key", partner_id: world.partners[ben]?.id }]);
    await consistent();
  });

  it("a customer whose sale with a click is corrected to another customer is unattributed if a server's lead has no click", async () => {
    const { world, sell, sellBy, lead, click, correct, books, consistent } = await open();
    const shown = click(ben, 9);
    await sellBy("t1", 8, shown);
    await lead("key", [], "c1", { occurredAt: daysAgo(5) });
    await correct("t1", { customerKey: "c2" }, [shown]);
    await sell("t2", 1);
    expect(await books()).toMatchObject({ t2: [null, "no_click", "void", 0] });
    expect(await leadOf(world)).toMatchObject([{ partner_id: null, reason: "no_click" }]);
    await consistent();
  });

  it("a customer whose sale with a click is corrected to another customer is attributed to the partner whose click a server's lead has", async () => {
    const { world, sell, sellBy, lead, click, correct, books, consistent } = await open();
    const shown = click(ben, 9);
    await sellBy("t1", 8, shown);
    await lead("key", [click(anna, 7)], "c1", { occurredAt: daysAgo(5) });
    await correct("t1", { customerKey: "c2" }, [shown]);
    await sell("t2", 1);
    expect(await books()).toMatchObject({ t2: ["anna", "click", "pending", 980] });
    expect(await leadOf(world)).toMatchObject([{ evidence: "key", partner_id: world.partners[anna]?.id }]);
    await consistent();
  });

  it("a server's lead with a click attributes a customer whose only two sales, one with a click and one without, were corrected to other customers", async () => {
    const { world, sell, sellBy, lead, click, correct, books, consistent } = await open();
    const shown = click(ben, 9);
    await sellBy("tB", 8, shown);
    await sell("tA", 4);
    await lead("key", [click(anna, 8.5)], "c1", { occurredAt: daysAgo(5) });
    await correct("tB", { customerKey: "c2" }, [shown]);
    await correct("tA", { customerKey: "c3" });
    await sell("t2", 1);
    expect(await books()).toMatchObject({ t2: ["anna", "click", "pending", 980] });
    expect(await leadOf(world)).toMatchObject([{ evidence: "key", partner_id: world.partners[anna]?.id }]);
    await consistent();
  });

  it.each(["tB first", "tA first"])(
    "a customer isn't attributed by the click of a sale once this sale and a later one are corrected to other customers: %s",
    async (order) => {
      const { sell, sellBy, lead, click, correct, books, consistent } = await open();
      const shown = click(ben, 9);
      await sellBy("tB", 8, shown);
      await sell("tA", 4);
      await lead("key", [], "c1", { occurredAt: daysAgo(5) });
      const leave = [() => correct("tB", { customerKey: "c2" }, [shown]), () => correct("tA", { customerKey: "c3" })];
      for (const each of order === "tB first" ? leave : leave.toReversed()) await each();
      await sell("t2", 1);
      expect(await books()).toMatchObject({ t2: [null, "no_click", "void", 0] });
      await consistent();
    },
  );

  it("a customer stays unconfirmed if only their browser's lead still has the click once two sales are corrected to other customers", async () => {
    const { world, sell, sellBy, lead, click, correct, books, consistent } = await open();
    const shown = click(ben, 10);
    await lead("browser", [shown], "c1", { occurredAt: daysAgo(9) });
    await sellBy("tB", 8, shown);
    await sell("tA", 4);
    await correct("tB", { customerKey: "c2" }, [shown]);
    await correct("tA", { customerKey: "c3" });
    await sell("t2", 1);
    expect(await books()).toMatchObject({ t2: ["ben", "click", "pending", 980] });
    expect(
      await world.rows(
        "select is_unconfirmed from commissions where program_id = ? order by id desc limit 1",
        world.programId,
      ),
    ).toEqual([{ is_unconfirmed: 1 }]);
    await consistent();
  });

  it("a customer whose sale with a click is corrected to another customer is unattributed if the click of a server's lead has expired at the time of the lead", async () => {
    const { world, sell, sellBy, lead, click, correct, books, consistent } = await open({
      program: { attributionWindowDays: 9 },
    });
    const shown = click(ben, 9);
    await sellBy("t1", 8, shown);
    await lead("key", [click(anna, 16)], "c1", { occurredAt: daysAgo(5) });
    await correct("t1", { customerKey: "c2" }, [shown]);
    expect(await leadOf(world)).toMatchObject([{ partner_id: null, reason: "attribution_window_expired" }]);
    await consistent();
    await sell("t2", 1);
    expect(await books()).toMatchObject({ t2: [null, expect.anything(), "void", 0] });
    await consistent();
  });

  it.each([
    ["before", 5],
    ["after", 1],
  ])(
    "a customer whose lead came after the click's window has no partner for a later sale once the sale in the window moves to another customer: lead %s the later sale",
    async (_, days) => {
      const { sell, lead, click, correct, books, consistent } = await open({ program: { attributionWindowDays: 10 } });
      await sell("t1", 21);
      await lead("key", [click(ben, 30)], "c1", { occurredAt: daysAgo(days) });
      expect(await books()).toMatchObject({ t1: ["ben", "click", "approved", 980] });
      await correct("t1", { customerKey: "c2" });
      await sell("t2", 3);
      expect(await books()).toMatchObject({ t2: [null, "attribution_window_expired", "void", 0] });
      await consistent();
    },
  );

  it.each([
    ["anna", 8],
    ["ben", 9],
  ])(
    "a customer whose sale with a click is corrected to another customer is attributed again to the partner whose click a browser's lead had: %s",
    async (name, days) => {
      const { world, sell, sellBy, lead, click, correct, books, consistent } = await open();
      const shown = click(ben, 9);
      await lead("browser", [name === "ben" ? shown : click(anna, 10)], "c1", { occurredAt: daysAgo(days) });
      await sellBy("t1", 8, shown);
      await correct("t1", { customerKey: "c2" }, [shown]);
      expect(await sell("t2", 1)).toMatchObject({ commission: { unconfirmed: true } });
      expect(await books()).toMatchObject({ t2: [name, "click", "pending", 980] });
      expect(await leadOf(world)).toMatchObject([{ evidence: "browser", reason: null }]);
      await consistent();
    },
  );
});

describe("a sale whose coupon attributed a customer, once it is corrected to another customer", () => {
  const old = { amountCents: 4_900, couponCodes: ["ANNA5"] };

  it("a sale with a coupon that is corrected to another customer returns its former customer to the partner whose click had attributed them before", async () => {
    const { refer, sell, sale, correct, books, consistent } = await open();
    await refer(ben, 25, 24);
    await sale("t1", daysAgo(30), old);
    await correct("t1", { customerKey: "c2" });
    await sell("t2", 1);
    expect(await books()).toMatchObject({ t2: ["ben", "click", "pending", 980] });
    await consistent();
  });

  it("a sale with a coupon that is corrected to another customer leaves its former customer unattributed if they have no click", async () => {
    const { sell, sale, correct, books, consistent } = await open();
    await sale("t1", daysAgo(30), old);
    await correct("t1", { customerKey: "c2" });
    await sell("t2", 1);
    expect(await books()).toMatchObject({ t2: [null, "no_click", "void", 0] });
    await consistent();
  });

  it("a sale with a coupon that is corrected to another customer leaves its former customer with the partner if another of their sales is attributed to that partner", async () => {
    const { sell, sale, correct, books, consistent } = await open();
    await sale("t1", daysAgo(30), old);
    await sell("t2", 4);
    await correct("t1", { customerKey: "c2" });
    await sell("t3", 1);
    expect(await books()).toMatchObject({
      t2: ["anna", "coupon", "pending", 980],
      t3: ["anna", "coupon", "pending", 980],
    });
    await consistent();
  });
});
