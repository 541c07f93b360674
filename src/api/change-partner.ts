import { ok, type Result, refused } from "#domain/result.ts";
import { home } from "#domain/shard.ts";
import type { Ctx } from "#http/context.ts";
import type { CreatePartnerCall } from "#operations/manage/create-partner.ts";
import type { UpdatePartnerCall } from "#operations/manage/update-partner.ts";
import { findPartner, findPartnerWithLinks, type PartnerView } from "#store/views/partners.ts";
import { detailsMail } from "./details-mail.ts";
import { callWithDirectory, type PlacedProgram } from "./directory.ts";
import { sendMails } from "./mail.ts";
import { readFromDatabase } from "./read-database.ts";

const noPartner = { code: "not_found", what: "partner" } as const;

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
    if (known.value.partner === undefined) return refused(noPartner);
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
  return found.value === undefined ? refused(noPartner) : ok(found.value);
}
