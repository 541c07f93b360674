import type { PartnerId } from "#domain/ids.ts";
import { isWiseName } from "#domain/payee-name.ts";
import { ok, type Result } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import { timestampOrNull } from "#http/schema/timestamp.ts";
import { readEmails, readVerifiedEmails } from "#store/accounts/names.ts";
import type { PayoutView } from "#store/views/payouts.ts";
import { verifiesAddresses } from "./address-link.ts";
import { flagsOf } from "./partners.ts";
import { openDetails } from "./payment-details.ts";
import { readFromDatabase } from "./read-database.ts";

const noPayment = { method: null, last4: null, earlier: null, setBy: "", setAt: null };

const hidden = {
  email: undefined,
  paymentMethod: undefined,
  paymentAccount: undefined,
  earlierAccount: undefined,
  paymentSetBy: undefined,
  paymentSetAt: undefined,
  flags: undefined,
  isMailable: undefined,
  isMailedWhenPaid: undefined,
  isNameRefused: undefined,
};

type Details = Pick<
  PayoutView["lines"][number],
  | "programId"
  | "partnerId"
  | "email"
  | "payment"
  | "wiseDetails"
  | "sharing"
  | "hasAddress"
  | "accounts"
  | "hasAccess"
  | "isEmbedded"
>;

export interface ShownDetails {
  /** Email addresses of the accounts that set payment details, by account id. */
  readonly ofSetters: ReadonlyMap<string, string>;
  /** Verified email addresses of accounts with access to partners who have no address, by account id. */
  readonly verified: ReadonlyMap<string, string>;
  /** Partners of a draft for whom a file for Wise can't contain the holder's name. */
  readonly refusedByWise: ReadonlySet<PartnerId>;
}

/**
 * Reads the addresses and faults that a list of lines shows. Makes no database request if the list shows no addresses.
 */
export async function readShownDetails(c: Ctx, lines: readonly Details[]): Promise<Result<ShownDetails>> {
  const setters = [...new Set(lines.flatMap(({ payment }) => payment?.setBy ?? []))];
  const accounts = verifiesAddresses(c) ? [...new Set(lines.flatMap((line) => line.accounts))] : [];
  const refusedByWise = await partnersRefusedByWise(c, lines);
  if (setters.length + accounts.length === 0) return ok({ ofSetters: new Map(), verified: new Map(), refusedByWise });
  return readFromDatabase(c, "home", async (database) => {
    const [ofSetters, verified] = await Promise.all([
      readEmails(database, setters),
      readVerifiedEmails(database, accounts),
    ]);
    return { ofSetters, verified, refusedByWise };
  });
}

async function partnersRefusedByWise(c: Ctx, lines: readonly Details[]): Promise<ReadonlySet<PartnerId>> {
  const refused = lines.map(async ({ programId, partnerId, wiseDetails }) => {
    const details = wiseDetails === null ? undefined : await openDetails(c, { programId, ...wiseDetails });
    return details === undefined || isWiseName(details.holder) ? [] : [partnerId];
  });
  return new Set((await Promise.all(refused)).flat());
}

/**
 * Describes the recipient of a line's payment. `shown` is undefined if the caller may see neither addresses nor
 * payment details.
 */
export function paidTo(line: Details, shown: ShownDetails | undefined) {
  if (shown === undefined) return hidden;
  const { email, payment, sharing, hasAddress, accounts } = line;
  const { method, last4, earlier, setBy, setAt } = payment ?? noPayment;
  const isMailable = hasAddress || accounts.some((id) => shown.verified.has(id));
  return {
    email,
    paymentMethod: method,
    paymentAccount: last4,
    earlierAccount: earlier,
    paymentSetBy: shown.ofSetters.get(setBy) ?? null,
    paymentSetAt: timestampOrNull(setAt),
    flags: flagsOf(sharing),
    isMailable,
    isMailedWhenPaid: isMailable && (line.hasAccess || !line.isEmbedded),
    isNameRefused: shown.refusedByWise.has(line.partnerId),
  };
}
