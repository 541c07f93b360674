import { expectTypeOf, test } from "vitest";
import type { CommissionId, PartnerId, SaleId } from "#domain/ids.ts";
import type { IdOf } from "#store/fenced-row.ts";
import type { commissions } from "#store/schema/commissions.ts";

test("an id of one kind can't be assigned to another kind, and a plain number can be assigned to any kind", () => {
  expectTypeOf<SaleId>().not.toExtend<CommissionId>();
  expectTypeOf<number>().toExtend<CommissionId>();
  expectTypeOf<IdOf<"sales">>().toEqualTypeOf<SaleId>();
  expectTypeOf<(typeof commissions.$inferSelect)["saleId"]>().toEqualTypeOf<SaleId>();
  expectTypeOf<(typeof commissions.$inferSelect)["partnerId"]>().toEqualTypeOf<PartnerId | null>();
});
