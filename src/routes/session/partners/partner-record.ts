import { activeStatuses } from "#domain/program-status.ts";
import { id } from "#http/schema/integers.ts";
import { instant, record } from "#http/schema/record.ts";
import * as z from "#http/schema/zod.ts";
import type { PartnerView } from "#store/views/partners.ts";

const codeRule = "code must be 2 to 64 letters (A-Z, a-z), digits, hyphens or underscores";

const codeForm = /^[A-Za-z0-9_-]{2,64}$/;

export const isPartnerCode = (text: string): boolean => codeForm.test(text);

export const partnerCode = () =>
  z
    .string(codeRule)
    .regex(codeForm, codeRule)
    .describe("Value of `aff` in the partner's link. Unique in the program, ignoring case.");

export const externalIdText = "Your own id of the partner. The same call again returns the partner that it created.";

export const partnerRecord = record("Partner", {
  id: id(),
  code: z.string().describe("The first, of several."),
  link: z
    .string()
    .nullable()
    .describe("Referral link of the partner. Null if neither the partner nor the program has a destination."),
  name: z.string(),
  email: z.string().nullable().optional().describe("Owners and admins only."),
  externalId: z.string().nullable().describe("Your own id of the partner, unique in the program."),
  destinationUrl: z.string().nullable(),
  status: z.enum(activeStatuses),
  groupId: id().nullable().describe("Group that the partner is in."),
  riskExempt: z.boolean().describe("Signals only flag the partner's commissions."),
  createdAt: instant(),
});

export const partnerReply = (partner: PartnerView, showsEmail: boolean) =>
  partnerRecord.reply({ ...partner, link: linkOf(partner), email: showsEmail ? partner.email : undefined });

export function linkOf({
  code,
  destinationUrl,
  websiteUrl,
}: Pick<PartnerView, "code" | "destinationUrl" | "websiteUrl">): string | null {
  const target = destinationUrl ?? websiteUrl;
  if (target === null) return null;
  const url = new URL(target);
  url.searchParams.set("aff", code);
  return url.href;
}
