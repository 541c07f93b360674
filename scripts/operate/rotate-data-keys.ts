import { resolve } from "node:path";
import { type DataKeyRing, parseDataKeys } from "../../src/domain/data-keys.ts";
import { decryptData, encryptData, ivBytes, keyIdOf } from "../../src/domain/encrypted-data.ts";
import { listSecrets, replaceSecrets } from "../../src/store/accounts/second-factors.ts";
import { type Database, openDatabase } from "../../src/store/database.ts";
import { dataFolder, secretsFileOf } from "../backup/data-paths.ts";
import { readSecrets } from "../backup/fingerprints.ts";
import { ExplainedError, readFlags } from "../command.ts";
import { serviceDatabase } from "../database/service-database.ts";
import { keyRingFault } from "../service/secrets.ts";

// npm run rotate-data-keys: encrypts with the first key of DATA_KEYS what another of its keys encrypted.
//   --secrets-file <file>              where DATA_KEYS is; default: the data folder's own file
//   --data <folder>                    of the service that runs here on this data folder
//   DATA_KEYS                          takes precedence over the file
//   DATABASE_URL, DATABASE_AUTH_TOKEN  of a deployment; default: the service that runs here on the folder TRIBUTARY_DATA

const batchSize = 200;

async function readRing(named: string | undefined, folder = process.env.TRIBUTARY_DATA): Promise<DataKeyRing> {
  const file = named === undefined ? secretsFileOf(dataFolder(folder || undefined)) : resolve(named);
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

const flags = readFlags("Usage: npm run rotate-data-keys -- [--secrets-file <file>] [--data <folder>]", {
  "secrets-file": { type: "string" },
  data: { type: "string" },
});

try {
  const ring = await readRing(flags["secrets-file"], flags.data);
  const { url, authToken } = await serviceDatabase(flags.data);
  const { encrypted, unreadable } = await rotate(openDatabase({ url, authToken }), ring);
  console.log(`${encrypted} encrypted with key ${ring.newestId}.`);
  if (unreadable > 0) {
    throw new ExplainedError(`${unreadable} can't be decrypted: DATA_KEYS lacks their key, or they were altered.`);
  }
} catch (error) {
  const isExplained = [ExplainedError, ExplainedError, ExplainedError].some((kind) => error instanceof kind);
  console.error(isExplained && error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
