import { type DataContext, decryptData, encryptData, ivBytes } from "#domain/encrypted-data.ts";
import { dataKeysOf } from "#env.ts";
import type { Ctx } from "#http/context.ts";
import { readId } from "#http/schema/id.ts";

// Encrypts a position in a list, because its ids must be hidden from partners: they are counted over all programs.

export interface ListOfPartner {
  readonly list: "commissions";
  readonly partnerId: number;
}

const contextOf = ({ list, partnerId }: ListOfPartner): DataContext => ({
  purpose: "list-position",
  rowId: `${list} ${partnerId}`,
});

export const sealPosition = (c: Ctx, of: ListOfPartner, id: number): Promise<string> =>
  encryptData(dataKeysOf(c.env), contextOf(of), String(id), crypto.getRandomValues(new Uint8Array(ivBytes)));

/** Undefined if the text isn't a position in this list. */
export async function openPosition(c: Ctx, of: ListOfPartner, sealed: string): Promise<number | undefined> {
  return readId(await decryptData(dataKeysOf(c.env), contextOf(of), sealed));
}
