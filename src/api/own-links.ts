import { dayIn } from "#domain/calendar.ts";
import { linkMakers } from "#domain/link-maker.ts";
import { isOfferOver } from "#domain/offers.ts";
import { daysEnding } from "#domain/performance.ts";
import { activeStatuses } from "#domain/program-status.ts";
import { notFound, ok, type Result, refused } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import { instant, record, sum } from "#http/schema/record.ts";
import * as z from "#http/schema/zod.ts";
import { readOne } from "#store/database.ts";
import { offerOfPartner } from "#store/offers.ts";
import type { OwnPartner } from "#store/own-partner.ts";
import type { LinkRow } from "#store/partners.ts";
import { noFigures, readLinkFigures } from "#store/reports/link-figures.ts";
import { findPartnerWithLinks } from "#store/views/partners.ts";
import { linkOf } from "./partners.ts";
import { readFromDatabase } from "./read-database.ts";

export const ownLink = record("OwnLink", {
  code: z.string(),
  link: z.string().nullable().describe("Referral link of the code. Null if the program has no website yet."),
  status: z.enum(activeStatuses).describe("Clicks on a `paused` code aren't recorded."),
  madeBy: z.enum(linkMakers).describe("`partner`: created by you."),
  createdAt: instant(),
});

const ownLinkWithFigures = ownLink.extend("OwnLinkWithFigures", {
  clicks: sum(),
  leads: sum(),
  sales: sum("Number of sales, in any currency."),
  commissionCents: sum(
    "Commission earned minus commission reversed, by the day of the event, in the currency's smallest unit.",
  ),
});

/** Returns a partner's own links, oldest first. The first link was created together with the partner. */
export const ownLinks = (links: readonly LinkRow[], { websiteUrl }: { readonly websiteUrl: string | null }) =>
  links.toSorted((a, b) => a.id - b.id).map((link) => ({ ...link, link: linkOf({ ...link, websiteUrl }) }));

export const figureDays = 30;

export const OwnLinksReply = z.object({
  data: z.array(ownLinkWithFigures.schema),
  meta: z.object({
    websiteUrl: z.string().nullable().describe("Website of the program."),
    dateFrom: z.string(),
    dateTo: z.string(),
    currency: z.string(),
  }),
});

const OwnOffer = z.object({ label: z.string(), details: z.string().nullable() }).openapi("OwnOffer");

export const OwnLinksWithOfferReply = OwnLinksReply.extend({
  meta: OwnLinksReply.shape.meta.extend({
    offer: OwnOffer.nullable().describe("Offer for customers who come through your links."),
  }),
});

/** The period that the figures of links cover. */
export const linkDays = (timezone: string, at: number) => daysEnding(dayIn(timezone, at), figureDays);

/** Reads a partner's own links with their figures of the last 30 days. */
export async function readOwnLinks(
  c: Ctx,
  { programId, partnerId, currency, timezone }: Pick<OwnPartner, "programId" | "partnerId" | "currency" | "timezone">,
): Promise<Result<z.output<typeof OwnLinksReply>>> {
  const found = await readFromDatabase(c, "program", (database) =>
    findPartnerWithLinks(database, programId, partnerId),
  );
  if (!found.ok) return found;
  const { partner, links } = found.value;
  if (partner === undefined) return refused(notFound("partner"));
  const days = linkDays(timezone, c.get("call").at);
  const figures = await readFromDatabase(c, "program", (database) =>
    readLinkFigures(database, { programId, partnerId, currency, days }, links),
  );
  if (!figures.ok) return figures;
  const data = ownLinks(links, partner).map((link) =>
    ownLinkWithFigures.reply({ ...link, ...(figures.value.get(link.id) ?? noFigures) }),
  );
  return ok({ data, meta: { websiteUrl: partner.websiteUrl, dateFrom: days.from, dateTo: days.to, currency } });
}

/** Reads a partner's own links, and the offer for their customers. The offer is null if customers don't get it now. */
export async function readOwnLinksWithOffer(
  c: Ctx,
  partner: OwnPartner,
): Promise<Result<z.output<typeof OwnLinksWithOfferReply>>> {
  const { programId, partnerId, isActive } = partner;
  const { at } = c.get("call");
  const [read, found] = await Promise.all([
    readOwnLinks(c, partner),
    readFromDatabase(c, "program", (database) => readOne(database, offerOfPartner({ programId, partnerId, at }))),
  ]);
  if (!read.ok) return read;
  if (!found.ok) return found;
  const { value: terms } = found;
  const isGiven = terms !== undefined && isActive && !isOfferOver(terms, at);
  const offer = isGiven ? { label: terms.label, details: terms.details } : null;
  return ok({ data: read.value.data, meta: { ...read.value.meta, offer } });
}

/** Reads the partner's own link with this code. Without a code, reads the first link. */
export async function readOwnLink(
  c: Ctx,
  { programId, partnerId, code }: Pick<OwnPartner, "programId" | "partnerId"> & { readonly code: string | undefined },
): Promise<Result<z.output<typeof ownLink.schema>>> {
  const found = await readFromDatabase(c, "program", (database) =>
    findPartnerWithLinks(database, programId, partnerId),
  );
  if (!found.ok) return found;
  const { partner, links } = found.value;
  if (partner === undefined) return refused(notFound("partner"));
  const all = ownLinks(links, partner);
  const link = code === undefined ? all[0] : all.find((each) => each.code === code);
  return link === undefined ? refused({ code: "internal" }) : ok(ownLink.reply(link));
}
