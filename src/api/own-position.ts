import { type DataContext, decryptData, encryptData, ivBytes } from "#domain/encrypted-data.ts";
import { dataKeysOf } from "#env.ts";
import type { Ctx } from "#http/context.ts";
import { readId } from "#http/schema/id.ts";

// A position in a partner's list is an id. It is encrypted, because ids are numbered across all programs, and partners
// must not see such numbers.

const contextOf = (list: string): DataContext => ({ purpose: "list-position", rowId: list });

/** `list` names the list and its partner. */
export const sealPosition = (c: Ctx, list: string, id: number): Promise<string> =>
  encryptData(dataKeysOf(c.env), contextOf(list), String(id), crypto.getRandomValues(new Uint8Array(ivBytes)));

/** Undefined if the text isn't a position in this list. */
export const openPosition = async (c: Ctx, list: string, sealed: string): Promise<number | undefined> =>
  readId(await decryptData(dataKeysOf(c.env), contextOf(list), sealed));
