import { OpenAPIHono } from "@hono/zod-openapi";
import { createMiddleware } from "hono/factory";
import { readFromShards } from "#api/read-database.ts";
import { isWithin } from "#domain/attribution.ts";
import { erasedDigest } from "#domain/erasure.ts";
import { isOfferOver, type OfferTerms } from "#domain/offers.ts";
import { programStatus } from "#domain/program-status.ts";
import { ok, type Result } from "#domain/result.ts";
import { clickKeysOf, hashSecretOf } from "#env.ts";
import { createApp } from "#http/app.ts";
import { verifiedClick } from "#http/click-ids.ts";
import type { AppEnv, Ctx } from "#http/context.ts";
import { allowAnyOrigin } from "#http/headers.ts";
import { shardOfProgram } from "#http/places.ts";
import { announceLimit, countByAddress, countKeyless } from "#http/rate-limits.ts";
import * as z from "#http/schema/zod.ts";
import { commonRefusals, createRoute, endpoint, refusals, refuse, returns } from "#http/tracking-endpoint.ts";
import type { VerifiedClick } from "#operations/operation.ts";
import { readClickOffer } from "#store/views/click-offer.ts";

const noClick = "click_id is required";

const Query = z.object({ click_id: z.string(noClick).trim().min(1, noClick).describe("The visitor's click id.") });

const OfferShown = z
  .object({
    offer: z
      .object({ label: z.string(), details: z.string().nullable() })
      .nullable()
      .describe(
        "Null if there is no offer, if the click is unknown, a test click or older than the attribution window, or if its link, partner or program is paused.",
      ),
  })
  .openapi("OfferShown");

const counted = createMiddleware<AppEnv>(async (c, next) => {
  announceLimit(c, "offer");
  const overLimit = await countByAddress(c, "offer");
  return overLimit === undefined ? next() : refuse(c, overLimit);
});
const middleware: [typeof counted] = [counted];

const offer = endpoint({
  route: createRoute({
    method: "get",
    path: "/offer",
    operationId: "showOffer",
    tags: ["Tracking"],
    summary: "Show the offer of a click's partner",
    description:
      "Returns the text of the offer that a visitor gets because they came through a partner, to show on your site. Needs no key and stores nothing. The response doesn't depend on the customer, who may have bought before: call `GET /api/v1/programs/me/offer` at the checkout.",
    security: [],
    middleware,
    request: { query: Query },
    responses: { ...returns("The offer", OfferShown), ...refusals(["invalid_input", ...commonRefusals]) },
  }),
  handler: async (c) => {
    const click = verifiedClick(clickKeysOf(c.env), c.req.valid("query").click_id);
    const overLimit = await countKeyless(c, "programOffer", { programId: click?.programId ?? null, isTest: false });
    if (overLimit !== undefined) return refuse(c, overLimit);
    if (click === undefined || click.isTest) return c.json({ offer: null }, 200);
    const found = await findOffer(c, click);
    if (!found.ok) return refuse(c, found.refusal);
    const { value } = found;
    return c.json({ offer: value === undefined ? null : { label: value.label, details: value.details } }, 200);
  },
});

/** Reads only the database. A call to the Ledger would let visitors slow down the program's sales. */
async function findOffer(c: Ctx, click: VerifiedClick): Promise<Result<OfferTerms | undefined>> {
  const { programId, linkId, clickId } = click;
  const { at } = c.get("call");
  const digest = erasedDigest({ programId, hashSecret: hashSecretOf(c.env) }, clickId);
  const found = await readFromShards(c, (databaseOf) =>
    readClickOffer(databaseOf, { programId, linkId, digest, at }, shardOfProgram(c.env, programId)),
  );
  if (!found.ok) return found;
  const { program, link, erasure, offer } = found.value;
  const isOpen =
    program !== undefined &&
    programStatus(program) === "active" &&
    link?.isActive === true &&
    link.programId === programId &&
    erasure === undefined &&
    isWithin(click.at, program.attributionWindowDays, at);
  return ok(isOpen && offer !== undefined && !isOfferOver(offer, at) ? offer : undefined);
}

const family = new OpenAPIHono<AppEnv>();
family.use("/offer", allowAnyOrigin);
export const trackOffer = family.openapiRoutes([offer] as const);

export const offerApp = createApp();
offerApp.route("/api/v1/track", trackOffer);
