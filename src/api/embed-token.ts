import { type EmbedToken, embedTokenText, readEmbedToken, tokenMs } from "#domain/embed.ts";
import { type DataContext, decryptData, encryptData, ivBytes } from "#domain/encrypted-data.ts";
import type { ProgramId } from "#domain/ids.ts";
import { dataKeysOf } from "#env.ts";
import type { Ctx } from "#http/context.ts";

const contextOf = (programId: ProgramId): DataContext => ({ purpose: "embed-token", rowId: String(programId) });

/** Tokens aren't stored. A token contains its own data, encrypted. */
export async function sealEmbedToken(c: Ctx, programId: ProgramId, token: EmbedToken): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(ivBytes));
  const sealed = await encryptData(dataKeysOf(c.env), contextOf(programId), JSON.stringify(token), iv);
  return embedTokenText(programId, sealed);
}

export interface OpenedToken {
  readonly programId: ProgramId;
  readonly token: EmbedToken;
}

/** Undefined if the service didn't issue the token, or the token has expired. */
export async function openEmbedToken(c: Ctx, text: string): Promise<OpenedToken | undefined> {
  const known = readEmbedToken(text);
  if (known === undefined) return undefined;
  const { programId, sealed } = known;
  const opened = await decryptData(dataKeysOf(c.env), contextOf(programId), sealed);
  if (opened === undefined) return undefined;
  const token: EmbedToken = JSON.parse(opened);
  return c.get("call").at < token.issuedAt + tokenMs ? { programId, token } : undefined;
}
