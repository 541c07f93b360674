import { expect } from "vitest";
import type { Reply } from "../../harness/client.ts";

/** Returns the body of an accepted call. */
export const taken = async <Body>(call: Promise<Reply<Body>>): Promise<Body> => {
  const { status, text, body } = await call;
  expect([200, 201], text).toContain(status);
  return body;
};
