import type { PartnerId, ProgramId } from "#domain/ids.ts";
import { detailsChanged } from "#domain/mail/letters.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import { countMail } from "#doors/member/auth/limits.ts";
import type { Ctx } from "#http/context.ts";
import { originOf } from "#http/transport.ts";
import type { MailTo } from "#operations/mail/mail-writes.ts";
import { readBatch } from "#store/database.ts";
import { partnerOfProgram } from "#store/partners.ts";
import { programById } from "#store/programs.ts";
import { mailRow, sendsMail } from "./mail.ts";
import { admitAddress } from "./mails-to-strangers.ts";
import { readFromDatabase } from "./read-database.ts";

interface Changed {
  readonly programId: ProgramId;
  readonly partnerId: PartnerId;
  /** Who changes them. Null or undefined: a key. */
  readonly actorId?: string | null;
  /** Its new address, of a change of the address. */
  readonly email?: string | null;
}

/** To the address that the partner has before the change. Undefined without a hook, and for a partner without an address. Refused above the limit of mails. */
export async function detailsMail(
  c: Ctx,
  { programId, partnerId, actorId, email }: Changed,
  what: "email" | "payment",
): Promise<Result<MailTo | undefined>> {
  if (!sendsMail(c)) return ok(undefined);
  const found = await readFromDatabase(c, "program", (database) =>
    readBatch(database, {
      program: programById({ id: programId }),
      partner: partnerOfProgram({ programId, id: partnerId }),
    }),
  );
  if (!found.ok) return found;
  const { program, partner } = found.value;
  const to = partner?.email ?? null;
  if (to === null || to === email) return ok(undefined);
  const overLimit = await countMail(c, "details_changed", to);
  if (overLimit !== undefined) return refused(overLimit);
  const admitted = await admitAddress(c, { programId, userId: actorId ?? undefined }, to);
  if (!admitted.ok) return admitted;
  const letter = detailsChanged({ programName: program?.name ?? "", origin: originOf(c), what });
  const row = await mailRow(c, { template: "details_changed", programId, mail: { to, ...letter } });
  return ok(row && { to, row });
}
