import type { TestTagDefinition } from "vitest/config";

/** True with TESTS=whole, which `npm run soak` sets: all tests run, each with all of its cases. */
export const isWhole = process.env.TESTS === "whole";

/** The limit of a test. Only a test that never ends takes so long, on the slowest machine too. */
export const longestMs = isWhole ? 900_000 : 180_000;

/** Tag of tests that only `npm run soak` runs. A file sets it with `@module-tag soak`. */
export const soakTag: TestTagDefinition = {
  name: "soak",
  description: "Left to npm run soak: test/README.md says what, and why",
  skip: !isWhole,
};

/**
 * Tag of tests whose input came from outside the project, and for which the service once gave a wrong result.
 * `npm run vitest -- --tags-filter=finding` runs only these tests.
 */
const findingTag: TestTagDefinition = {
  name: "finding",
  description: "An input of the outside world that once had the wrong result",
};

export const tags = [soakTag, findingTag];

/** Returns the first `count` cases of a behavior, or all of them in `npm run soak`. */
export const sampled = <const Case>(cases: readonly Case[], count = 1): readonly Case[] =>
  isWhole ? cases : cases.slice(0, count);

/** Returns the first case of each kind, or all cases in `npm run soak`. */
export const oneOfEach = <Case>(cases: readonly Case[], kindOf: (each: Case) => unknown): readonly Case[] => {
  const kinds = new Map(cases.toReversed().map((each) => [kindOf(each), each]));
  return isWhole ? cases : cases.filter((each) => kinds.get(kindOf(each)) === each);
};
