import { cursorOf } from "../../../http/schema/cursor.ts";
import type { BalancePosition } from "../../../store/views/balances.ts";

export const cursorAfter = ({ currency, partnerId, payableCents }: BalancePosition): string =>
  Buffer.from(`${currency} ${partnerId} ${payableCents}`).toString("base64url");

function readCursor(text: string): BalancePosition | undefined {
  const decoded = Buffer.from(text, "base64url").toString();
  const [, currency, id, payableCents] = /^([A-Z]{3}) ([1-9]\d{0,15}) (-?\d{1,18})$/.exec(decoded) ?? [];
  if (currency === undefined || payableCents === undefined || !Number.isSafeInteger(Number(id))) return undefined;
  const position = { currency, partnerId: Number(id), payableCents };
  return cursorAfter(position) === text ? position : undefined;
}

export const balanceCursor = () => cursorOf("nextCursor", readCursor);
