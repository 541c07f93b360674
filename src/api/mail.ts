import { ivBytes } from "#domain/encrypted-data.ts";
import type { ProgramId } from "#domain/ids.ts";
import type { Mail, MailTemplate } from "#domain/mail/mail.ts";
import { sealMail } from "#domain/mail/sealed-mail.ts";
import { home } from "#domain/shard.ts";
import { dataKeysOf, delivererOf, mailHookOf } from "#env.ts";
import type { Ctx } from "#http/context.ts";
import { knownOrigin } from "#http/known-origin.ts";
import { originOf } from "#http/transport.ts";
import type { MailRow } from "#store/mails.ts";
import type { Place } from "./read-database.ts";

export interface NewMail {
  readonly template: MailTemplate;
  /** Program whose database stores the mail. Null for a mail to an account, which is stored in the home database. */
  readonly programId: ProgramId | null;
  readonly mail: Mail;
  /**
   * When the link in the mail expires (ms). The mail isn't sent after that. Undefined if it has no link that expires.
   */
  readonly linkUntil?: number;
  /** Distinguishes this mail from other mails of the same call. */
  readonly part?: string | number;
  /** Id for a mail that only one of several calls may write. */
  readonly id?: string;
}

export const sendsMail = (c: Ctx): boolean => mailHookOf(c.env) !== undefined;

/**
 * The origin for links in mails that an unauthenticated visitor requests. Undefined if no mail hook is configured, or
 * if the service's address is known only from the request's `Host` header: with a forged header, a caller could make
 * the mail link to their own site.
 */
export function strangersMailOrigin(c: Ctx): string | undefined {
  return sendsMail(c) ? knownOrigin(c) : undefined;
}

/**
 * Returns the encrypted row of a mail, to be written in the commit of the change that the mail reports. Undefined
 * without a mail hook. The Ledger and the database see neither text nor address.
 */
export async function mailRow(
  c: Ctx,
  { template, programId, mail, linkUntil, part, ...given }: NewMail,
): Promise<MailRow | undefined> {
  if (!sendsMail(c)) return undefined;
  const { operationId, at } = c.get("call");
  const id = given.id ?? (part === undefined ? operationId : `${operationId}.${part}`);
  const iv = crypto.getRandomValues(new Uint8Array(ivBytes));
  const content = await sealMail(dataKeysOf(c.env), { id, programId }, { ...mail, linkUntil }, iv);
  const unsent = { attempts: 0, dueAt: at, deliveredAt: null, failedAt: null, createdAt: at } as const;
  return { id, programId, template, content, payoutLineId: null, origin: null, ...unsent };
}

/** The origin of links in mails about payout lines. Undefined without a mail hook. */
export const mailsFrom = (c: Ctx): string | undefined => (sendsMail(c) ? originOf(c) : undefined);

/**
 * Call this after a change that wrote mails, so that they are sent at once. If this fails, the Ledger triggers the
 * sending later.
 */
export function sendMails(c: Ctx, place: Place): void {
  const shard = place === "home" ? home : (c.get("log").shard ?? home);
  if (sendsMail(c))
    c.executionCtx.waitUntil(
      delivererOf(c.env, shard)
        .wake(shard)
        .catch(() => {}),
    );
}
