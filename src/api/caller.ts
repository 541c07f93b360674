import type { KeyedChangeCall } from "#operations/manage/settings-change.ts";

/** Who makes a change: a member, or a key that was checked. With the call's id and instant. */
export type Caller = KeyedChangeCall;

/** How the fields of a caller's bodies are named. */
export type Naming = (field: string) => string;
