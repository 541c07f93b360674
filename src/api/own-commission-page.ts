import { ok, refused } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import { invalidField } from "#http/refusal/responses.ts";
import { cursorMessage } from "#http/schema/cursor.ts";
import * as z from "#http/schema/zod.ts";
import type { OwnPartner } from "#store/own-partner.ts";
import { saleDaysOf } from "./commissions.ts";
import { filterFields, type OwnFilter, readOwnCommissions } from "./own-commissions.ts";
import { openPosition, sealPosition } from "./own-position.ts";
import { day } from "./period.ts";

export const fromDay = (name: string) =>
  day(name).optional().describe("Only for sales from this day on, in the program's time zone.");

export const toDay = (name: string) => day(name).optional().describe("Only for sales up to this day, inclusive.");

export const cursorField = (name = "nextCursor") =>
  z.string(cursorMessage).optional().describe(`The \`${name}\` of the previous page.`);

export const pageFields = () => ({
  ...filterFields(),
  from: fromDay("from"),
  to: toDay("to"),
  cursor: cursorField(),
});

interface Query extends Partial<Omit<OwnFilter, "days" | "isInPayout">> {
  readonly inPayout?: "true" | "false" | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export const filterOf = ({ status, sub, currency, inPayout, from, to }: Query): OwnFilter => ({
  status,
  sub,
  currency,
  isInPayout: inPayout === undefined ? undefined : inPayout === "true",
  days: saleDaysOf({ dateFrom: from, dateTo: to }),
});

/** Reads a page of a partner's own commissions, newest first. Refuses a cursor of another partner's list. */
export async function readOwnPage(
  c: Ctx,
  partner: Pick<OwnPartner, "programId" | "partnerId">,
  { cursor, ...query }: Query & { readonly cursor?: string | undefined },
  size: number,
) {
  const list = `commissions ${partner.partnerId}`;
  const before = cursor === undefined ? undefined : await openPosition(c, list, cursor);
  if (cursor !== undefined && before === undefined) return refused(invalidField("cursor", cursorMessage));
  const read = await readOwnCommissions(c, partner, filterOf(query), { before, size });
  if (!read.ok) return read;
  const { page, next } = read.value;
  return ok({ page, nextCursor: next === undefined ? null : await sealPosition(c, list, next) });
}
