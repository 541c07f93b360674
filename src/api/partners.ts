import { placeholderIn } from "#domain/caller-id.ts";
import { linkMakers } from "#domain/link-maker.ts";
import { codeForm, codeRule, hasSafeEnds, isPlaceholderCode, newCodeRule } from "#domain/partner-code.ts";
import { activeStatuses } from "#domain/program-status.ts";
import { notFound, ok, type Result, refused } from "#domain/result.ts";
import { home } from "#domain/shard.ts";
import type { Ctx } from "#http/context.ts";
import * as fields from "#http/schema/form-fields.ts";
import { id } from "#http/schema/integers.ts";
import { instant, record } from "#http/schema/record.ts";
import * as z from "#http/schema/zod.ts";
import type { CreatePartnerCall } from "#operations/manage/create-partner.ts";
import type { UpdatePartnerCall } from "#operations/manage/update-partner.ts";
import type { LinkRow } from "#store/partners.ts";
import { findPartner, findPartnerWithLinks, type PartnerView } from "#store/views/partners.ts";
import type { Naming } from "./caller.ts";
import { callWithDirectory, type PlacedProgram } from "./directory.ts";
import { sendMails } from "./mail.ts";
import { countingMailed, noDrafts } from "./mails-to-strangers.ts";
import { detailsMail } from "./payment-details.ts";
import { readFromDatabase } from "./read-database.ts";

const code = () =>
  z.string(codeRule).regex(codeForm, codeRule).openapi({ pattern: "^[A-Za-z0-9][A-Za-z0-9_-]{0,62}[A-Za-z0-9]$" });

const codeText = "Value of `aff` in the partner's link. Unique in the program, ignoring case.";

/**
 * Also accepts codes that begin or end with `_` or `-`, because a repeated call may find an existing partner with such
 * an older code. The operation refuses such codes for new partners.
 */
export const partnerCode = () => code().describe(`${codeText} A new code begins and ends with a letter or digit.`);

export const newPartnerCode = () =>
  code()
    .refine((text) => hasSafeEnds(text) && !isPlaceholderCode(text), newCodeRule)
    .describe(`${codeText} It begins and ends with a letter or digit, and isn't a placeholder such as \`null\`.`);

export const newPartner = (name: Naming) =>
  z.object({
    name: fields.nonBlank("name"),
    email: fields.optional(fields.email("email")),
    code: partnerCode(),
    externalId: fields
      .optional(fields.callerId(name("externalId")))
      .describe("Your own id for the partner. Repeating the call returns the partner that it created."),
    destinationUrl: fields
      .optionalText(fields.webUrl(name("destinationUrl")))
      .describe("Defaults to the program's website."),
  });

export const partnerChanges = (name: Naming) =>
  z.object({
    status: fields.omittable(fields.oneOf("status", activeStatuses)),
    name: fields.omittable(fields.nonBlank("name")),
    email: fields.emailOrEmpty("email").nullish().describe("Email address of the partner. Null or empty removes it."),
    externalId: fields.callerId(name("externalId")).nullish().describe("Null removes it."),
    destinationUrl: fields
      .webUrl(name("destinationUrl"))
      .transform((url) => url || null)
      .nullish()
      .describe("Null or empty: the link leads to the program's website."),
  });

interface Sent {
  readonly code?: string | null;
  readonly externalId?: string | null | undefined;
}

/** Returns the name of the field that contains an unreplaced placeholder, in the case that `name` produces. */
export const placeholderOf = (name: Naming, { code, externalId }: Sent): string | undefined =>
  isPlaceholderCode(code ?? "") ? "code" : placeholderIn({ [name("externalId")]: externalId });

export const partnerRecord = record("Partner", {
  id: id(),
  code: z.string().describe("The partner's code: the first one if there are several."),
  link: z
    .string()
    .nullable()
    .describe("Referral link of the partner. Null if neither the partner nor the program has a destination."),
  name: z.string(),
  email: z.string().nullable().optional().describe("Email address. Only owners and admins see it."),
  externalId: z.string().nullable().describe("Your own id for the partner, unique in the program."),
  destinationUrl: z.string().nullable(),
  status: z.enum(activeStatuses),
  groupId: id().nullable().describe("Group that the partner is in."),
  riskExempt: z.boolean().describe("True if risk signals only flag the partner's commissions and never hold them."),
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
  link: z
    .string()
    .nullable()
    .describe("Referral link of the code. Null if neither the partner nor the program has a destination."),
  status: z.enum(activeStatuses),
  madeBy: z.enum(linkMakers).describe("`owner`: a member of the program."),
  createdAt: instant(),
});

/** Returns a partner's links, oldest first. The first link has the partner's `code`. */
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
  const drafts = email === undefined ? ok(noDrafts) : await detailsMail(c, { ...update, email }, "email");
  if (!drafts.ok) return drafts;
  const [mail] = drafts.value.mails;
  const updated = await countingMailed(c, drafts.value, () =>
    callWithDirectory(c, program, { ...update, mail }, { adds }),
  );
  if (!updated.ok) return refused(updated.refusal);
  if (mail !== undefined) sendMails(c, "program");
  const found = await readFromDatabase(c, "program", (database) => findPartner(database, program.id, update.partnerId));
  if (!found.ok) return found;
  return found.value === undefined ? refused(notFound("partner")) : ok(found.value);
}
