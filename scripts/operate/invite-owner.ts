import { readFile, rm, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
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

export const help = `${operatorCommand} invite-owner [--first <file>] [--data <folder>]

Prints a link, good once and for 24 hours, by which an owner signs up and creates a workspace.

  --first <file>  writes the link to this file, once for each service; deletes the file once there is an account`;

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
  const { values } = parseFlags(args, { data: { type: "string" }, first: { type: "string" } }, 0);
  const service = await addressedService(values.data);
  if (values.first === undefined) console.log(await inviteOwner(service, service.serviceUrl));
  else await keepFirstLink(service, { file: resolve(values.first), data: values.data });
  return exit.good;
}

/** The file for the first invitation link, and the data folder as the command line names it. */
interface Place {
  readonly file: string;
  readonly data: string | undefined;
}

async function keepFirstLink(service: Database & { readonly serviceUrl: string }, place: Place): Promise<void> {
  const { file, data } = place;
  const write = (link: string) => writeFile(file, `${invitationTo(link, data)}\n`, { mode: 0o600 });
  const store = openStore({ url: service.url, authToken: service.authToken });
  if (!(await isOwnerInvited(store))) {
    await write(await inviteOwner(service, service.serviceUrl));
    console.log(`To create the first account, open the link in ${file}.`);
  } else if (await hasUsers(store)) {
    await rm(file, { force: true });
  } else {
    // Writes the text again, because it names a command, which an upgrade may have changed.
    const link = (await readFile(file, "utf8").catch(() => "")).trim().split("\n").at(-1);
    if (link) await write(link);
  }
}
