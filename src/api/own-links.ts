import { linkMakers } from "#domain/link-maker.ts";
import { activeStatuses } from "#domain/program-status.ts";
import { instant, record, sum } from "#http/schema/record.ts";
import * as z from "#http/schema/zod.ts";
import type { LinkRow } from "#store/partners.ts";
import { linkOf } from "./partners.ts";

export const ownLink = record("OwnLink", {
  code: z.string(),
  link: z.string().nullable().describe("Referral link of the code. Null if the program has no website yet."),
  status: z.enum(activeStatuses).describe("Clicks on a `paused` code aren't recorded."),
  madeBy: z.enum(linkMakers).describe("`partner`: created by you."),
  createdAt: instant(),
});

export const ownLinkWithFigures = ownLink.extend("OwnLinkWithFigures", {
  clicks: sum(),
  leads: sum(),
  sales: sum("Number of sales, in any currency."),
  commissionCents: sum(
    "Commission earned minus commission reversed, by the day of the event, in the currency's smallest unit.",
  ),
});

/** Returns a partner's own links, oldest first. */
export const ownLinks = (links: readonly LinkRow[], { websiteUrl }: { readonly websiteUrl: string | null }) =>
  links.toSorted((a, b) => a.id - b.id).map((link) => ({ ...link, link: linkOf({ ...link, websiteUrl }) }));
