import type { PartnerId, PayoutId, ProgramId } from "#domain/ids.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import { readVerifiedEmails } from "#store/accounts/names.ts";
import { readBatch } from "#store/database.ts";
import { countStrangersOfLines } from "#store/mails.ts";
import { programById } from "#store/programs.ts";
import { admitStrangers, refusalOfStrangers } from "./account-limits.ts";
import { mailsFrom } from "./mail.ts";
import { readFromDatabase } from "./read-database.ts";

// Anyone may have entered a partner's address, so mails to it may go to anyone. There is no proof that an address
// without a verified account is theirs.

interface Mailing {
  readonly programId: ProgramId;
  /** Undefined: a key. */
  readonly userId: string | undefined;
  /** The user is the partner's. */
  readonly isByPartner?: boolean;
  /** About changed details. */
  readonly isOfDetails?: boolean;
}

/** For how many mails to strangers there is room today. */
async function admitMailsToStrangers(
  c: Ctx,
  { programId, userId, isByPartner, isOfDetails }: Mailing,
  mails: number,
): Promise<Result<number>> {
  if (mails === 0) return ok(0);
  if (isByPartner) return admitStrangers(c, { workspaceId: undefined, userId, isOfDetails }, mails);
  const found = await readFromDatabase(c, "program", (database) =>
    readBatch(database, { program: programById({ id: programId }) }),
  );
  if (!found.ok) return found;
  const { program } = found.value;
  return program === undefined
    ? refused({ code: "not_found", what: "program" })
    : admitStrangers(c, { workspaceId: program.workspaceId, userId, isOfDetails }, mails);
}

/** Distinct addresses that may be mailed: all with a verified account, and of the others as many as the limits allow. */
export async function admitAddresses(
  c: Ctx,
  by: Mailing,
  addresses: readonly string[],
): Promise<Result<ReadonlySet<string>>> {
  const verified = await readFromDatabase(c, "home", (database) => readVerifiedEmails(database, addresses));
  if (!verified.ok) return verified;
  const isKnown = (address: string) => verified.value.has(address.toLowerCase());
  const strangers = addresses.filter((address) => !isKnown(address));
  const room = await admitMailsToStrangers(c, by, strangers.length);
  return room.ok ? ok(new Set([...addresses.filter(isKnown), ...strangers.slice(0, room.value)])) : room;
}

/** One mail. Refused if there is no room for it. */
export async function admitAddress(c: Ctx, by: Mailing, to: string): Promise<Result<undefined>> {
  const admitted = await admitAddresses(c, by, [to]);
  if (!admitted.ok) return admitted;
  return admitted.value.has(to) ? ok(undefined) : refused(refusalOfStrangers(c));
}

/** What a call about lines of a payout needs to write their mails. `partnerId`: about this one's alone. Null: all. */
export async function mailsOfLines(
  c: Ctx,
  by: Mailing,
  lines: { readonly payoutId: PayoutId; readonly partnerId: PartnerId | null },
): Promise<Result<{ readonly mailsFrom: string | undefined; readonly strangers: number }>> {
  const origin = mailsFrom(c);
  if (origin === undefined) return ok({ mailsFrom: undefined, strangers: 0 });
  const found = await readFromDatabase(c, "program", (database) => countStrangersOfLines(database, lines));
  if (!found.ok) return found;
  const room = await admitMailsToStrangers(c, by, found.value);
  return room.ok ? ok({ mailsFrom: origin, strangers: room.value }) : room;
}
