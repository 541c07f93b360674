import { expect, test } from "vitest";
import { linkOf } from "#api/partners.ts";
import { landingCode } from "#domain/landing.ts";
import { linkTo } from "../../dashboard/src/partner/pages/links/page-link.ts";

test.each([
  ["https://shop.example/p?something=true", "https://shop.example/p?something=true&aff=anna"],
  ["https://shop.example/2015/hello/#comment", "https://shop.example/2015/hello/?aff=anna#comment"],
  ["https://shop.example/p?x=1#reviews", "https://shop.example/p?x=1&aff=anna#reviews"],
  ["https://shop.example/?aff=old&x=1", "https://shop.example/?aff=anna&x=1"],
  ["https://shop.example/a b?q=ä", "https://shop.example/a%20b?q=%C3%A4&aff=anna"],
  ["https://bücher.example/x", "https://xn--bcher-kva.example/x?aff=anna"],
  ["https://shop.example/#/pricing", "https://shop.example/?aff=anna#/pricing"],
])(
  "a partner's link to %s has the partner's code once, before the fragment",
  { tags: ["finding"] },
  (destinationUrl, expected) => {
    const link = linkOf({ code: "anna", destinationUrl, websiteUrl: null }) ?? "";
    expect(link).toBe(expected);
    const own = `${new URL(destinationUrl).origin}/?aff=anna`;
    expect(landingCode(new URL(link).searchParams, null).code).toBe("anna");
    expect(linkTo({ own, websiteUrl: null, page: destinationUrl, sub: "" }).link).toBe(expected);
  },
);
