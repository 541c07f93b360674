import { activeStatuses } from "../../../domain/program-status.ts";
import { timestamp } from "../../../http/schema/timestamp.ts";
import * as z from "../../../http/schema/zod.ts";
import type { PartnerView } from "../../../store/views/partners.ts";

export const PartnerReply = z
  .object({
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
    createdAt: z.iso.datetime(),
  })
  .openapi("Partner");

export function partnerReply(partner: PartnerView, showsEmail: boolean): z.output<typeof PartnerReply> {
  const { id, code, name, destinationUrl, status } = partner;
  const target = destinationUrl ?? partner.websiteUrl;
  const link = target === null ? null : linkTo(target, code);
  const email = showsEmail ? { email: partner.email } : {};
  return { id, code, link, name, ...email, destinationUrl, status, createdAt: timestamp(partner.createdAt) };
}

function linkTo(target: string, code: string): string {
  const url = new URL(target);
  url.searchParams.set("aff", code);
  return url.href;
}
