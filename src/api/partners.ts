import { linkMakers } from "#domain/link-maker.ts";
import { codeForm, codeRule, endRule, hasSafeEnds } from "#domain/partner-code.ts";
import { activeStatuses } from "#domain/program-status.ts";
import { notFound, ok, type Result, refused } from "#domain/result.ts";
import { home } from "#domain/shard.ts";
import type { Ctx } from "#http/context.ts";
import { id } from "#http/schema/integers.ts";
import { instant, record } from "#http/schema/record.ts";
import * as z from "#http/schema/zod.ts";
import type { CreatePartnerCall } from "#operations/manage/create-partner.ts";
import type { UpdatePartnerCall } from "#operations/manage/update-partner.ts";
import type { LinkRow } from "#store/partners.ts";
import { findPartner, findPartnerWithLinks, type PartnerView } from "#store/views/partners.ts";
import { callWithDirectory, type PlacedProgram } from "./directory.ts";
import { sendMails } from "./mail.ts";
import { detailsMail } from "./payment-details.ts";
import { readFromDatabase } from "./read-database.ts";

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

/** `shared_account`: another partner of the program is paid to the same account or email address. */
export const partnerFlags = z.array(z.enum(["shared_account"]));

export const flagsOf = (sharing: readonly unknown[]): z.output<typeof partnerFlags> =>
  sharing.length === 0 ? [] : ["shared_account"];

interface Created {
  readonly partner: PartnerView;
  /** False if an earlier call created the partner. */
  readonly isNew: boolean;
}

export async function createPartner(
  c: Ctx,
  program: PlacedProgram,
  create: CreatePartnerCall,
): Promise<Result<Created>> {
  const { code, destinationUrl } = create;
  const outcome = await callWithDirectory(c, program, create, {
    adds: { changes: {}, codes: [{ codeKey: code.toLowerCase(), destinationUrl, is: "new" }] },
  });
  if (!outcome.ok) return refused(outcome.refusal);
  const { partnerId, isNew } = outcome.answer;
  const found = await readFromDatabase(c, "program", (database) => findPartner(database, program.id, partnerId));
  if (!found.ok) return found;
  return found.value === undefined ? refused({ code: "internal" }) : ok({ partner: found.value, isNew });
}

export async function updatePartner(
  c: Ctx,
  program: PlacedProgram,
  update: UpdatePartnerCall,
): Promise<Result<PartnerView>> {
  const { destinationUrl } = update.changes;
  let adds: Parameters<typeof callWithDirectory>[3]["adds"];
  if (destinationUrl !== undefined && program.shard !== home) {
    const known = await readFromDatabase(c, "program", (database) =>
      findPartnerWithLinks(database, program.id, update.partnerId),
    );
    if (!known.ok) return known;
    if (known.value.partner === undefined) return refused(notFound("partner"));
    adds = { changes: {}, codes: known.value.links.map(({ codeKey }) => ({ codeKey, destinationUrl, is: "known" })) };
  }
  const { email } = update.changes;
  const mail = email === undefined ? ok(undefined) : await detailsMail(c, { ...update, email }, "email");
  if (!mail.ok) return mail;
  const updated = await callWithDirectory(c, program, { ...update, mail: mail.value }, { adds });
  if (!updated.ok) return refused(updated.refusal);
  if (mail.value !== undefined) sendMails(c, "program");
  const found = await readFromDatabase(c, "program", (database) => findPartner(database, program.id, update.partnerId));
  if (!found.ok) return found;
  return found.value === undefined ? refused(notFound("partner")) : ok(found.value);
}
