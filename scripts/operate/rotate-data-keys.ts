import { resolve } from "node:path";
import { type DataKeyRing, parseDataKeys } from "#domain/data-keys.ts";
import { decryptData, encryptData, ivBytes, keyIdOf } from "#domain/encrypted-data.ts";
import { listSecrets, replaceSecrets } from "#store/accounts/second-factors.ts";
import { type Database, openDatabase } from "#store/database.ts";
import { type ExitCode, exit } from "../../sdk/cli/exit.ts";
import { parseFlags } from "../../sdk/cli/flags.ts";
import { dataFolder, secretsFileOf } from "../backup/data-paths.ts";
import { readSecrets } from "../backup/fingerprints.ts";
import { ExplainedError } from "../command.ts";
import { serviceDatabase } from "../database/service-database.ts";
import { keyRingFault } from "../service/secrets.ts";

export const help = `npm run tributary -- rotate-data-keys [--secrets-file <file>] [--data <folder>]

Encrypts with the first key of DATA_KEYS what another of its keys encrypted.

  --secrets-file <file>  where DATA_KEYS is, unless it is in the environment; default: the data folder's own file`;

const batchSize = 200;

async function readRing(named: string | undefined, folder: string | undefined): Promise<DataKeyRing> {
  const file = named === undefined ? secretsFileOf(dataFolder(folder)) : resolve(named);
  const fromEnvironment = process.env.DATA_KEYS;
  const text = fromEnvironment || (await readSecrets(file)).DATA_KEYS;
  if (!text) throw new ExplainedError(`DATA_KEYS is neither in the environment nor in ${file}.`);
  const ring = parseDataKeys(text);
  if (ring !== undefined) return ring;
  throw new ExplainedError(keyRingFault("DATA_KEYS", text, fromEnvironment ? "the environment" : file));
}

async function rotate(database: Database, ring: DataKeyRing): Promise<{ encrypted: number; unreadable: number }> {
  const done = { encrypted: 0, unreadable: 0 };
  for (let after = ""; ; ) {
    const page = await listSecrets(database, after, batchSize);
    const [last] = page.slice(-1);
    if (last === undefined) return done;
    after = last.userId;
    const changes = [];
    for (const { userId, secret } of page.filter(({ secret }) => keyIdOf(secret) !== ring.newestId)) {
      const context = { purpose: "totp-secret", rowId: userId } as const;
      const plain = await decryptData(ring, context, secret);
      if (plain === undefined) done.unreadable += 1;
      else {
        const iv = crypto.getRandomValues(new Uint8Array(ivBytes));
        changes.push({ userId, before: secret, after: await encryptData(ring, context, plain, iv) });
      }
    }
    await replaceSecrets(database, changes);
    done.encrypted += changes.length;
  }
}

export async function run(args: string[]): Promise<ExitCode> {
  const { values } = parseFlags(args, { "secrets-file": { type: "string" }, data: { type: "string" } }, 0);
  const ring = await readRing(values["secrets-file"], values.data);
  const { url, authToken } = await serviceDatabase(values.data);
  const { encrypted, unreadable } = await rotate(openDatabase({ url, authToken }), ring);
  console.log(`${encrypted} encrypted with key ${ring.newestId}.`);
  if (unreadable === 0) return exit.good;
  throw new ExplainedError(`${unreadable} can't be decrypted: DATA_KEYS lacks their key, or they were altered.`);
}
