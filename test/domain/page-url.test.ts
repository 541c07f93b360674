import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { storedPageUrl } from "#domain/page-url.ts";

const origin = "https://shop.example";
const storedOf = (url: URL): string => storedPageUrl(url) ?? expect.unreachable();
const stored = (rest: string): string => storedOf(new URL(origin + rest)).slice(origin.length);

describe("a path segment of a stored URL", () => {
  it.each([
    ...["jane@mail.example", "jane+shop@mail.example", "jane%40mail.example", "jane%2Bshop%40mail.example"],
    ...["jane%2540mail.example", "jane%252540mail.example", "jane%EF%BC%A0mail.example", "to:jane@mail.example"],
    ...["jane%20@%20mail.example", "%FFjane%40mail.example", "a%2Fjane%40mail.example"],
  ])("a stored URL has * for a path segment that looks like an email address: %s", (segment) => {
    expect(stored(`/welcome/${segment}/done`)).toBe("/welcome/*/done");
  });

  it.each([
    ...["123456", "4111111111111111", "order-1234567", "user1234567", "123456.html", "%31%32%33%34%35%36"],
    ...["555-123-4567", "+49%20(170)%201234567", "4111-1111-1111-1111", "1.234.567", "192.168.100.20"],
    ...["2024-11-22-123456", "123-2024-11", "2024112", "%D9%A1%D9%A2%D9%A3%D9%A4%D9%A5%D9%A6"],
  ])("a stored URL has * for a path segment that looks like a number of more than five digits: %s", (segment) => {
    expect(stored(`/orders/${segment}/thanks`)).toBe("/orders/*/thanks");
  });

  it.each([
    ["hexadecimal", "9f86d081884c7d65"],
    ["base64url", "aB3dE5fG7hJ9kL2m"],
    ["base64url with punctuation", "mR-4_tYb-9Qz_7Wc-K2"],
    ["letters of both cases", "QwErTyUiOpAsDfGh"],
    ["a UUID", "550e8400-e29b-41d4-a716-446655440000"],
    ["a UUID in capitals", "550E8400-E29B-41D4-A716-446655440000"],
    ["a ULID", "01ARZ3NDEKTSV4RRFFQ69G5FAV"],
    ["a JWT", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.SflKxwRJSMeKKF2QT4fwpM"],
    ["a payment session", "cs_test_a1B2c3D4e5F6g7H8"],
    ["a licence key", "AB12-CD34-EF56-GH78"],
    ["a session id in a parameter", "cart;jsessionid=1A2B3C4D5E6F7A8B"],
    ["encoded", "%61B3dE5fG7hJ9kL2m"],
    ["text encoded many times", `%${"25".repeat(20)}41`],
  ])("a stored URL has * for a path segment that looks like a token: %s", (_, segment) => {
    expect(stored(`/reset/${segment}`)).toBe("/reset/*");
  });
});

it.each([
  ...["", "/", "//a//", "/index.php", "/12345", "/de-DE/Shoes", "/how-to-choose-a-running-shoe", "/@handle"],
  ...["/order-confirmation-2024", "/top-10-shoes-for-beginners", "/Running-Shoes-For-Men", "/WINTER-SALE-UP-TO-50"],
  ...["/2024/11/22/black-friday", "/2024-11-22-black-friday", "/archive-of-2024-11", "/samsung-galaxy-s24-ultra-5g"],
  ...["/%D0%BA%D0%B0%D0%BA-%D0%B2%D1%8B%D0%B1%D1%80%D0%B0%D1%82%D1%8C-%D0%BE%D0%B1%D1%83%D0%B2%D1%8C", "/%zz/100%"],
  ...["/%E0%A4%B9%E0%A4%BF%E0%A4%A8%E0%A5%8D%E0%A4%A6%E0%A5%80-%E0%A4%B8%E0%A4%AE%E0%A4%BE%E0%A4%9A%E0%A4%BE%E0%A4%B0"],
])("a path in a URL is stored unchanged: %s", (path) => {
  expect(stored(path)).toBe(path || "/");
});

it.each([
  ["?aff=a&utm_source=x&token=1&sid=2#jane@mail.example", "?aff=a&utm_source=x"],
  ["?utm_term=jane%40mail.example&utm_source=x", "?utm_source=x"],
  ["?utm_term=jane@mail.example", ""],
  ["?utm_term=jane%2540mail.example", ""],
  ["?utm_term=for%20jane+shop@mail.example", ""],
  ["?utm_jane%40mail.example=1", ""],
  ["?aff=jane%40mail.example&aff=a", "?aff=a"],
  ["?aff=a&aff_sub=news.1_A-b&x=1", "?aff=a&aff_sub=news.1_A-b"],
  ["?aff_sub=&aff_sub=a+b&aff_sub=first&aff_sub=second&aff_sub=first&aff=a", "?aff_sub=first&aff=a"],
  [`?aff_sub=${"x".repeat(65)}&aff_sub=jane%40mail.example&AFFSUB=a&aff_sub2=a`, ""],
  ["?x=1&amp;AFF=anna&AFF_SUB=a&amp;utm_source=mail&aff=", "?aff=&aff=anna&aff_sub=a&utm_source=mail"],
  ["?utm_campaign=50%25+off&utm_id=1234567", "?utm_campaign=50%25+off&utm_id=1234567"],
])("the query %s is stored as %s", (query, kept) => {
  expect(stored(`/p${query}`)).toBe(`/p${kept}`);
});

/** Arbitrary path segments, percent-encoded or not. */
const segments = fc.array(fc.oneof(fc.string(), fc.string({ unit: "grapheme" }).map(encodeURIComponent)), {
  maxLength: 4,
});
const wellFormed = (text: string): boolean => text.isWellFormed();
const word = fc.stringMatching(/^[a-z]{1,12}$/);

describe("a stored URL", () => {
  const words = "shoe-".repeat(400);

  test("a stored URL has at most 512 characters of its path, and never half of an encoded character", () => {
    expect(stored(`/${words}`)).toBe(`/${words}`.slice(0, 512));
    for (const start of ["", "a", "bb", "ccc", "dddd", "eeeee"]) {
      const path = stored(`/${start}/${"日本/".repeat(600)}`);
      expect(path.length).toBeGreaterThan(490);
      expect(path.length).toBeLessThanOrEqual(512);
      expect(() => decodeURIComponent(path)).not.toThrow();
      expect(stored(path)).toBe(path);
    }
  });

  test("a stored URL has at most 512 characters of its query, in whole parameters", () => {
    const long = `utm_term=${"x".repeat(490)}`;
    expect(stored(`/?aff=a&${long}&utm_source=y`)).toBe(`/?aff=a&${long}`);
    expect(stored(`/?aff=a&utm_term=${"x".repeat(512)}&utm_source=y`)).toBe("/?aff=a");
    expect(stored(`/?utm_${"x".repeat(512)}=1`)).toBe("/");
  });

  test("a URL isn't stored if its host can't exist because the name is too long", () => {
    expect(storedPageUrl(new URL(`https://${"a.".repeat(500)}example/`))).toBeNull();
  });
});

test("a stored page URL has as many segments as the original, and doesn't change when it is stored again", () => {
  fc.assert(
    fc.property(
      segments.filter((all) => all.every(wellFormed)),
      (all) => {
        const url = new URL(`${origin}/${all.map((each) => each.replace(/[?#]/g, "")).join("/")}`);
        const once = storedOf(url);
        expect(storedOf(new URL(once))).toBe(once);
        expect(new URL(once).pathname.split("/")).toHaveLength(url.pathname.split("/").length);
      },
    ),
  );
});

test("an email address in a URL is never stored, in any encoding or within any other characters", () => {
  fc.assert(
    fc.property(word, word, fc.nat(5), fc.string({ maxLength: 8 }), (name, host, times, around) => {
      let text = `${name}@${host}.example`;
      for (let i = 0; i < times; i += 1) text = encodeURIComponent(text);
      const noise = encodeURIComponent(around);
      const told = stored(`/a/${noise}${text}${noise}/b?utm_term=${noise}${encodeURIComponent(text)}`);
      expect(told).toBe("/a/*/b");
    }),
  );
});

test("random bytes in a URL are never stored, in hexadecimal or base64url", () => {
  const bytes = fc.uint8Array({ minLength: 16, maxLength: 64 });
  fc.assert(
    fc.property(bytes, fc.constantFrom("hex" as const, "base64url" as const), (random, form) => {
      // fast-check shrinks to all zeros and similar values, which aren't random.
      fc.pre(new Set(random).size > 12);
      expect(stored(`/t/${Buffer.from(random).toString(form)}`)).toBe("/t/*");
    }),
  );
});

test("lower-case words in a URL's path are stored, however many there are", () => {
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 12 }), (words) => {
      expect(stored(`/${words.join("-")}`)).toBe(`/${words.join("-")}`);
    }),
  );
});
