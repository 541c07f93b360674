import * as z from "../../../http/schema/zod.ts";
import {
  type CommissionOrder,
  type CommissionPosition,
  type CommissionSort,
  commissionOrders,
  commissionSorts,
} from "../../../store/views/commission-list.ts";

export const cursorMessage = "cursor must be a nextCursor from a previous page";

/** The last commission of a page, and the order of the list that it belongs to. */
export interface CommissionCursor extends CommissionPosition {
  readonly sort: CommissionSort;
  readonly order: CommissionOrder;
}

export const cursorText = ({ sort, order, currency, value, id }: CommissionCursor): string =>
  Buffer.from(`${sort} ${order} ${currency} ${value} ${id}`).toString("base64url");

function readCursor(text: string): CommissionCursor | undefined {
  const [, sorted, ordered, currency = "", value = "", id = ""] =
    /^(\w+) (\w+) ([A-Z]{3})? (0|[1-9]\d{0,15}) ([1-9]\d{0,15})$/.exec(Buffer.from(text, "base64url").toString()) ?? [];
  const sort = commissionSorts.find((known) => known === sorted);
  const order = commissionOrders.find((known) => known === ordered);
  if (sort === undefined || order === undefined || !Number.isSafeInteger(Number(id))) return undefined;
  const cursor = { sort, order, currency, value: Number(value), id: Number(id) };
  return cursorText(cursor) === text ? cursor : undefined;
}

export const commissionCursor = () =>
  z
    .string(cursorMessage)
    .transform((text, { addIssue }) => {
      const cursor = readCursor(text);
      if (cursor === undefined) addIssue(cursorMessage);
      return cursor;
    })
    .optional()
    .openapi({
      type: "string",
      description: "The `nextCursor` of the previous page, with the same `sort` and `order`.",
    });
