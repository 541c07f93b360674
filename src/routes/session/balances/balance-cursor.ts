import * as z from "../../../http/schema/zod.ts";
import type { BalancePosition } from "../../../store/views/balances.ts";

const message = "cursor must be a nextCursor from a previous page";

export const cursorAfter = ({ currency, partnerId, netCents }: BalancePosition): string =>
  Buffer.from(`${currency} ${partnerId} ${netCents}`).toString("base64url");

function readCursor(text: string): BalancePosition | undefined {
  const decoded = Buffer.from(text, "base64url").toString();
  const [, currency, id, netCents] = /^([A-Z]{3}) ([1-9]\d{0,15}) (-?\d{1,18})$/.exec(decoded) ?? [];
  if (currency === undefined || netCents === undefined || !Number.isSafeInteger(Number(id))) return undefined;
  const position = { currency, partnerId: Number(id), netCents };
  return cursorAfter(position) === text ? position : undefined;
}

export const balanceCursor = () =>
  z
    .string(message)
    .transform((text, { addIssue }) => {
      const position = readCursor(text);
      if (position === undefined) addIssue(message);
      return position;
    })
    .optional()
    .openapi({ type: "string", description: "The `nextCursor` of the previous page." });
