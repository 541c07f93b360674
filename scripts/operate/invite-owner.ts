import { hourMs } from "#domain/calendar.ts";
import { hashLinkToken, signUpLink } from "#domain/link-token.ts";
import { randomSecret } from "#http/secret.ts";
import { createSignUpToken, hasUsers, isOwnerInvited } from "#store/accounts/sign-up-tokens.ts";
import { type ExitCode, exit } from "../../sdk/cli/exit.ts";
import { parseFlags } from "../../sdk/cli/flags.ts";
import { operatorCommand, shellWord } from "../command.ts";
import { openStore } from "../database/client.ts";
import type { Database } from "../database/migrate.ts";
import { addressedService } from "../database/service-database.ts";

export const help = `${operatorCommand} invite-owner [--first] [--data <folder>]

Prints a link, good once and for 24 hours, by which an owner signs up and creates a workspace.

  --first  prints nothing if there has been such a link already`;

const validHours = 24;

export async function inviteOwner({ url, authToken }: Database, baseUrl: string): Promise<string> {
  const token = randomSecret();
  const createdAt = Date.now();
  await createSignUpToken(openStore({ url, authToken }), {
    tokenHash: hashLinkToken(token),
    expiresAt: createdAt + validHours * hourMs,
    createdAt,
  });
  return signUpLink(new URL(baseUrl).origin, token);
}

export async function inviteFirstOwner(database: Database, baseUrl: string): Promise<void> {
  if (await hasUsers(openStore({ url: database.url, authToken: database.authToken }))) return;
  console.log(invitationTo(await inviteOwner(database, baseUrl)));
}

function invitationTo(link: string, data?: string): string {
  const again = `${operatorCommand} invite-owner${data === undefined ? "" : ` --data ${shellWord(data)}`}`;
  return `Create the first account by this link. It works once, within ${validHours} hours; ${again} makes another:\n${link}`;
}

export async function run(args: string[]): Promise<ExitCode> {
  const { values } = parseFlags(args, { data: { type: "string" }, first: { type: "boolean", default: false } }, 0);
  const service = await addressedService(values.data);
  if (!values.first) console.log(await inviteOwner(service, service.serviceUrl));
  else if (!(await isOwnerInvited(openStore({ url: service.url, authToken: service.authToken })))) {
    console.log(invitationTo(await inviteOwner(service, service.serviceUrl), values.data));
  }
  return exit.good;
}
