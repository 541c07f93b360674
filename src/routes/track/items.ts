import { maxItems, maxQuantity, type SaleItem } from "#domain/items.ts";
import { maxAmountCents } from "#domain/money.ts";
import * as fields from "#http/schema/fields.ts";
import { wide } from "#http/schema/integers.ts";
import * as z from "#http/schema/zod.ts";

const amountRule = `items.amount_cents must be an integer from 0 to ${maxAmountCents}`;
const quantityRule = `items.quantity must be an integer from 1 to ${maxQuantity}`;
const countRule = `items must be an array of 1 to ${maxItems} objects`;

const Item = z
  .object(
    {
      item_id: fields
        .optional(fields.callerId("items.item_id"))
        .describe("Your id for the item in the sale. Defaults to its position, from 1."),
      product_id: fields.callerId("items.product_id"),
      amount_cents: z
        .int(amountRule)
        .min(0, amountRule)
        .max(maxAmountCents, amountRule)
        .openapi({ format: wide.format })
        .describe("Amount for all units together, in the currency's smallest unit."),
      quantity: fields
        .optional(z.int(quantityRule).min(1, quantityRule).max(maxQuantity, quantityRule))
        .describe("Defaults to 1."),
    },
    countRule,
  )
  .openapi("SaleItem");

const areDistinct = (sent: readonly SaleItem[]): boolean =>
  new Set(sent.map(({ itemId }) => itemId)).size === sent.length;

export const items = z
  .array(Item, countRule)
  .min(1, countRule)
  .max(maxItems, countRule)
  .transform((sent) => sent.map(itemOf))
  .refine(areDistinct, "items must each have a different item_id");

const itemOf = ({ item_id, product_id, amount_cents, quantity }: z.output<typeof Item>, index: number): SaleItem => ({
  itemId: item_id ?? String(index + 1),
  productId: product_id,
  amountCents: amount_cents,
  quantity: quantity ?? 1,
});

export const sumOfItems = (sent: readonly SaleItem[]): number =>
  sent.reduce((sum, { amountCents }) => sum + amountCents, 0);
