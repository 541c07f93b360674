import { type EmbedToken, tokenMs } from "#domain/embed.ts";
import type { ProgramId } from "#domain/ids.ts";
import type { Ctx } from "#http/context.ts";
import { openToken, sealToken } from "./sealed-token.ts";

const kind = { prefix: "svct", purpose: "embed-token", validMs: tokenMs } as const;

export const sealEmbedToken = (c: Ctx, programId: ProgramId, token: EmbedToken): Promise<string> =>
  sealToken(c, kind, programId, token);

/** Undefined if the service didn't issue the token, or the token has expired. */
export const openEmbedToken = (c: Ctx, text: string) => openToken<EmbedToken>(c, kind, text);
