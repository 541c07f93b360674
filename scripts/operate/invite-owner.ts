import { hourMs } from "../../src/domain/calendar.ts";
import { hashLinkToken, signUpLink } from "../../src/domain/link-token.ts";
import { randomSecret } from "../../src/http/secret.ts";
import { createSignUpToken, hasUsers, isOwnerInvited } from "../../src/store/accounts/sign-up-tokens.ts";
import { openDatabase } from "../../src/store/database.ts";
import { ExplainedError, readFlags } from "../command.ts";
import type { Database } from "../database/migrate.ts";
import { addressedService } from "../database/service-database.ts";

// npm run invite-owner: prints a link to sign up and create a workspace, of the service that runs here, or of the one at
// BASE_URL with the database DATABASE_URL (and DATABASE_AUTH_TOKEN).
//   -- --data <folder>  of the service that runs here on this data folder
//   -- --first          unless there has been such a link already

const validHours = 24;

export async function inviteOwner({ url, authToken }: Database, baseUrl: string): Promise<string> {
  const token = randomSecret();
  const createdAt = Date.now();
  await createSignUpToken(openDatabase({ url, authToken }), {
    tokenHash: hashLinkToken(token),
    expiresAt: createdAt + validHours * hourMs,
    createdAt,
  });
  return signUpLink(new URL(baseUrl).origin, token);
}

export async function inviteFirstOwner(database: Database, baseUrl: string): Promise<void> {
  if (await hasUsers(openDatabase({ url: database.url, authToken: database.authToken }))) return;
  console.log(invitationTo(await inviteOwner(database, baseUrl)));
}

const invitationTo = (link: string): string =>
  `Create the first account by this link. It works once, within ${validHours} hours; npm run invite-owner makes another:\n${link}`;

if (import.meta.main) {
  const { data, first: isFirst } = readFlags("Usage: npm run invite-owner -- [--first] [--data <folder>]", {
    data: { type: "string" },
    first: { type: "boolean" },
  });
  try {
    const service = await addressedService(data);
    if (!isFirst) console.log(await inviteOwner(service, service.serviceUrl));
    else if (!(await isOwnerInvited(openDatabase({ url: service.url, authToken: service.authToken })))) {
      console.log(invitationTo(await inviteOwner(service, service.serviceUrl)));
    }
  } catch (error) {
    console.error(error instanceof ExplainedError ? error.message : error);
    process.exitCode = 2;
  }
}
