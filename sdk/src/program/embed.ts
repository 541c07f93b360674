import type { Optional } from "../inputs.ts";
import type { Failure, Success } from "../results.ts";

/** The signed-in user of your product. */
export interface EmbedTokenInput {
  /** The user's id in your product. The partner is found by this id only. At most 255 characters. */
  readonly externalId: string;
  /** This and the fields below are used when the user's first link is created. */
  readonly name?: Optional<string>;
  readonly email?: Optional<string>;
  /** Name of the group that the new partner joins. */
  readonly group?: Optional<string>;
  /** The code of the first link. Default: a random one. */
  readonly code?: Optional<string>;
}

export interface EmbedToken {
  /** Pass it only to the user's own browser: anyone who has it can read the user's figures. */
  readonly token: string;
  /** ISO 8601. */
  readonly expiresAt: string;
  /** Seconds. */
  readonly expiresIn: number;
  /** Null until the user has a link. */
  readonly partnerId: number | null;
}

export type EmbedTokenResult = Success<EmbedToken> | Failure;
