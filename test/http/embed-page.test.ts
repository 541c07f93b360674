import { expect, test } from "vitest";
import { service } from "./service.ts";

test.each([
  "/embed/",
  "/embed/emb_7",
  "/embed/emb_7_AAAAAAAAAAAAAAAAAAAAA",
  "/embed/emb_07_AAAAAAAAAAAAAAAAAAAAAA",
  "/embed/emb_7_AAAAAAAAAAAAAAAAAAAAAA/more",
])("%s isn't a page", async (path) => {
  const { status, body } = await service().send({ method: "GET", path });
  expect([status, body]).toMatchObject([404, { error: { message: "Not found" } }]);
});
