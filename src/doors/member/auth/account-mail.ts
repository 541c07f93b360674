import { mailRow, sendsMail, strangersMailOrigin } from "#api/mail.ts";
import { dateUtc } from "#domain/calendar.ts";
import { type AccountChange, accountChanged } from "#domain/mail/account-letter.ts";
import { hashSecretOf } from "#env.ts";
import type { Ctx } from "#http/context.ts";
import { digest } from "#http/keyed-digest.ts";
import type { MailRow } from "#store/mails.ts";
import { countMail } from "./limits.ts";
import { sessionDevice } from "./session-device.ts";

interface Account {
  readonly userId: string;
  readonly email: string;
}

/** Tells an account that it changed. Undefined where the service sends no mail, and above the limit of mails to an address. */
export async function accountMail(
  c: Ctx,
  { userId, email: to }: Account,
  what: AccountChange,
): Promise<MailRow | undefined> {
  if (!sendsMail(c)) return undefined;
  if (!areFew.includes(what) && (await countMail(c, "account_changed", to)) !== undefined) return undefined;
  const { at } = c.get("call");
  const letter = accountChanged({ what, ...(await sessionDevice(c)), at, origin: strangersMailOrigin(c) });
  const once = what === "new_browser" ? { id: idOfDay(c, userId) } : { part: what };
  return mailRow(c, { template: "account_changed", programId: null, mail: { to, ...letter }, ...once });
}

/** Limited by themselves: attempts to sign in must not use up the mails about what follows them. */
const areFew: readonly AccountChange[] = ["new_browser", "recovery_code_used"];

/** The first mail of a day stays, as its id is taken. */
const idOfDay = (c: Ctx, userId: string): string =>
  `new-browser.${digest(hashSecretOf(c.env), "new-browser", userId, dateUtc(c.get("call").at)).slice(0, 32)}`;
