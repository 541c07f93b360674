import { describe, expect, it } from "vitest";
import { codeKeyOf, landingCode } from "#domain/landing.ts";
import { subIdIn } from "#domain/sub-id.ts";
import { landingCases } from "../support/landing-cases.ts";

const codes = { anna: "an-na_1", bob: "bob" };

describe("the code in a landing page's URL", () => {
  it.each(landingCases)("the code in a landing page's URL is read from: $title", ({ query, partner, isVia, sub }) => {
    const parameters = new URL(`https://shop.example/?${query(codes.anna, codes.bob)}`).searchParams;
    const { code, codeParam } = landingCode(parameters, "via");
    const owner = Object.entries(codes).find(([, own]) => code !== null && codeKeyOf(code) === own)?.[0] ?? null;
    expect([owner, codeParam]).toEqual([partner, isVia ? "via" : null]);
    expect(subIdIn(parameters)).toBe(sub ?? null);
  });

  it("the code in a landing page's URL keeps a letter that only looks like an ASCII letter, and doesn't match the ASCII code", () => {
    const { code } = landingCode(new URLSearchParams("aff=\u212Aate"), null);
    expect(codeKeyOf(code ?? "")).toBe("\u212Aate");
    expect(codeKeyOf("KATE")).toBe("kate");
  });
});
