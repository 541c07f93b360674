import { base32 } from "#domain/base32.ts";
import { erasedPartnerDigest } from "#domain/erasure.ts";
import type { Shard } from "#domain/ids.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import { hashSecretOf } from "#env.ts";
import type { Ctx } from "#http/context.ts";
import type * as z from "#http/schema/zod.ts";
import { countNewCode } from "./account-limits.ts";
import type { Embedded } from "./embed-overview.ts";
import { callWithFreeCode } from "./join.ts";
import { type ownLink, readOwnLink } from "./own-links.ts";

const codeBytes = 5;
const tries = 3;

/** Returns a code of eight characters, from an alphabet without look-alikes. */
const randomCode = (): string => base32(crypto.getRandomValues(new Uint8Array(codeBytes))).toLowerCase();

interface Created {
  readonly link: z.output<typeof ownLink.schema>;
  readonly isNew: boolean;
}

/**
 * Creates a link for the user. The first link also creates the partner. Without `chosen`, returns the user's first link
 * if one exists.
 */
export async function createEmbeddedLink(
  c: Ctx,
  { program, partner, token }: Embedded,
  { chosen, shard }: { readonly chosen: string | null; readonly shard: Shard },
): Promise<Result<Created>> {
  const { id: programId } = program;
  if (partner !== undefined && chosen === null) {
    const first = await readOwnLink(c, { ...partner, code: undefined });
    return first.ok ? ok({ link: first.value, isNew: false }) : first;
  }
  const { code: given, ...user } = token;
  const fixed = chosen ?? given;
  if (chosen !== null) {
    const refusal = await countNewCode(c, `${programId} embed ${token.externalId}`);
    if (refusal !== undefined) return refused(refusal);
  }
  const codes: readonly [string, ...string[]] =
    fixed === null ? [randomCode(), ...Array.from({ length: tries - 1 }, randomCode)] : [fixed];
  const secrets = { programId, hashSecret: hashSecretOf(c.env) };
  const common = {
    ...c.get("call"),
    ...user,
    kind: "create-embedded-link",
    programId,
    erasedDigest: erasedPartnerDigest(secrets, token.externalId),
    isChosen: chosen !== null,
  } as const;
  const made = await callWithFreeCode(c, { id: programId, shard }, codes, {
    call: (code) => ({ ...common, code }),
    // The directory entry is wrong if the code wasn't added, or if the code has the destination of the partner's first
    // code.
    corrects: ({ isNew }) => !isNew || partner !== undefined,
  });
  if (!made.ok) return refused(made.refusal);
  const { partnerId, code, isNew } = made.answer;
  const link = await readOwnLink(c, { programId, partnerId, code });
  return link.ok ? ok({ link: link.value, isNew }) : link;
}
