import { type DataContext, decryptData, encryptData, ivBytes } from "#domain/encrypted-data.ts";
import { ok, refused } from "#domain/result.ts";
import { dataKeysOf } from "#env.ts";
import type { Ctx } from "#http/context.ts";
import { invalidField } from "#http/refusal/responses.ts";
import { cursorMessage } from "#http/schema/cursor.ts";
import { readId } from "#http/schema/id.ts";
import * as z from "#http/schema/zod.ts";
import type { OwnPartner } from "#store/own-partner.ts";
import { saleDaysOf } from "./commissions.ts";
import { filterFields, type OwnFilter, readOwnCommissions } from "./own-commissions.ts";
import { day } from "./period.ts";

export const fromDay = (name: string) =>
  day(name).optional().describe("Lists only commissions for sales from this day on, in the program's time zone.");

export const toDay = (name: string) =>
  day(name).optional().describe("Lists only commissions for sales up to this day, inclusive.");

export const cursorField = (name = "nextCursor") =>
  z.string(cursorMessage).optional().describe(`The \`${name}\` of the previous page.`);

export const pageFields = () => ({
  ...filterFields(),
  from: fromDay("from"),
  to: toDay("to"),
  cursor: cursorField(),
});

interface Query extends Partial<Omit<OwnFilter, "days">> {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export const filterOf = ({ status, sub, from, to }: Query): OwnFilter => ({
  status,
  sub,
  days: saleDaysOf({ dateFrom: from, dateTo: to }),
});

/** Reads a page of a partner's own commissions, newest first. Refuses a cursor of another partner's list. */
export async function readOwnPage(
  c: Ctx,
  partner: Pick<OwnPartner, "programId" | "partnerId">,
  { cursor, ...query }: Query & { readonly cursor?: string | undefined },
  size: number,
) {
  const { partnerId } = partner;
  const before = cursor === undefined ? undefined : await openPosition(c, partnerId, cursor);
  if (cursor !== undefined && before === undefined) return refused(invalidField("cursor", cursorMessage));
  const read = await readOwnCommissions(c, partner, filterOf(query), { before, size });
  if (!read.ok) return read;
  const { page, next } = read.value;
  return ok({ page, nextCursor: next === undefined ? null : await sealPosition(c, partnerId, next) });
}

// A position in the list is an id. It is encrypted, because partners must not see ids that are counted over all
// programs.

const contextOf = (partnerId: number): DataContext => ({
  purpose: "list-position",
  rowId: `commissions ${partnerId}`,
});

const sealPosition = (c: Ctx, partnerId: number, id: number): Promise<string> =>
  encryptData(dataKeysOf(c.env), contextOf(partnerId), String(id), crypto.getRandomValues(new Uint8Array(ivBytes)));

/** Undefined if the text isn't a position in the partner's list. */
const openPosition = async (c: Ctx, partnerId: number, sealed: string): Promise<number | undefined> =>
  readId(await decryptData(dataKeysOf(c.env), contextOf(partnerId), sealed));
