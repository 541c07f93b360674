import type { MiddlewareHandler } from "hono";
import { createMiddleware } from "hono/factory";
import { type EmbedShow, showOf } from "#api/embed.ts";
import type { Embedded } from "#api/embed-overview.ts";
import { openEmbedToken } from "#api/embed-token.ts";
import { readFromShards } from "#api/read-database.ts";
import { isTokenEnded } from "#domain/embed.ts";
import { erasedPartnerDigest } from "#domain/erasure.ts";
import type { Shard } from "#domain/ids.ts";
import { notFound, ok, type Result, refused } from "#domain/result.ts";
import { hashSecretOf } from "#env.ts";
import type { AppEnv, Ctx } from "#http/context.ts";
import { bodyRefusals, commonRefusals } from "#http/endpoint.ts";
import { rememberShard, shardOfProgram } from "#http/places.ts";
import { announceUserLimit, countUser } from "#http/rate-limits.ts";
import { refuse } from "#http/refusal/refuse.ts";
import * as z from "#http/schema/zod.ts";
import { ownPartnerOf } from "#store/own-partner.ts";
import { readByToken } from "#store/views/embeds.ts";

interface Variables {
  embedded: Embedded;
  shard: Shard;
  show: EmbedShow;
}

export const embedRefusals = ["invalid_token", ...commonRefusals] as const;
export const embedWriteRefusals = [...embedRefusals, ...bodyRefusals] as const;

export const EmbedHeaders = z.object({
  "x-embed-id": z
    .string()
    .optional()
    .openapi({ description: "Id of the page that sends the call. A token of another program is refused with 401." }),
});

/**
 * Requires a token, and ignores cookies. If the endpoint belongs to a `part` of the page that the owner has hidden, the
 * reply is 404.
 */
export const embedded = (part?: keyof EmbedShow) => {
  const middleware: [MiddlewareHandler<AppEnv & { Variables: Variables }>] = [requireToken(part)];
  return { security: [{ embedToken: [] as string[] }], middleware };
};

const invalid = refused({ code: "invalid_token" } as const);

const requireToken = (part: keyof EmbedShow | undefined) =>
  createMiddleware<AppEnv & { Variables: Variables }>(async (c, next) => {
    announceUserLimit(c, "embed");
    const found = await readEmbedded(c);
    if (!found.ok) return refuse(c, found.refusal);
    const { shard, show, ...of } = found.value;
    if (part !== undefined && !show[part]) return refuse(c, notFound("page"));
    c.set("embedded", of);
    c.set("shard", shard);
    c.set("show", show);
    return next();
  });

type Found = Embedded & { readonly shard: Shard; readonly show: EmbedShow };

async function readEmbedded(c: Ctx): Promise<Result<Found>> {
  const text = /^Bearer +(\S+)$/i.exec(c.req.header("Authorization") ?? "")?.[1];
  const opened = text === undefined ? undefined : await openEmbedToken(c, text);
  if (opened === undefined) return invalid;
  const { programId, token } = opened;
  const { externalId, keyId } = token;
  // Counts the call before the database is read, so that a call over the limit costs little.
  const overLimit = await countUser(c, `embed ${programId} ${externalId}`, "embed");
  if (overLimit !== undefined) return refused(overLimit);
  const erasedDigest = erasedPartnerDigest({ programId, hashSecret: hashSecretOf(c.env) }, externalId);
  const asked = { programId, guess: shardOfProgram(c.env, programId), keyId, externalId, erasedDigest };
  const read = await readFromShards(c, (databaseOf) => readByToken(databaseOf, asked));
  if (!read.ok) return read;
  const { there, shard } = read.value;
  rememberShard(programId, shard);
  c.get("log").programId = programId;
  c.get("log").shard = shard;
  const { program, embed, key, partner: row, erased } = there;
  if (program === undefined || (row === undefined && erased !== undefined)) return invalid;
  const { archivedAt } = program;
  const tokensEndedAt = embed?.tokensEndedAt ?? null;
  if (isTokenEnded(token, { key, archivedAt, tokensEndedAt }, c.get("call").at)) return invalid;
  const pageId = c.req.header("X-Embed-Id");
  if (pageId !== undefined && pageId !== embed?.embedId) return invalid;
  const partner = ownPartnerOf({ program, partner: row });
  return ok({ program, partner, token, shard, show: showOf(embed) });
}
