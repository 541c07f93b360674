import { activeStatuses } from "#domain/program-status.ts";
import { instant, record } from "#http/schema/record.ts";
import * as z from "#http/schema/zod.ts";
import type { PartnerView } from "#store/views/partners.ts";

export const partnerRecord = record("Partner", {
  id: z.int(),
  code: z.string(),
  link: z
    .string()
    .nullable()
    .describe("Referral link of the partner. Null if neither the partner nor the program has a destination."),
  name: z.string(),
  email: z.string().nullable().optional().describe("Owners and admins only."),
  destinationUrl: z.string().nullable(),
  status: z.enum(activeStatuses),
  createdAt: instant(),
});

export const partnerReply = (partner: PartnerView, showsEmail: boolean) =>
  partnerRecord.reply({ ...partner, link: linkOf(partner), email: showsEmail ? partner.email : undefined });

export function linkOf({ code, destinationUrl, websiteUrl }: PartnerView): string | null {
  const target = destinationUrl ?? websiteUrl;
  if (target === null) return null;
  const url = new URL(target);
  url.searchParams.set("aff", code);
  return url.href;
}
