import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { clientAddressHeaderOf } from "#env.ts";
import { root } from "../../scripts/root.ts";
import { service } from "./service.ts";

const click = { affiliate_url: "https://shop.example/?aff=anna" };
const lead = { customer_key: "u1", program_id: 7 };
const cloudflareFirst = { ADDRESS_FROM: "peer", CLIENT_ADDRESS_HEADER: "CF-Connecting-IP" };
const from = (address: string) => ({ headers: { "CF-Connecting-IP": address } });
const whoOf = (counted: readonly { readonly limit: string; readonly who: string }[], name: string) =>
  counted.filter(({ limit }) => limit === name).map(({ who }) => who);

test("rate limits count by address for IPv4, and by /64 network and /48 network for IPv6", async () => {
  const { click: send, lead: sendLead, counted } = service();
  const addresses = ["2001:db8:1:2::1", "2001:db8:1:3::1", "2001:db8:2::1", "192.0.2.7", "::ffff:c000:207"];
  for (const address of addresses) await send(click, from(address));
  const devices = whoOf(counted, "CLICK_LIMIT");
  const sites = whoOf(counted, "CLICK_SITE_LIMIT");
  expect([devices.length, new Set(devices).size, devices[4]]).toEqual([5, 4, devices[3]]);
  expect([sites.length, new Set(sites).size, sites[1]]).toEqual([3, 2, sites[0]]);
  await sendLead(lead, from("2001:db8:1:2::1"));
  expect(whoOf(counted, "LEAD_SITE_LIMIT")).toEqual([sites[0]]);
});

test("the nginx configuration in the self-hosting guide appends the client's address to the header that the service reads by default", () => {
  const [, lines = ""] = /```nginx\n([^`]*)```/.exec(readFileSync(join(root, "docs/self-hosting.md"), "utf8")) ?? [];
  const header = /proxy_set_header (\S+) \$proxy_add_x_forwarded_for;/.exec(lines)?.[1];
  expect(header?.toLowerCase()).toBe(clientAddressHeaderOf(service().env));
});

test.each(["nobody", "192.0.2.7, 192.0.2.8", "2001:db8::g", "203.0.113.256"])(
  "an invalid client address is treated as missing: %s",
  async (text) => {
    for (const env of [{}, { ...cloudflareFirst, TRUSTED_PROXIES: "::1" }]) {
      const { click: send, counted } = service({ env });
      const cf = { clientIp: "[::1]:4000" };
      await send(click, { ...from(text), cf });
      await send(click, { ...from(`${text} `), cf });
      await send(click, { cf });
      expect(new Set(whoOf(counted, "CLICK_LIMIT")).size).toBe(1);
    }
  },
);

test("a call from an IPv6 /48 network above its limit is refused without calling the Ledger", async () => {
  const { click: send, lead: sendLead, calls } = service({ pastLimit: ["CLICK_SITE_LIMIT", "LEAD_SITE_LIMIT"] });
  expect((await send(click, from("2001:db8::1"))).status).toBe(429);
  expect((await sendLead(lead, from("2001:db8::1"))).status).toBe(429);
  expect(calls).toEqual([]);
  expect((await send(click, from("192.0.2.7"))).status).toBe(200);
});
