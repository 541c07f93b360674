import type { TestTagDefinition } from "vitest/config";

/** TESTS=whole, as `npm run soak` has it: every test, each in its full breadth. */
export const isWhole = process.env.TESTS === "whole";

/** Tag of tests that only `npm run soak` runs. A file sets it with `@module-tag soak`. */
export const soakTag: TestTagDefinition = {
  name: "soak",
  description: "Left to npm run soak: test/README.md says what, and why",
  skip: !isWhole,
};

/**
 * Tag of tests whose input came from outside and once failed: `npm run vitest -- --tags-filter=finding` runs them
 * alone.
 */
const findingTag: TestTagDefinition = {
  name: "finding",
  description: "An input of the outside world that once had the wrong result",
};

export const tags = [soakTag, findingTag];

/** The first `count` of what repeats one promise; in `npm run soak` all of them. */
export const sampled = <const Case>(cases: readonly Case[], count = 1): readonly Case[] =>
  isWhole ? cases : cases.slice(0, count);

/** The first of each kind of what repeats one promise; in `npm run soak` all of them. */
export const oneOfEach = <Case>(cases: readonly Case[], kindOf: (each: Case) => unknown): readonly Case[] => {
  const kinds = new Map(cases.toReversed().map((each) => [kindOf(each), each]));
  return isWhole ? cases : cases.filter((each) => kinds.get(kindOf(each)) === each);
};
