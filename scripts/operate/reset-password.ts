import { randomBytes } from "node:crypto";
import { parseArgs } from "node:util";
import { hourMs } from "../../src/domain/calendar.ts";
import { hashLinkToken, resetLink } from "../../src/domain/link-token.ts";
import { randomSecret } from "../../src/http/secret.ts";
import { findCredentialByEmail, openReset } from "../../src/store/accounts/passwords.ts";
import { removeSecondFactor } from "../../src/store/accounts/second-factors.ts";
import { openDatabase } from "../../src/store/database.ts";
import { ExplainedError } from "../command.ts";
import { addressedService, serviceDatabase } from "../database/service-database.ts";

// npm run reset-password -- <email>: prints a link by which the account's owner sets a new password.
//   --second-factor                    turns off the account's second factor instead, for somebody who has lost it
//   --data <folder>                    of the service that runs here on this data folder
//   DATABASE_URL, DATABASE_AUTH_TOKEN  of a deployment; default: the service that npm start runs here
//   BASE_URL                           the deployment's address

const usage = "Usage: npm run reset-password -- <email> [--second-factor] [--data <folder>]";

function readArguments() {
  try {
    const options = { "second-factor": { type: "boolean", default: false }, data: { type: "string" } } as const;
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    const [email, ...others] = positionals;
    if (email !== undefined && others.length === 0)
      return { email, isSecondFactor: values["second-factor"], data: values.data };
  } catch {
    // An unknown flag.
  }
  throw new ExplainedError(usage);
}

const noAccount = (email: string) => new ExplainedError(`There is no account with the email address ${email}.`);

async function resetPassword(email: string, folder: string | undefined): Promise<string> {
  const { url, authToken, serviceUrl } = await addressedService(folder);
  const token = randomSecret();
  const opened = { tokenHash: hashLinkToken(token), at: Date.now(), validMs: hourMs };
  const isOpened = await openReset(openDatabase({ url, authToken }), email.trim(), opened);
  if (!isOpened) throw noAccount(email);
  return `${resetLink(new URL(serviceUrl).origin, token)}

Give this link to the owner of ${email}, and to nobody else. It works once, within an hour, and signs them out
everywhere. An earlier link no longer works.`;
}

async function resetSecondFactor(email: string, folder: string | undefined): Promise<string> {
  const { url, authToken } = await serviceDatabase(folder);
  const database = openDatabase({ url, authToken });
  const credential = await findCredentialByEmail(database, email.trim());
  if (credential === undefined) throw noAccount(email);
  const operationId = randomBytes(8).toString("hex");
  const event = { operationId, userId: credential.userId, action: "two_factor_removed", at: Date.now() } as const;
  const isRemoved = await removeSecondFactor(database, { ...event, device: null, place: null }, "operator");
  if (!isRemoved) throw new ExplainedError(`Two-factor authentication is off for ${email}.`);
  return `Two-factor authentication is now off for ${email}: the password alone signs in. Its owner can turn it on again on
the Account page. The activity of the account and the audit trails of its workspaces show this change.`;
}

try {
  const { email, isSecondFactor, data } = readArguments();
  console.log(await (isSecondFactor ? resetSecondFactor : resetPassword)(email, data));
} catch (error) {
  console.error(error instanceof ExplainedError || error instanceof ExplainedError ? error.message : error);
  process.exitCode = 1;
}
