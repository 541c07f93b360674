import { linkMakers } from "#domain/link-maker.ts";
import { activeStatuses } from "#domain/program-status.ts";
import { instant, record } from "#http/schema/record.ts";
import * as z from "#http/schema/zod.ts";
import type { LinkRow } from "#store/partners.ts";
import type { PartnerView } from "#store/views/partners.ts";
import { linkOf } from "./partner-record.ts";

export const linkRecord = record("PartnerCode", {
  code: z.string(),
  link: z.string().nullable().describe("Null if neither the partner nor the program has a destination."),
  status: z.enum(activeStatuses),
  madeBy: z.enum(linkMakers).describe("`owner`: a member of the program."),
  createdAt: instant(),
});

/** Oldest first: the first is the partner's `code`. */
export const linkReplies = (links: readonly LinkRow[], { websiteUrl }: Pick<PartnerView, "websiteUrl">) =>
  links
    .toSorted((a, b) => a.id - b.id)
    .map((link) => linkRecord.reply({ ...link, link: linkOf({ ...link, websiteUrl }) }));
