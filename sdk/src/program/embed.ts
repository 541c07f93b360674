import type { Optional } from "../inputs.ts";
import type { Failure, Success } from "../results.ts";

/** The person who is signed in to your product. */
export interface EmbedTokenInput {
  /** Your own id of the person. The partner is found by it alone. At most 255 characters. */
  readonly externalId: string;
  /** Used when the person's first link is created, as are the fields below. */
  readonly name?: Optional<string>;
  readonly email?: Optional<string>;
  /** Name of the group of the new partner. */
  readonly group?: Optional<string>;
  /** The code of the first link. Default: a random one. */
  readonly code?: Optional<string>;
}

export interface EmbedToken {
  /** Pass it only to the person's own browser: anyone who has it can read the person's figures. */
  readonly token: string;
  /** ISO 8601. */
  readonly expiresAt: string;
  /** Seconds. */
  readonly expiresIn: number;
  /** Null until the person has a link. */
  readonly partnerId: number | null;
}

export type EmbedTokenResult = Success<EmbedToken> | Failure;
