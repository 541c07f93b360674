import { expectTypeOf, test } from "vitest";
import type { CommissionId, PartnerId, SaleId } from "#domain/ids.ts";
import type { IdOf } from "#store/fenced-row.ts";
import type { commissions } from "#store/schema/commissions.ts";

test("an id of one kind isn't assignable to another, and a plain number is assignable to any", () => {
  expectTypeOf<SaleId>().not.toExtend<CommissionId>();
  expectTypeOf<number>().toExtend<CommissionId>();
  expectTypeOf<IdOf<"sales">>().toEqualTypeOf<SaleId>();
  expectTypeOf<(typeof commissions.$inferSelect)["saleId"]>().toEqualTypeOf<SaleId>();
  expectTypeOf<(typeof commissions.$inferSelect)["partnerId"]>().toEqualTypeOf<PartnerId | null>();
});
