import { insertMail, type MailRow } from "#store/mails.ts";
import type { Write } from "#store/statement.ts";

/** A mail to an address of a partner as the route has read it. */
export interface MailTo {
  readonly to: string;
  readonly row: MailRow;
}

/** None if the partner has another address by now. */
export const mailTo = (mail: MailTo | undefined, email: string | null | undefined): readonly Write[] =>
  mail !== undefined && mail.to === email ? [insertMail(mail.row)] : [];

export const mailed = (row: MailRow | undefined): readonly Write[] => (row === undefined ? [] : [insertMail(row)]);
