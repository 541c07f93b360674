import type { DataKeyRing } from "#domain/data-keys.ts";
import { type DataContext, decryptData, encryptData, ivBytes, keyIdOf } from "#domain/encrypted-data.ts";
import { contextOfMail } from "#domain/mail/sealed-mail.ts";
import { paymentContext } from "#domain/payment-details.ts";
import { secretContext } from "#domain/webhooks.ts";
import { listSecrets, replaceSecrets } from "#store/accounts/second-factors.ts";
import type { Database } from "#store/database.ts";
import { listSealedMails, replaceSealedMails } from "#store/mails.ts";
import { listSealedDetails, replaceSealedDetails } from "#store/payment-details.ts";
import { listSealedSecrets, replaceSealedSecrets } from "#store/webhooks.ts";
import { type ExitCode, exit } from "../../sdk/cli/exit.ts";
import { parseFlags } from "../../sdk/cli/flags.ts";
import { ExplainedError, operatorCommand } from "../command.ts";
import { openStore } from "../database/client.ts";
import { requireRing } from "../database/data-key-ring.ts";
import { serviceDatabase } from "../database/service-database.ts";

export const help = `${operatorCommand} rotate-data-keys [--secrets-file <file>] [--data <folder>]

Encrypts with the first key of DATA_KEYS what another of its keys encrypted.

  --secrets-file <file>  where DATA_KEYS is, unless it is in the environment; default: the data folder's own file`;

const batchSize = 200;

interface Sealed {
  /** The column that orders the rows. */
  readonly key: string;
  readonly context: DataContext;
  readonly sealed: string;
}

/** Encrypted rows. `replace` skips rows that have changed since they were read. */
interface SealedRows {
  readonly list: (database: Database, after: string) => Promise<readonly Sealed[]>;
  readonly replace: (database: Database, changes: readonly Replaced[]) => Promise<void>;
}
interface Replaced {
  readonly key: string;
  readonly before: string;
  readonly after: string;
}

const secondFactors: SealedRows = {
  list: async (database, after) =>
    (await listSecrets(database, after, batchSize)).map(({ userId, secret }) => ({
      key: userId,
      context: { purpose: "totp-secret", rowId: userId },
      sealed: secret,
    })),
  replace: (database, changes) =>
    replaceSecrets(
      database,
      changes.map(({ key, ...rest }) => ({ userId: key, ...rest })),
    ),
};

const paymentDetails: SealedRows = {
  list: async (database, after) =>
    (await listSealedDetails(database, Number(after), batchSize)).map(({ id, ciphertext, ...version }) => ({
      key: String(id),
      context: paymentContext(version),
      sealed: ciphertext,
    })),
  replace: (database, changes) =>
    replaceSealedDetails(
      database,
      changes.map(({ key, ...rest }) => ({ id: Number(key), ...rest })),
    ),
};

const waitingMails: SealedRows = {
  list: async (database, after) =>
    (await listSealedMails(database, after, batchSize)).map(({ content, ...mail }) => ({
      key: mail.id,
      context: contextOfMail(mail),
      sealed: content,
    })),
  replace: (database, changes) =>
    replaceSealedMails(
      database,
      changes.map(({ key, ...rest }) => ({ id: key, ...rest })),
    ),
};

const webhookSecrets: SealedRows = {
  list: async (database, after) =>
    (await listSealedSecrets(database, after, batchSize)).map(({ sealed, ...secret }) => ({
      key: secret.sealId,
      context: secretContext(secret),
      sealed,
    })),
  replace: (database, changes) =>
    replaceSealedSecrets(
      database,
      changes.map(({ key, ...rest }) => ({ sealId: key, ...rest })),
    ),
};

interface Done {
  encrypted: number;
  unreadable: number;
}

async function rotate(database: Database, rows: SealedRows, ring: DataKeyRing, done: Done): Promise<void> {
  for (let after = ""; ; ) {
    const page = await rows.list(database, after);
    const [last] = page.slice(-1);
    if (last === undefined) return;
    after = last.key;
    const changes = [];
    for (const { key, context, sealed } of page.filter(({ sealed }) => keyIdOf(sealed) !== ring.newestId)) {
      const plain = await decryptData(ring, context, sealed);
      if (plain === undefined) done.unreadable += 1;
      else {
        const iv = crypto.getRandomValues(new Uint8Array(ivBytes));
        changes.push({ key, before: sealed, after: await encryptData(ring, context, plain, iv) });
      }
    }
    await rows.replace(database, changes);
    done.encrypted += changes.length;
  }
}

export async function run(args: string[]): Promise<ExitCode> {
  const { values } = parseFlags(args, { "secrets-file": { type: "string" }, data: { type: "string" } }, 0);
  const ring = await requireRing({ file: values["secrets-file"], folder: values.data });
  const { databases } = await serviceDatabase(values.data);
  const done: Done = { encrypted: 0, unreadable: 0 };
  for (const { url, authToken } of databases) {
    const database = openStore({ url, authToken });
    for (const rows of [secondFactors, paymentDetails, waitingMails, webhookSecrets])
      await rotate(database, rows, ring, done);
  }
  const { encrypted, unreadable } = done;
  console.log(`${encrypted} encrypted with key ${ring.newestId}.`);
  if (unreadable === 0) return exit.good;
  throw new ExplainedError(`${unreadable} can't be decrypted: DATA_KEYS lacks their key, or they were altered.`);
}
