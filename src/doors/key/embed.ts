import { sealEmbedToken } from "#api/embed-token.ts";
import { partnerCode, placeholderOf } from "#api/partners.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { type EmbedToken, tokenMs } from "#domain/embed.ts";
import { erasedPartnerDigest } from "#domain/erasure.ts";
import { hasSafeEnds, newCodeRule } from "#domain/partner-code.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import { snakeCase } from "#domain/snake-case.ts";
import { hashSecretOf } from "#env.ts";
import type { Ctx } from "#http/context.ts";
import { body, created, createRoute, endpoint, refuse, withJsonBody } from "#http/endpoint.ts";
import { withWarnings } from "#http/key-rotation.ts";
import { warnings } from "#http/reply.ts";
import * as fields from "#http/schema/form-fields.ts";
import { id, int32 } from "#http/schema/integers.ts";
import { timestamp } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import type { PresentedKey } from "#operations/operation.ts";
import { readForToken } from "#store/views/embeds.ts";
import { changeRefusals, readBy } from "./by-key.ts";
import { programKeyRequired } from "./guards.ts";

const NewToken = z
  .object({
    external_id: fields.callerId("external_id").describe("Id of the signed-in user in your product."),
    name: fields
      .optionalName("name")
      .describe(
        "Name of the new partner. This and the fields below are used only when the user becomes a partner. If absent or blank, it is the `external_id`.",
      ),
    email: fields.optionalEmail("email").describe("Email address of the new partner. None if absent or blank."),
    group: fields
      .optional(fields.nonBlank("group", 60))
      .describe("Name of the group that the new partner is added to."),
    code: fields
      .optional(partnerCode().refine(hasSafeEnds, newCodeRule))
      .describe("Code of the new partner. Random by default."),
  })
  .openapi("NewEmbedToken");

const Token = z
  .object({
    token: z.string().describe("Pass it to the referral page. It gives access only to this user's referral data."),
    expires_at: z.iso.datetime(),
    expires_in: int32().describe("Seconds until the token expires."),
    partner_id: id().nullable().describe("The partner with this `external_id`. Null if the user isn't a partner yet."),
  })
  .openapi("EmbedToken");

export const createEmbedToken = endpoint({
  route: createRoute({
    method: "post",
    path: "/me/embed/tokens",
    operationId: "createEmbedToken",
    tags: ["Program"],
    summary: "Create a token for the embedded referral page",
    description:
      "Your backend requests a token for the signed-in user of your product, and your page passes it to the referral page. " +
      "The call stores nothing: the user becomes a partner when they create their first link. Partners are found by `external_id` only, never by email address.",
    ...withJsonBody(programKeyRequired("embedToken", "manage")),
    request: { body: body(NewToken) },
    responses: {
      ...created("Token created", z.object({ data: Token, ...warnings })),
      ...changeRefusals("placeholder_id", "unknown_group", "partner_erased"),
    },
  }),
  handler: async (c) => {
    const sent = c.req.valid("json");
    const placeholder = placeholderOf(snakeCase, { code: sent.code, externalId: sent.external_id });
    const key = c.get("key");
    const issued = await readBy(c, async () =>
      placeholder === undefined ? issue(c, key, sent) : refused({ code: "placeholder_id", field: placeholder }),
    );
    if (!issued.ok) return refuse(c, issued.refusal);
    const { token, partnerId } = issued.value;
    const data = {
      token: await sealEmbedToken(c, key.programId, token),
      expires_at: timestamp(token.issuedAt + tokenMs),
      expires_in: tokenMs / 1000,
      partner_id: partnerId,
    };
    return c.json(withWarnings(c, { data }), 201);
  },
});

interface Issued {
  readonly token: EmbedToken;
  readonly partnerId: number | null;
}

async function issue(
  c: Ctx,
  { programId, hash }: PresentedKey,
  { external_id: externalId, name, email, group: groupName, code }: z.output<typeof NewToken>,
): Promise<Result<Issued>> {
  const secrets = { programId, hashSecret: hashSecretOf(c.env) };
  const erasedDigest = erasedPartnerDigest(secrets, externalId);
  const read = await readFromDatabase(c, "program", (database) =>
    readForToken(database, { programId, keyHash: hash, externalId, erasedDigest, groupName }),
  );
  if (!read.ok) return read;
  const { key, partner, erased, groups } = read.value;
  // The key was checked just now, but a replica of the database may not have it yet.
  if (key === undefined) return refused({ code: "invalid_key" });
  if (partner === undefined && erased !== undefined) return refused({ code: "partner_erased" });
  const [group] = groups;
  if (groupName !== null && group === undefined) return refused({ code: "unknown_group" });
  const groupId = group?.id ?? null;
  const token = { externalId, name, email, groupId, code, keyId: key.id, issuedAt: c.get("call").at };
  return ok({ token, partnerId: partner?.id ?? null });
}
