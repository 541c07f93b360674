import { expect } from "vitest";
import type { Reply } from "../../harness/client.ts";

/** Returns the response body of a call that must succeed. */
export const taken = async <Body>(call: Promise<Reply<Body>>): Promise<Body> => {
  const { status, text, body } = await call;
  expect([200, 201], text).toContain(status);
  return body;
};
