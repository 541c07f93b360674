import type { LinkId, ProgramId, Shard } from "#domain/ids.ts";
import { readHomeAndProgram } from "../accounts/scope.ts";
import type { Database } from "../database.ts";
import { erasureOfDigests } from "../erasures.ts";
import { offerOfLink } from "../offers.ts";
import { programById } from "../programs.ts";
import { linkById } from "../settings.ts";

interface OfClick {
  readonly programId: ProgramId;
  readonly linkId: LinkId;
  /** The digest of this click id, in the form that an erasure stores. */
  readonly digest: string;
  readonly at: number;
}

/** Reads the offer of the click's partner from the program's database, on any shard. */
export async function readClickOffer(
  databaseOf: (shard: Shard) => Database,
  { programId, linkId, digest, at }: OfClick,
  guess: Shard,
) {
  const { there } = await readHomeAndProgram(
    databaseOf,
    { id: programId, guess },
    {},
    {
      program: programById({ id: programId }),
      link: linkById({ id: linkId }),
      erasure: erasureOfDigests({ programId, digests: JSON.stringify([digest]) }),
      offer: offerOfLink({ programId, linkId, at }),
    },
  );
  return there;
}
