import { ivBytes } from "#domain/encrypted-data.ts";
import type { ProgramId } from "#domain/ids.ts";
import type { Mail, MailTemplate } from "#domain/mail/mail.ts";
import { sealMail } from "#domain/mail/sealed-mail.ts";
import { home } from "#domain/shard.ts";
import { addressFrom, baseUrlOf, dataKeysOf, delivererOf, mailHookOf } from "#env.ts";
import type { Ctx } from "#http/context.ts";
import { originOf } from "#http/transport.ts";
import type { MailRow } from "#store/mails.ts";
import type { Place } from "./read-database.ts";

export interface NewMail {
  readonly template: MailTemplate;
  /** Null: to an account, in home's database. */
  readonly programId: ProgramId | null;
  readonly mail: Mail;
  /** Time at which the link in it ends (ms): it isn't sent afterwards. Default: none ends. */
  readonly linkUntil?: number;
  /** Distinguishes this mail from others of the call. */
  readonly part?: string | number;
  /** The mail's id, if it is written only once, by whichever call is first. */
  readonly id?: string;
}

export const sendsMail = (c: Ctx): boolean => mailHookOf(c.env) !== undefined;

/**
 * Origin of mailed links that a stranger requests. Undefined without a hook, and if only the caller gives the service's
 * address: a caller with a forged `Host` could make the owner of an account open the caller's link.
 */
export function strangersMailOrigin(c: Ctx): string | undefined {
  const isKnown =
    baseUrlOf(c.env) !== undefined || c.get("transport").isLoopback || addressFrom(c.env) === "cloudflare";
  return sendsMail(c) && isKnown ? originOf(c) : undefined;
}

/**
 * The row of a mail, sealed, to be written with what it reports. Undefined without a hook. The Ledger and the database
 * see neither text nor address.
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

/** The origin of links in mails about lines. Undefined without a hook. */
export const mailsFrom = (c: Ctx): string | undefined => (sendsMail(c) ? originOf(c) : undefined);

/** Has them sent now, after a call that wrote mails. If that fails, the Ledger does so. */
export function sendMails(c: Ctx, place: Place): void {
  const shard = place === "home" ? home : (c.get("log").shard ?? home);
  if (sendsMail(c))
    c.executionCtx.waitUntil(
      delivererOf(c.env, shard)
        .wake(shard)
        .catch(() => {}),
    );
}
