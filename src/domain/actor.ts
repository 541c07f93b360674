import type { KeyId } from "./ids.ts";

const keyActor = "key ";
const embedActor = "embed ";

/** Returns the stored actor of a change made with a program key. Other actors are user ids, and `actorOfEmbed`. */
export const actorOfKey = (id: KeyId | undefined): string => `${keyActor}${id}`;

export const isKeyActor = (actorId: string): boolean => actorId.startsWith(keyActor);

export const isEmbedActor = (actorId: string): boolean => actorId.startsWith(embedActor);

/** Returns the stored actor of a change on the referral page. `id` is the program key that issued the page's token. */
export const actorOfEmbed = (id: KeyId): string => `${embedActor}${id}`;
