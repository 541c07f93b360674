import type { Operation } from "./with-examples.ts";

/** An optional key has the alternative of no security. */
export const isKeyRequired = ({ security }: Operation): boolean => security.length === 1;

/** A key needs one of them. Empty if the operation takes no key. */
export const scopesOf = ({ security }: Operation): readonly string[] =>
  security.flatMap(({ programKey = [] }) => programKey);
