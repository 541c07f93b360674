import { expect, test } from "vitest";
import { maskUrl } from "#domain/mask-url.ts";

test.each([
  ["https://hooks.shop.example/services/T0/B0/secret-abcd", "https://hooks.shop.example/…abcd"],
  ["https://hooks.shop.example/?token=secret-abcd", "https://hooks.shop.example/…abcd"],
  ["https://shop.example:8443/hook", "https://shop.example:8443/…"],
  ["https://shop.example/", "https://shop.example/"],
  ["https://shop.example", "https://shop.example"],
])("the webhook URL %s is masked as %s", (url, shown) => {
  expect(maskUrl(url)).toBe(shown);
});
