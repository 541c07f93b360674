import { dayMs } from "../calendar.ts";

export const mailTemplates = [
  "partner_invitation",
  "application_received",
  "application_approved",
  "application_declined",
  "verify_address",
  "password_reset",
  "details_changed",
  "details_requested",
  "payout_paid",
  "line_failed",
  "statement",
  "account_changed",
  "team_tasks",
] as const;
export type MailTemplate = (typeof mailTemplates)[number];

/** Mails about a line of a payout. Their text is composed from the line when they are sent. */
export const lineTemplates = ["payout_paid", "line_failed", "statement"] as const satisfies readonly MailTemplate[];
export type LineTemplate = (typeof lineTemplates)[number];

export interface Letter {
  /** One line. */
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export interface Mail extends Letter {
  readonly to: string;
}

/** The time for which rows of mails are kept, whatever their outcome (ms). Delivery attempts end much earlier. */
export const mailsKeptMs = 30 * dayMs;
