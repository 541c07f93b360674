import { hourMs } from "../src/domain/calendar.ts";
import { hashLinkToken, resetLink } from "../src/domain/link-token.ts";
import { randomSecret } from "../src/http/secret.ts";
import { openReset } from "../src/store/accounts/passwords.ts";
import { openDatabase } from "../src/store/database.ts";
import { addressedService, ServiceDatabaseError } from "./service-database.ts";

// npm run reset-password -- <email>: prints a link by which the account's owner sets a new password.
//   DATABASE_URL, DATABASE_AUTH_TOKEN  of a deployment; default: the service that npm start runs here
//   BASE_URL                           the deployment's address

class ResetError extends Error {}

async function reset(email: string): Promise<string> {
  const { url, authToken, serviceUrl } = await addressedService();
  const token = randomSecret();
  const opened = { tokenHash: hashLinkToken(token), at: Date.now(), validMs: hourMs };
  const isOpened = await openReset(openDatabase({ url, authToken }), email.trim(), opened);
  if (!isOpened) throw new ResetError(`There is no account with the email address ${email}.`);
  return resetLink(new URL(serviceUrl).origin, token);
}

try {
  const [email, ...others] = process.argv.slice(2);
  if (email === undefined || others.length > 0) throw new ResetError("Usage: npm run reset-password -- <email>");
  console.log(`${await reset(email)}

Give this link to the owner of ${email}, and to nobody else. It works once, within an hour, and signs them out
everywhere. An earlier link no longer works.`);
} catch (error) {
  console.error(error instanceof ResetError || error instanceof ServiceDatabaseError ? error.message : error);
  process.exitCode = 1;
}
