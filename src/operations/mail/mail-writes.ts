import { insertMail, type MailRow } from "#store/mails.ts";
import type { Write } from "#store/statement.ts";
import type { Commit } from "../operation.ts";

/** A mail to a partner. `to` is the partner's address when the route read it. */
export interface MailTo {
  readonly to: string;
  readonly row: MailRow;
}

/** Inserts the mail, unless the partner's address has changed since the route read it. */
export const mailTo = (mail: MailTo | undefined, email: string | null | undefined): readonly Write[] =>
  mail !== undefined && mail.to === email ? [insertMail(mail.row)] : [];

/**
 * Sets the alarm that starts sending the mails if they are late. `at` is the instant of the call (ms), or undefined if
 * the call writes no mails.
 */
export const withMails = <Answer>(commit: Commit<Answer>, at: number | undefined): Commit<Answer> => ({
  ...commit,
  mailsAt: at,
});

export const mailed = (row: MailRow | undefined): readonly Write[] => (row === undefined ? [] : [insertMail(row)]);
