import type { PartnerId, ProgramId } from "#domain/ids.ts";
import type { MailTemplate } from "#domain/mail/mail.ts";
import { notFound, ok, type Result, refused } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import type { MailTo } from "#operations/mail/mail-writes.ts";
import {
  filterVerified,
  firstWithEmail,
  hasVerifiedOwner,
  readEmails,
  readVerifiedEmails,
} from "#store/accounts/names.ts";
import { findAccount } from "#store/accounts/users.ts";
import { type Database, readOne } from "#store/database.ts";
import {
  type FoundRecipient,
  type LineRecipient,
  type LinesToMail,
  readLineRecipients,
  readMailedPartners,
} from "#store/line-mails.ts";
import { programById } from "#store/programs.ts";
import { countWrittenMails } from "#store/written-mails.ts";
import {
  admitRecipients,
  admitStrangers,
  type MailingFor,
  type MailsByAddress,
  refusalOfStrangers,
  releaseRecipients,
  releaseStrangers,
} from "./account-limits.ts";
import { verifiesAddresses } from "./address-link.ts";
import { mailsFrom as mailsFromHere } from "./mail.ts";
import { readFromDatabase } from "./read-database.ts";

// Anyone can enter an email address for a partner, so a mail to it may reach a stranger. The address is trusted only if
// an account with access to the partner has verified it. Other accounts don't count, because a member could create one
// to make their own addresses trusted. An invited partner has no account with access yet, so an invitation may go to
// any account that has verified the address.

interface Mailing {
  readonly programId: ProgramId;
  /** The user whose call sends the mails. Undefined for a program key. */
  readonly userId: string | undefined;
  /** True if the user is an account of the partner, not a member. */
  readonly isByPartner?: boolean;
  /** True if the mails are about changed details. */
  readonly isOfDetails?: boolean;
  /** Accounts with access to the partner. Undefined if the partner is being invited. */
  readonly accounts?: readonly string[];
}

/**
 * Returns a refusal if the user could verify their own address but hasn't: such a user can't mail strangers. A key can
 * mail strangers only if an owner of the key's workspace has verified an address.
 */
async function refusalOfUnverified(c: Ctx, { userId, workspaceId }: MailingFor): Promise<Result<undefined>> {
  if (!verifiesAddresses(c)) return ok(undefined);
  const isVerified = await readFromDatabase(c, "home", async (database) => {
    if (userId !== undefined) return (await findAccount(database, userId))?.emailVerified === true;
    return workspaceId !== undefined && (await hasVerifiedOwner(database, workspaceId));
  });
  if (!isVerified.ok) return isVerified;
  return isVerified.value ? ok(undefined) : refused({ code: "email_unverified" });
}

async function senderOf(c: Ctx, { programId, userId, isByPartner, isOfDetails }: Mailing): Promise<Result<MailingFor>> {
  if (isByPartner) return ok({ workspaceId: undefined, userId, isOfDetails });
  const program = await readFromDatabase(c, "program", (database) => readOne(database, programById({ id: programId })));
  if (!program.ok) return program;
  if (program.value === undefined) return refused(notFound("program"));
  return ok({ workspaceId: program.value.workspaceId, userId, isOfDetails });
}

interface Counted {
  readonly sender: MailingFor;
  readonly mails: number;
  /** The addresses of strangers that may be mailed, in lower case. */
  readonly strangers: ReadonlySet<string>;
}

export interface AdmittedAddresses {
  readonly addresses: ReadonlySet<string>;
  /** Undefined if none of the addresses is a stranger's. */
  readonly counted: Counted | undefined;
}

/** If the service can't verify addresses, unverified ones are trusted too. */
const readAddresses = (
  c: Ctx,
  database: Database,
  accounts: readonly string[],
): Promise<ReadonlyMap<string, string>> =>
  verifiesAddresses(c) ? readVerifiedEmails(database, accounts) : readEmails(database, accounts);

/** Filters addresses to the trusted ones, in lower case. */
async function knownAddresses(
  c: Ctx,
  { accounts }: Mailing,
  addresses: readonly string[],
): Promise<Result<ReadonlySet<string>>> {
  if (accounts === undefined) return readFromDatabase(c, "home", (database) => filterVerified(database, addresses));
  const found = await readFromDatabase(c, "home", (database) => readAddresses(c, database, accounts));
  return found.ok ? ok(new Set([...found.value.values()].map((email) => email.toLowerCase()))) : found;
}

