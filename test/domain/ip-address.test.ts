import { describe, expect, test } from "vitest";
import { isIn, networksOf, parseCidrs } from "#domain/ip-address.ts";

const held = (cidrs: string, address: string) => isIn(parseCidrs(cidrs) ?? [], address);

describe("a list of address ranges", () => {
  test.each([
    ["10.0.0.0/8", "10.255.0.1"],
    ["10.1.2.3", "10.1.2.3"],
    ["10.1.2.3/32, 192.0.2.128/25", "192.0.2.200"],
    ["172.16.0.0/12", "172.31.255.255"],
    ["0.0.0.0/0", "203.0.113.7"],
    ["127.0.0.0/8", "::ffff:127.0.0.1"],
    ["::ffff:127.0.0.1", "127.0.0.1"],
    ["2001:db8::/33", "2001:db8:7fff::1"],
    ["::1", "0:0:0:0:0:0:0:1"],
    ["FD00::/8", "fdab::2"],
    ["1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"],
  ])("the address ranges %s contain %s", (cidrs, address) => {
    expect(held(cidrs, address)).toBe(true);
  });

  test.each([
    ["", "127.0.0.1"],
    ["10.0.0.0/8", "11.0.0.0"],
    ["172.16.0.0/12", "172.32.0.0"],
    ["192.0.2.128/25", "192.0.2.127"],
    ["0.0.0.0/0", "::1"],
    ["::/0", "127.0.0.1"],
    ["2001:db8::/33", "2001:db8:8000::"],
    ["10.0.0.0/8", "unknown"],
    ["0.0.0.0/0", "10.0.0"],
    ["::/0", "fe80::1%eth0"],
  ])("the address ranges %s don't contain %s", (cidrs, address) => {
    expect(held(cidrs, address)).toBe(false);
  });

  test.each([
    "localhost",
    "10.0.0.0/33",
    "10.0.0.0/",
    "10.0.0.0/-1",
    "10.0.0.0/8/8",
    "10.0.0",
    "10.0.0.256",
    "10.0.0.0/8;11.0.0.0/8",
    "2001:db8::/129",
    "2001:db8",
    "1::2::3",
    "1:2:3:4:5:6:7:8::",
    "1:2:3:4:5:6:7:8:9",
    "12345::",
    "::g",
    ":1:2:3:4:5:6:7",
    "[::1]",
    "10.0.0.1,x",
  ])("the address ranges %s are invalid", (text) => {
    expect(parseCidrs(text)).toBeUndefined();
  });
});

const countedAs = (address: string) => networksOf(address).device;

test("for limits, an IPv6 /64 network counts as one caller, and every other address as a separate caller", () => {
  const callers = [
    [
      "192.0.2.1",
      "::ffff:192.0.2.1",
      "::ffff:c000:201",
      "::FFFF:C000:0201",
      "0:0:0:0:0:ffff:192.0.2.1",
      "0::ffff:c000:201",
    ],
    ["192.0.2.2"],
    ["2001:db8::1", "2001:0DB8:0:0:ffff:ffff:ffff:ffff", "2001:db8::192.0.2.1"],
    ["2001:db8:0:1::"],
    ["::1", "::c000:201"],
    ["unknown"],
    ["::ffff:192.0.2.256"],
  ];
  const networks = callers.map((addresses) => new Set(addresses.map(countedAs)));
  for (const network of networks) expect(network.size).toBe(1);
  expect(new Set(networks.flatMap((network) => [...network])).size).toBe(callers.length);
});

test("for limits, an IPv6 /48 network counts as one site, and an IPv4 address has no site in any notation", () => {
  const siteOf = (address: string) => networksOf(address).site;
  expect(siteOf("2001:db8:1:ffff::1")).toBe(siteOf("2001:db8:1::"));
  expect(siteOf("2001:db8:2::1")).not.toBe(siteOf("2001:db8:1::"));
  for (const address of ["192.0.2.1", "::ffff:192.0.2.1", "::ffff:c000:201", "unknown"])
    expect(siteOf(address), address).toBeUndefined();
});
