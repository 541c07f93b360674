import { codeForm, codeRule, endRule, hasSafeEnds } from "#domain/partner-code.ts";
import { activeStatuses } from "#domain/program-status.ts";
import { id } from "#http/schema/integers.ts";
import { instant, record } from "#http/schema/record.ts";
import * as z from "#http/schema/zod.ts";
import type { PartnerView } from "#store/views/partners.ts";

const code = () =>
  z.string(codeRule).regex(codeForm, codeRule).openapi({ pattern: "^[A-Za-z0-9][A-Za-z0-9_-]{0,62}[A-Za-z0-9]$" });

const codeText = "Value of `aff` in the partner's link. Unique in the program, ignoring case.";

/** Of a call that may find a partner whose code is older than the rule on ends: the operation keeps new ones to it. */
export const partnerCode = () => code().describe(`${codeText} A new one begins and ends with a letter or digit.`);

export const newPartnerCode = () =>
  code().refine(hasSafeEnds, endRule).describe(`${codeText} It begins and ends with a letter or digit.`);

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
