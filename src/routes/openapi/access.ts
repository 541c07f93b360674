import type { Operation } from "./with-examples.ts";

/** Where the key is optional, no security is the other way. */
export const isKeyRequired = ({ security }: Operation): boolean => security.length === 1;

/** A key needs one of them. Empty if the operation takes no key. */
export const scopesOf = ({ security }: Operation): readonly string[] =>
  security.flatMap(({ programKey = [] }) => programKey);
