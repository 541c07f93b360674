import type { Operation } from "./with-examples.ts";

/** If a key is optional, `security` contains an empty alternative. */
export const isKeyRequired = ({ security }: Operation): boolean => security.length === 1;

/** The key must have one of these scopes. Empty if the operation accepts no key. */
export const scopesOf = ({ security }: Operation): readonly string[] =>
  security.flatMap(({ programKey = [] }) => programKey);
