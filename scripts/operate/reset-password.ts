import { randomBytes } from "node:crypto";
import { hourMs } from "#domain/calendar.ts";
import type { DataKeyRing } from "#domain/data-keys.ts";
import { ivBytes } from "#domain/encrypted-data.ts";
import { hashLinkToken, resetLink } from "#domain/link-token.ts";
import { accountChanged } from "#domain/mail/account-letter.ts";
import { sealMail } from "#domain/mail/sealed-mail.ts";
import { randomSecret } from "#http/secret.ts";
import { isPartnerAccount } from "#store/accounts/account-partners.ts";
import { findCredentialByEmail, openReset } from "#store/accounts/passwords.ts";
import { removeSecondFactor } from "#store/accounts/second-factors.ts";
import type { MailRow } from "#store/mails.ts";
import { type ExitCode, exit } from "../../sdk/cli/exit.ts";
import { parseFlags, UsageError } from "../../sdk/cli/flags.ts";
import { ExplainedError, operatorCommand } from "../command.ts";
import { openStore } from "../database/client.ts";
import { findRing } from "../database/data-key-ring.ts";
import { addressedService, serviceDatabase } from "../database/service-database.ts";

export const help = `${operatorCommand} reset-password <email> [--second-factor] [--data <folder>]

Prints a link by which the account's owner sets a new password. The service's page /docs/guides/security/ describes it.

  --second-factor  turns off the account's second factor instead, for somebody who has lost it`;

const noAccount = (email: string) => new ExplainedError(`There is no account with the email address ${email}.`);

async function resetPassword(email: string, folder: string | undefined): Promise<string> {
  const { url, authToken, serviceUrl } = await addressedService(folder);
  const token = randomSecret();
  const opened = { tokenHash: hashLinkToken(token), at: Date.now(), validMs: hourMs };
  const isOpened = await openReset(openStore({ url, authToken }), email.trim(), opened);
  if (!isOpened) throw noAccount(email);
  return `${resetLink(new URL(serviceUrl).origin, token)}

Give this link to the owner of ${email}, and to nobody else. It works once, within an hour, and signs them out
everywhere. An earlier link no longer works.`;
}

interface Removal {
  readonly operationId: string;
  readonly at: number;
  readonly to: string;
  readonly serviceUrl: string | undefined;
  readonly isPartner: boolean;
}

/** The email about a removed password. The service sends it if it has a mail hook, and otherwise discards it. */
async function removalMail(
  ring: DataKeyRing,
  { operationId, at, to, serviceUrl, isPartner }: Removal,
): Promise<MailRow> {
  const id = `${operationId}.two_factor_removed`;
  const origin = serviceUrl && new URL(serviceUrl).origin;
  const letter = accountChanged({ what: "two_factor_removed", device: null, place: null, at, origin, isPartner });
  const iv = crypto.getRandomValues(new Uint8Array(ivBytes));
  const content = await sealMail(ring, { id, programId: null }, { to, ...letter }, iv);
  const unsent = { attempts: 0, dueAt: at, deliveredAt: null, failedAt: null, createdAt: at } as const;
  return { id, programId: null, template: "account_changed", content, payoutLineId: null, origin: null, ...unsent };
}

async function resetSecondFactor(email: string, folder: string | undefined): Promise<string> {
  const { url, authToken, serviceUrl } = await serviceDatabase(folder);
  const database = openStore({ url, authToken });
  const credential = await findCredentialByEmail(database, email.trim());
  if (credential === undefined) throw noAccount(email);
  const operationId = randomBytes(8).toString("hex");
  const event = { operationId, userId: credential.userId, action: "two_factor_removed", at: Date.now() } as const;
  const ring = await findRing({ folder });
  const isPartner = await isPartnerAccount(database, credential.userId);
  const to = email.trim().toLowerCase();
  const mail = ring && (await removalMail(ring, { ...event, to, serviceUrl, isPartner }));
  const isRemoved = await removeSecondFactor(database, { ...event, device: null, place: null, mail }, "operator");
  if (!isRemoved) throw new ExplainedError(`Two-factor authentication is off for ${email}.`);
  if (mail === undefined) console.error("DATA_KEYS isn't known here, so the account isn't mailed about it.");
  return `Two-factor authentication is now off for ${email}: the password alone signs in. Its owner can turn it on again on
the Account page. The activity of the account and the audit trails of its workspaces show this change.`;
}

export async function run(args: string[]): Promise<ExitCode> {
  const { values, positionals } = parseFlags(
    args,
    { "second-factor": { type: "boolean", default: false }, data: { type: "string" } },
    1,
  );
  const [email] = positionals;
  if (!email) throw new UsageError("Name the email address of the account.");
  console.log(await (values["second-factor"] ? resetSecondFactor : resetPassword)(email, values.data));
  return exit.good;
}