/** Returns the distinct addresses that may be mailed: all trusted ones, and as many others as the limits allow. */
export async function admitAddresses(
  c: Ctx,
  by: Mailing,
  addresses: readonly string[],
): Promise<Result<AdmittedAddresses>> {
  const known = await knownAddresses(c, by, addresses);
  if (!known.ok) return known;
  const isKnown = (address: string) => known.value.has(address.toLowerCase());
  const unknown = addresses.filter((address) => !isKnown(address));
  if (unknown.length === 0) return ok({ addresses: new Set(addresses), counted: undefined });
  const sender = await senderOf(c, by);
  if (!sender.ok) return sender;
  const allowed = await refusalOfUnverified(c, sender.value);
  if (!allowed.ok) return allowed;
  const room = await admitStrangers(c, sender.value, unknown.length);
  if (!room.ok) return room;
  const strangers = unknown.slice(0, room.value);
  return ok({
    addresses: new Set([...addresses.filter(isKnown), ...strangers]),
    counted: {
      sender: sender.value,
      mails: unknown.length,
      strangers: new Set(strangers.map((to) => to.toLowerCase())),
    },
  });
}

/** Admits a mail to one address. Refuses if it is over the limits. */
export async function admitAddress(c: Ctx, by: Mailing, to: string): Promise<Result<Counted | undefined>> {
  const admitted = await admitAddresses(c, by, [to]);
  if (!admitted.ok) return admitted;
  const { addresses, counted } = admitted.value;
  if (addresses.has(to)) return ok(counted);
  releaseCounted(c, counted);
  return refused(refusalOfStrangers(c));
}

/** Subtracts from the counters the mails that no call will write. */
export function releaseCounted(c: Ctx, counted: Counted | undefined): void {
  if (counted !== undefined) releaseStrangers(c, counted.sender, counted.mails);
}

/** Mails that a call may write, and the count of strangers among their recipients. */
export interface Drafts<Draft extends MailTo = MailTo> {
  readonly mails: readonly Draft[];
  readonly counted: Counted | undefined;
}

export const noDrafts: Drafts<never> = { mails: [], counted: undefined };

/**
 * Runs a call that may write these mails. Afterwards undoes the count of the mails that it didn't write. A refused call
 * writes none.
 */
export async function countingMailed<Done extends { readonly ok: boolean }>(
  c: Ctx,
  { mails, counted }: Drafts,
  run: () => Promise<Done>,
): Promise<Done> {
  const done = await run();
  if (counted === undefined) return done;
  const ids = mails.filter(({ to }) => counted.strangers.has(to.toLowerCase())).map(({ row }) => row.id);
  const written = done.ok
    ? await readFromDatabase(c, "program", (database) => countWrittenMails(database, ids))
    : ok(0);
  if (written.ok) releaseStrangers(c, counted.sender, counted.mails - written.value);
  return done;
}

interface MailsToPartners {
  readonly mailsFrom: string | undefined;
  readonly recipients: readonly LineRecipient[];
}

/** Partners that a call may mail about one subject. */
interface Audience {
  readonly template: MailTemplate;
  /** If the sender's address is unverified: true to run the call without mails, false to refuse the call. */
  readonly isOptional?: boolean;
  find(database: Database): Promise<readonly FoundRecipient[]>;
  /** Returns the partners among `partnerIds` whom the call has mailed. */
  findMailed(database: Database, partnerIds: readonly PartnerId[]): Promise<ReadonlySet<PartnerId>>;
}

