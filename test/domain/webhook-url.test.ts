import { expect, test } from "vitest";
import { parseCidrs } from "#domain/ip-address.ts";
import { isUrlAllowed } from "#domain/webhooks.ts";

const allowed = parseCidrs("127.0.0.0/8,::1,10.0.0.0/8") ?? [];
const mayGo = (url: string, ...own: string[]) => isUrlAllowed(url, own, allowed);

test.each([
  ["http://127.0.0.1:8787", "http://127.0.0.1:8787/"],
  ["http://127.0.0.1:8787", "http://localhost:8787/"],
  ["http://127.0.0.1:8787", "http://[::ffff:127.0.0.1]:8787/"],
  ["http://127.0.0.1:8787", "http://[::1]:8787/"],
  ["http://localhost:8787", "http://127.1.2.3:8787/"],
  ["http://10.0.0.1", "http://[::ffff:a00:1]/"],
  ["https://10.0.0.1", "http://10.0.0.1:443/"],
  ["https://tracking.example", "https://TRACKING.example./"],
])("the service at %s sends no webhooks to its own address %s", (own, url) => {
  expect(mayGo(url, own)).toBe(false);
});

test.each([
  ["http://127.0.0.1:8787", "http://127.0.0.1:3000/"],
  ["http://127.0.0.1:8787", "http://10.0.0.1:8787/"],
  ["https://tracking.example", "https://shop.example/"],
])("the service at %s can send webhooks to the address %s, which isn't its own", (own, url) => {
  expect(mayGo(url, own)).toBe(true);
});
