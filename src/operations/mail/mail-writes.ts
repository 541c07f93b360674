import { insertMail, type MailRow } from "#store/mails.ts";
import type { Write } from "#store/statement.ts";
import type { Commit } from "../operation.ts";

/** A mail to a partner's address, as the route has read it. */
export interface MailTo {
  readonly to: string;
  readonly row: MailRow;
}

/** No mail if the partner's address has changed since. */
export const mailTo = (mail: MailTo | undefined, email: string | null | undefined): readonly Write[] =>
  mail !== undefined && mail.to === email ? [insertMail(mail.row)] : [];

/** Schedules the alarm that sends the mails. `at`: the instant of the call, if it may write mails. */
export const withMails = <Answer>(commit: Commit<Answer>, at: number | undefined): Commit<Answer> => ({
  ...commit,
  mailsAt: at,
});

export const mailed = (row: MailRow | undefined): readonly Write[] => (row === undefined ? [] : [insertMail(row)]);