/** Runs a call with the data to write its mails to partners. The count of unwritten mails is undone. */
export async function mailingPartners<T>(
  c: Ctx,
  sender: MailingFor,
  audience: Audience,
  run: (mails: MailsToPartners) => Promise<Result<T>>,
): Promise<Result<T>> {
  const { template, isOptional = false } = audience;
  const mailsFrom = mailsFromHere(c);
  if (mailsFrom === undefined) return run({ mailsFrom, recipients: [] });
  const verified = await refusalOfUnverified(c, sender);
  if (!verified.ok) {
    const goesAhead = verified.refusal.code === "email_unverified" && isOptional;
    return goesAhead ? run({ mailsFrom: undefined, recipients: [] }) : verified;
  }
  const found = await recipientsOf(c, audience);
  if (!found.ok) return found;
  const { known, strangers } = found.value;
  if (strangers.length === 0) return run({ mailsFrom, recipients: known });
  const room = await admitStrangers(c, sender, strangers.length);
  if (!room.ok) return room;
  const counted = strangers.slice(0, room.value);
  const admitted = await admitRecipients(c, template, byAddress(counted));
  if (!admitted.ok) return admitted;
  const recipients = [...known, ...withRoom(counted, admitted.value)];
  const done = await run({ mailsFrom, recipients });
  const mailed = done.ok ? await mailedOf(c, audience, counted) : ok(new Set<PartnerId>());
  if (mailed.ok) {
    releaseStrangers(c, sender, strangers.length - mailed.value.size);
    const unmailed = counted.filter(({ partnerId }) => !mailed.value.has(partnerId));
    releaseRecipients(c, template, byAddress(unmailed));
  }
  return done;
}

/**
 * Runs a call about payout lines with the data to write their mails. If `partnerId` is null, the mails are about all
 * lines. If the sender's address is unverified, a payout is changed without mails, but mailing statements is refused.
 */
export const mailingLines = <T>(
  c: Ctx,
  sender: MailingFor,
  lines: LinesToMail,
  run: (mails: MailsToPartners) => Promise<Result<T>>,
): Promise<Result<T>> => {
  const { template, payoutId } = lines;
  const of = { payoutId, operationId: c.get("call").operationId };
  const audience: Audience = {
    template,
    isOptional: template !== "statement",
    find: (database) => readLineRecipients(database, lines),
    findMailed: (database, ids) => readMailedPartners(database, of, ids),
  };
  return mailingPartners(c, sender, audience, run);
};

/**
 * Returns the recipients in the order of partners. Partners whose lines the draft skips are last. If a partner has no
 * address, the recipient is the earliest account that has verified its own address.
 */
async function recipientsOf(
  c: Ctx,
  { find }: Audience,
): Promise<Result<{ readonly known: readonly LineRecipient[]; readonly strangers: readonly LineRecipient[] }>> {
  const found = await readFromDatabase(c, "program", find);
  if (!found.ok) return found;
  const accounts = [...new Set(found.value.flatMap((each) => each.accounts))];
  const emails = await readFromDatabase(c, "home", (database) => readAddresses(c, database, accounts));
  if (!emails.ok) return emails;
  const inOrder = found.value.toSorted(
    (a, b) => Number(a.isSkipped) - Number(b.isSkipped) || a.partnerId - b.partnerId,
  );
  const recipients = inOrder.flatMap(({ partnerId, to: own, accounts: ids }) => {
    const isOf = (id: string) => emails.value.get(id)?.toLowerCase() === own;
    if (own !== null) return [{ partnerId, to: own, isKnown: ids.some(isOf) }];
    const first = verifiesAddresses(c) ? firstWithEmail(emails.value, ids) : undefined;
    return first === undefined ? [] : [{ ...first, to: first.to.toLowerCase(), partnerId, isKnown: true }];
  });
  const { true: known = [], false: strangers = [] } = Object.groupBy(
    recipients,
    ({ isKnown }) => `${isKnown}` as const,
  );
  return ok({ known, strangers });
}

const byAddress = (recipients: readonly LineRecipient[]): MailsByAddress =>
  new Map([...Map.groupBy(recipients, ({ to }) => to)].map(([to, those]) => [to, those.length]));

/** Returns, for each address, as many recipients as the address's limit allows. */
const withRoom = (recipients: readonly LineRecipient[], rooms: MailsByAddress): readonly LineRecipient[] =>
  [...Map.groupBy(recipients, ({ to }) => to)].flatMap(([to, those]) => those.slice(0, rooms.get(to)));

const mailedOf = (
  c: Ctx,
  { findMailed }: Audience,
  recipients: readonly LineRecipient[],
): Promise<Result<ReadonlySet<PartnerId>>> => {
  const ids = recipients.map(({ partnerId }) => partnerId);
  return readFromDatabase(c, "program", (database) => findMailed(database, ids));
};
