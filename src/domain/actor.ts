import type { KeyId } from "./ids.ts";

const keyActor = "key ";

/** The actor of a change made with a program key. Other actors are user ids. */
export const actorOfKey = (id: KeyId | undefined): string => `${keyActor}${id}`;

export const isKeyActor = (actorId: string): boolean => actorId.startsWith(keyActor);
