import { type DataContext, decryptData, encryptData, ivBytes } from "#domain/encrypted-data.ts";
import type { ProgramId } from "#domain/ids.ts";
import { readToken, type TokenPrefix, tokenText } from "#domain/token-text.ts";
import { dataKeysOf } from "#env.ts";
import type { Ctx } from "#http/context.ts";

interface Kind {
  readonly prefix: TokenPrefix;
  readonly purpose: DataContext["purpose"];
  readonly validMs: number;
}

interface Content {
  readonly issuedAt: number;
}

const contextOf = ({ purpose }: Kind, programId: ProgramId): DataContext => ({ purpose, rowId: String(programId) });

/** Tokens aren't stored. A token contains its own data, encrypted. */
export async function sealToken(c: Ctx, kind: Kind, programId: ProgramId, content: Content): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(ivBytes));
  const sealed = await encryptData(dataKeysOf(c.env), contextOf(kind, programId), JSON.stringify(content), iv);
  return tokenText(kind.prefix, programId, sealed);
}

interface OpenedToken<Token> {
  readonly programId: ProgramId;
  readonly token: Token;
}

/** Undefined if the service didn't issue the token, or the token has expired. */
export async function openToken<Token extends Content>(
  c: Ctx,
  kind: Kind,
  text: string,
): Promise<OpenedToken<Token> | undefined> {
  const known = readToken(kind.prefix, text);
  if (known === undefined) return undefined;
  const { programId, sealed } = known;
  const opened = await decryptData(dataKeysOf(c.env), contextOf(kind, programId), sealed);
  if (opened === undefined) return undefined;
  const token: Token = JSON.parse(opened);
  return c.get("call").at < token.issuedAt + kind.validMs ? { programId, token } : undefined;
}
