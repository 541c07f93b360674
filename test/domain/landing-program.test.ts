import { describe, expect, it } from "vitest";
import { hostOf } from "#domain/code-owner.ts";
import { programOfLanding } from "#domain/landing-program.ts";

/** Returns one program per argument, with ids from 1. */
const owners = (...sites: (string | readonly string[])[]) =>
  sites.map((urls, i) => ({ programId: i + 1, hosts: [urls].flat().flatMap((url) => hostOf(url) ?? []) }));
const other = "https://other.example";

describe("a landing page on the program's site", () => {
  it.each([
    ["the same host", "https://shop.example", "https://shop.example/landing?aff=x"],
    ["another scheme", "http://shop.example", "https://shop.example/"],
    ["another port", "http://shop.example:8080", "https://shop.example:8443/"],
    ["capitals", "https://Shop.EXAMPLE", "https://sHOP.example/"],
    ["www. that the site lacks", "https://shop.example", "https://www.shop.example/"],
    ["no www., while the site has it", "https://www.shop.example", "https://shop.example/"],
    ["a trailing dot that the site lacks", "https://shop.example", "https://shop.example./"],
    ["no trailing dot, while the site has one", "https://www.shop.example.", "https://shop.example/"],
    ["Unicode where the site has punycode", "https://xn--bcher-kva.example", "https://bücher.example/"],
    ["punycode where the site has Unicode", "https://BÜCHER.example", "https://xn--bcher-kva.example/"],
    ["a subdomain of the site as its host", "https://shop.example", "https://eu.blog.shop.example/"],
    [
      "a subdomain of the site as its host, and the site is itself a subdomain",
      "https://blog.shop.example",
      "https://eu.blog.shop.example/",
    ],
    [
      "a subdomain of the site with Unicode as its host",
      "https://bücher.example",
      "https://neu.xn--bcher-kva.example/",
    ],
    ["a subdomain of a site below a public suffix with two labels", "https://shop.co.uk", "https://www.eu.shop.co.uk/"],
    ["the same shop of a platform as its host", "https://ours.myshopify.com", "https://ours.myshopify.com/"],
    ["the site's IPv4 address", "http://192.0.2.7:3000", "http://192.0.2.7:8080/"],
    ["the site's IPv4 address in another spelling", "http://192.0.2.7", "http://0xc0000207/"],
    ["the site's IPv6 address", "http://[2001:db8::1]", "http://[2001:DB8:0::1]:8080/"],
  ])("a landing page belongs to the program's site if it has %s", (_, site, landing) => {
    expect(programOfLanding(landing, owners(other, site))).toBe(2);
  });
});

describe("a landing page outside the program's site", () => {
  it.each([
    ["a page on another host", "https://shop.example", "https://shop.example.org/"],
    ["a page on a host that only ends like the site", "https://shop.example", "https://myshop.example/"],
    ["a page on the site's parent domain", "https://blog.shop.example", "https://shop.example/"],
    ["a page on a sibling domain of the site", "https://blog.shop.example", "https://eu.shop.example/"],
    ["a page with the site's name in its path", "https://shop.example", "https://evil.test/shop.example"],
    ["a page below a site that is a top-level domain", "https://com", "https://shop.com/"],
    ["a page below a public suffix", "https://co.uk", "https://shop.co.uk/"],
    ["a page below a public suffix with www.", "https://www.co.uk", "https://shop.co.uk/"],
    ["a page below a public suffix with a trailing dot", "https://co.uk.", "https://shop.co.uk/"],
    ["a page below a public suffix in Unicode", "https://公司.cn", "https://xn--55qx5d.xn--55qx5d.cn/"],
    ["a page below a public suffix by a wildcard", "https://anything.ck", "https://shop.anything.ck/"],
    ["another owner's page on GitHub", "https://github.io", "https://somebody.github.io/"],
    ["another owner's shop on Shopify", "https://myshopify.com", "https://somebody.myshopify.com/"],
    ["another shop of the same platform", "https://ours.myshopify.com", "https://theirs.myshopify.com/"],
    ["a page on a public suffix below the site", "https://amazonaws.com", "https://x.s3.amazonaws.com/"],
    ["a page on a public suffix itself", "https://github.io", "https://github.io/"],
    ["a page on localhost, which any site may use", "http://localhost:3000", "http://localhost:3000/"],
    ["a page below localhost", "http://localhost", "http://shop.localhost/"],
    ["a page on another IP address", "http://192.0.2.7", "http://192.0.2.8/"],
  ])("a landing page doesn't belong to the program's site if it is %s", (_, site, landing) => {
    expect(programOfLanding(landing, owners(other, site))).toBeUndefined();
  });
});

describe("a code that several programs share", () => {
  const landing = "https://blog.shop.example/?aff=x";

  it("a code that several programs share is attributed to the program whose website or link leads to the page", () => {
    expect(programOfLanding(landing, owners("https://shop.example", other))).toBe(1);
    expect(programOfLanding(landing, owners([other, "https://shop.example/new"], other))).toBe(1);
  });

  it("a code that several programs share is attributed to none if two programs match the page, even if one matches more closely", () => {
    expect(programOfLanding(landing, owners("https://shop.example", "https://blog.shop.example"))).toBeUndefined();
    expect(programOfLanding(landing, owners("https://shop.example", [other, "https://shop.example"]))).toBeUndefined();
  });

  it("a code that several programs share is attributed to none if one program has no known site, because the page could be part of it", () => {
    expect(programOfLanding(landing, owners("https://shop.example", []))).toBeUndefined();
    expect(programOfLanding(landing, owners("https://shop.example", other, []))).toBeUndefined();
  });

  it("a code that several programs share is attributed to none if no program matches the page, or if no program is listed", () => {
    expect(programOfLanding(landing, owners(other, "https://third.example"))).toBeUndefined();
    expect(programOfLanding(landing, [])).toBeUndefined();
  });
});
