import { cursorOf } from "../../../http/schema/cursor.ts";
import {
  type CommissionOrder,
  type CommissionPosition,
  type CommissionSort,
  commissionOrders,
  commissionSorts,
} from "../../../store/views/commission-list.ts";

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

export const commissionCursor = () => cursorOf("nextCursor", readCursor, " Send the same `sort` and `order` with it.");
