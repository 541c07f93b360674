import { ok, type Result } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import { timestampOrNull } from "#http/schema/timestamp.ts";
import { readEmails, readVerifiedEmails } from "#store/accounts/names.ts";
import type { PayoutView } from "#store/views/payouts.ts";
import { verifiesAddresses } from "./address-link.ts";
import { flagsOf } from "./partners.ts";
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
};

type Details = Pick<PayoutView["lines"][number], "email" | "payment" | "sharing" | "hasAddress" | "accounts">;

export interface ShownEmails {
  /** Email addresses of the accounts that set payment details, by account id. */
  readonly ofSetters: ReadonlyMap<string, string>;
  /** Verified email addresses of accounts with access to partners who have no address, by account id. */
  readonly verified: ReadonlyMap<string, string>;
}

/** Reads the addresses that a list of lines shows. Makes no request if it needs none. */
export async function readShownEmails(c: Ctx, lines: readonly Details[]): Promise<Result<ShownEmails>> {
  const setters = [...new Set(lines.flatMap(({ payment }) => payment?.setBy ?? []))];
  const accounts = verifiesAddresses(c) ? [...new Set(lines.flatMap((line) => line.accounts))] : [];
  if (setters.length + accounts.length === 0) return ok({ ofSetters: new Map(), verified: new Map() });
  return readFromDatabase(c, "home", async (database) => {
    const [ofSetters, verified] = await Promise.all([
      readEmails(database, setters),
      readVerifiedEmails(database, accounts),
    ]);
    return { ofSetters, verified };
  });
}

/**
 * Describes the recipient of a line's payment. `emails` is undefined if the caller may see neither addresses nor
 * payment details.
 */
export function paidTo(line: Details, emails: ShownEmails | undefined) {
  if (emails === undefined) return hidden;
  const { email, payment, sharing, hasAddress, accounts } = line;
  const { method, last4, earlier, setBy, setAt } = payment ?? noPayment;
  return {
    email,
    paymentMethod: method,
    paymentAccount: last4,
    earlierAccount: earlier,
    paymentSetBy: emails.ofSetters.get(setBy) ?? null,
    paymentSetAt: timestampOrNull(setAt),
    flags: flagsOf(sharing),
    isMailable: hasAddress || accounts.some((id) => emails.verified.has(id)),
  };
}
