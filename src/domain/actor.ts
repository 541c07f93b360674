import type { KeyId } from "./ids.ts";

const keyActor = "key ";

/** A change's actor is a user's id, or this. */
export const actorOfKey = (id: KeyId | undefined): string => `${keyActor}${id}`;

export const isKeyActor = (actorId: string): boolean => actorId.startsWith(keyActor);
