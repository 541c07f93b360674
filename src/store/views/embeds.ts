import type { KeyId, ProgramId, Shard } from "#domain/ids.ts";
import { readProgramAnywhere } from "../accounts/scope.ts";
import { type Database, readBatch, readOne } from "../database.ts";
import { type EmbedRow, embedOf, erasedPartner, keyIdOfHash, termsOfKey } from "../embeds.ts";
import { groupsOfNames } from "../groups.ts";
import { partnerOfExternalId } from "../partners.ts";
import { programById } from "../programs.ts";

export const readEmbed = async (database: Database, programId: ProgramId): Promise<EmbedRow | undefined> =>
  await readOne(database, embedOf({ programId }));

interface AskedToken {
  readonly programId: ProgramId;
  readonly keyHash: string;
  readonly externalId: string;
  readonly erasedDigest: string;
  readonly groupName: string | null;
}

/** Reads everything that issuing a token needs. */
export function readForToken(
  database: Database,
  { programId, keyHash, externalId, erasedDigest, groupName }: AskedToken,
) {
  return readBatch(database, {
    key: keyIdOfHash({ programId, hash: keyHash }),
    partner: partnerOfExternalId({ programId, externalId }),
    erased: erasedPartner({ programId, digest: erasedDigest }),
    groups: groupsOfNames({ programId, names: JSON.stringify(groupName === null ? [] : [groupName]) }),
  });
}

interface AskedPage {
  readonly programId: ProgramId;
  readonly guess: Shard;
}

/** Reads a program and its referral page from any shard. */
export const readEmbedPage = (databaseOf: (shard: Shard) => Database, { programId, guess }: AskedPage) =>
  readProgramAnywhere(
    databaseOf,
    { id: programId, guess },
    { program: programById({ id: programId }), embed: embedOf({ programId }) },
  );

interface AskedByToken extends AskedPage {
  readonly keyId: KeyId;
  readonly externalId: string;
  readonly erasedDigest: string;
}

/** Reads everything that a call with a token needs, from any shard. */
export const readByToken = (
  databaseOf: (shard: Shard) => Database,
  { programId, guess, keyId, externalId, erasedDigest }: AskedByToken,
) =>
  readProgramAnywhere(
    databaseOf,
    { id: programId, guess },
    {
      program: programById({ id: programId }),
      embed: embedOf({ programId }),
      key: termsOfKey({ programId, id: keyId }),
      partner: partnerOfExternalId({ programId, externalId }),
      erased: erasedPartner({ programId, digest: erasedDigest }),
    },
  );
