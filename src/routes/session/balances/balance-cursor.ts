import * as z from "../../../http/schema/zod.ts";
import type { BalancePosition } from "../../../store/views/balances.ts";

const message = "cursor must be a nextCursor from a previous page";

export const cursorAfter = ({ currency, partnerId }: BalancePosition): string =>
  Buffer.from(`${currency} ${partnerId}`).toString("base64url");

function readCursor(text: string): BalancePosition | undefined {
  const [, currency, id] = /^([A-Z]{3}) ([1-9]\d{0,15})$/.exec(Buffer.from(text, "base64url").toString()) ?? [];
  if (currency === undefined || !Number.isSafeInteger(Number(id))) return undefined;
  const position = { currency, partnerId: Number(id) };
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
