import type { KeyId } from "./ids.ts";

const keyActor = "key ";
const embedActor = "embed ";

/** The actor of a change made with a program key. The other actors are user ids and those of referral pages. */
export const actorOfKey = (id: KeyId | undefined): string => `${keyActor}${id}`;

export const isKeyActor = (actorId: string): boolean => actorId.startsWith(keyActor);

export const isEmbedActor = (actorId: string): boolean => actorId.startsWith(embedActor);

/** The actor of a change on the referral page in the integrator's product. `id` is the key that issued the token. */
export const actorOfEmbed = (id: KeyId): string => `${embedActor}${id}`;
