import { createEmbeddedLink } from "#api/embedded-link.ts";
import { figureDays, linkDays, OwnLinksReply, ownLink, readOwnLinks } from "#api/own-links.ts";
import { newPartnerCode } from "#api/partners.ts";
import { programStatus } from "#domain/program-status.ts";
import { body, created, createRoute, endpoint, refusals, refuse, returns, withJsonBody } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { EmbedHeaders, embedded, embedRefusals, embedWriteRefusals } from "./guards.ts";

export const listLinks = endpoint({
  route: createRoute({
    method: "get",
    path: "/links",
    operationId: "listEmbedLinks",
    tags: ["Embed"],
    summary: "List your codes and their links",
    description: `Codes, oldest first, each with its figures of the last ${figureDays} days. Empty until the user creates a link.`,
    ...embedded(),
    request: { headers: EmbedHeaders },
    responses: { ...returns("Your codes", OwnLinksReply), ...refusals(embedRefusals) },
  }),
  handler: async (c) => {
    const { program, partner } = c.get("embedded");
    if (partner === undefined) {
      const { websiteUrl, currency, timezone } = program;
      const { from: dateFrom, to: dateTo } = linkDays(timezone, c.get("call").at);
      return c.json({ data: [], meta: { websiteUrl, dateFrom, dateTo, currency } }, 200);
    }
    const read = await readOwnLinks(c, partner);
    return read.ok ? c.json(read.value, 200) : refuse(c, read.refusal);
  },
});

const NewLink = z
  .object({
    code: fields
      .optional(newPartnerCode())
      .describe("Code to create. If omitted, the user gets their first code: the one in the token, or a random code."),
  })
  .openapi("NewEmbedLink");

const LinkReply = z.object({ data: ownLink.schema });

export const createLink = endpoint({
  route: createRoute({
    method: "post",
    path: "/links",
    operationId: "createEmbedLink",
    tags: ["Embed"],
    summary: "Create a link",
    description:
      "The first call makes the user a partner and creates their first code. Later calls without `code` return that code with " +
      "200. Later calls with `code` create another code, up to 5, with up to 20 attempts a day, including refused ones.",
    ...withJsonBody(embedded()),
    request: { headers: EmbedHeaders, body: body(NewLink) },
    responses: {
      ...created("Code created", LinkReply),
      ...returns("The code that the user already has", LinkReply),
      ...refusals([...embedWriteRefusals, "code_taken", "links_full", "inactive", "cap_reached"]),
    },
  }),
  handler: async (c) => {
    const of = c.get("embedded");
    if (programStatus(of.program) !== "active" || of.partner?.isActive === false)
      return refuse(c, { code: "inactive" });
    const { code: chosen } = c.req.valid("json");
    const made = await createEmbeddedLink(c, of, { chosen, shard: c.get("shard") });
    if (!made.ok) return refuse(c, made.refusal);
    const { link, isNew } = made.value;
    return c.json({ data: link }, isNew ? 201 : 200);
  },
});
